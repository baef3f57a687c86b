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
from core.transcript.llxprt_content import entry_of
from core.transcript.model import Block, Message, Opaque

if TYPE_CHECKING:
    from core.cli.opened_conversation import OpenedConversation

SEVERITIES = ("error", "warning", "info")


def head_json(opened: OpenedConversation, scope: str) -> dict[str, Json]:
    """What the JSON of most commands begins with: the transcript, and the scope that was looked at."""
    return {
        "file": opened.conversation.document.name,
        "format": opened.reader.name,
        "conversation": opened.conversation.number,
        "scope": scope,
    }


def sizes_json(made: Preview) -> dict[str, Json]:
    """``before`` and ``after``: messages and tokens."""
    return {
        "before": {"messages": len(made.messages), "tokens": made.before_tokens},
        "after": {"messages": len(made.compaction.messages), "tokens": made.after_tokens},
    }


def findings_json(found: Sequence[LintFinding]) -> dict[str, Json]:
    """Counts by severity, and every finding."""
    counts = {f"{severity}s": sum(one.severity == severity for one in found) for severity in SEVERITIES}
    return {"valid": not counts["errors"], **counts, "findings": [asdict(one) for one in found]}


def settings_json(values: Values) -> dict[str, Json]:
    """Every effective setting with the layer that gave it, and the profile where one did."""
    return {
        key: {"value": effective.value, "layer": effective.layer.value}
        | ({"profile": effective.profile} if effective.profile else {})
        for key, effective in values.by_key.items()
    }


def split_json(found: Split | None) -> Json:
    """How many messages lie in each part, and how each cut was found."""
    if found is None:
        return None
    return {
        "top": found.top,
        "middle": found.middle,
        "bottom": found.bottom,
        "trace": [_cut(cut) for cut in found.cuts],
    }


def _cut(cut: Cut) -> dict[str, Json]:
    return {
        "name": cut.name,
        "asked": cut.asked,
        "index": cut.index,
        "reference": cut.reference,
        "reference_orphans": list(cut.reference_orphans),
        "safe": cut.safe if cut.safe >= 0 else None,
        "steps": [asdict(step) for step in cut.trace],
    }


def fates_json(made: Preview) -> Iterator[Json]:
    """The fate of every source message, in order."""
    known: dict[int, Json] = {}
    for index, fate in enumerate(made.compaction.fates):
        if id(fate) not in known:  # one Fate stands for a whole run
            known[id(fate)] = _fate(fate)
        yield {"index": index, **known[id(fate)], "tokens": made.counts[index]}


def _fate(fate: Fate) -> dict[str, Json]:
    last = fate.last
    return {
        "fate": last.kind.value,
        "rule": last.rule,
        "reason": last.reason,
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


def result_messages_json(made: Preview) -> Iterator[Json]:
    """Every message of the result, with the source messages that it came from."""
    compaction = made.compaction
    for index, (message, origins) in enumerate(zip(compaction.messages, compaction.origins, strict=True)):
        yield {
            "index": index,
            "speaker": message.speaker.value,
            "origins": list(origins),
            "inserted": index in compaction.inserted,
            "tokens": made.after_counts[index],
            "blocks": _blocks(message),
        }


def _blocks(message: Message) -> list[Json]:
    return [_block(block) for block in message.blocks]


def _block(block: Block) -> Json:
    entry = entry_of(block)
    if isinstance(block, Opaque):
        return entry
    # Keys with a dollar sign are what a reader notes for its own writer.
    return {key: value for key, value in entry.items() if not key.startswith("$")}
