"""Values of a preview as plain JSON values, shared by the commands (resources/help/json.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from core.common.json_value import Json
from core.lint.findings import LintFinding
from core.preview.options import Preview
from core.settings.values import Values
from core.transcript.compaction import Cut, Fate, FateStep, Split
from core.transcript.llxprt_content import block_entry
from core.transcript.model import Block, Message, Opaque

if TYPE_CHECKING:
    from core.cli.opened_conversation import OpenedConversation

SEVERITIES = ("error", "warning", "info")


def head_json(opened: OpenedConversation, scope: str) -> dict[str, Json]:
    """Return the first keys of most commands: the transcript and the scope."""
    return {
        "file": opened.conversation.document.name,
        "format": opened.reader.name,
        "conversation": opened.conversation.number,
        "scope": scope,
    }


def sizes_json(preview: Preview) -> dict[str, Json]:
    return {
        "before": {"messages": len(preview.messages), "tokens": preview.before_tokens},
        "after": {"messages": len(preview.compaction.messages), "tokens": preview.after_tokens},
    }


def findings_json(findings: Sequence[LintFinding]) -> dict[str, Json]:
    """Return counts by severity, and every finding."""
    counts = {
        f"{severity}s": sum(finding.severity == severity for finding in findings) for severity in SEVERITIES
    }
    return {"valid": not counts["errors"], **counts, "findings": [asdict(finding) for finding in findings]}


def settings_json(values: Values) -> dict[str, Json]:
    """Return every effective setting with its layer, and its profile where one gave it."""
    return {
        key: {"value": effective.value, "layer": effective.layer.value}
        | ({"profile": effective.profile} if effective.profile else {})
        for key, effective in values.by_key.items()
    }


def split_json(split: Split | None) -> Json:
    """Return how many messages are in each part, and how each cut was found."""
    if split is None:
        return None
    return {
        "top": split.top,
        "middle": split.middle,
        "bottom": split.bottom,
        "trace": [_cut(cut) for cut in split.cuts],
    }


def _cut(cut: Cut) -> dict[str, Json]:
    return {
        "name": cut.name,
        "asked": cut.requested,
        "index": cut.index,
        "reference": cut.reference,
        "reference_orphans": list(cut.reference_orphans),
        "safe": cut.safe if cut.safe >= 0 else None,
        "steps": [asdict(step) for step in cut.trace],
    }


def fates_json(preview: Preview) -> Iterator[Json]:
    """Yield the fate of every source message, in order."""
    values_by_id: dict[int, Json] = {}
    for index, fate in enumerate(preview.compaction.fates):
        if id(fate) not in values_by_id:  # many messages share one Fate
            values_by_id[id(fate)] = _fate(fate)
        yield {"index": index, **values_by_id[id(fate)], "tokens": preview.counts[index]}


def _fate(fate: Fate) -> dict[str, Json]:
    last_step = fate.last
    return {
        "fate": last_step.kind.value,
        "rule": last_step.rule,
        "reason": last_step.reason,
        "steps": [_step(step) for step in fate.steps],
    }


def _step(step: FateStep) -> dict[str, Json]:
    return {
        "fate": step.kind.value,
        "rule": step.rule,
        "reason": step.reason,
        "links": list(step.links),
        "fix": step.fix or None,
    }


def result_messages_json(preview: Preview) -> Iterator[Json]:
    """Yield every message of the result with its source messages."""
    compaction = preview.compaction
    for index, (message, origins) in enumerate(zip(compaction.messages, compaction.origins, strict=True)):
        yield {
            "index": index,
            "speaker": message.speaker.value,
            "origins": list(origins),
            "inserted": index in compaction.inserted,
            "tokens": preview.after_counts[index],
            "blocks": _blocks(message),
        }


def _blocks(message: Message) -> list[Json]:
    return [_block(block) for block in message.blocks]


def _block(block: Block) -> Json:
    entry = block_entry(block)
    if isinstance(block, Opaque):
        return entry
    # Keys with a dollar sign are notes of a reader for its writer.
    return {key: value for key, value in entry.items() if not key.startswith("$")}
