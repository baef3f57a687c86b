"""JSON on standard output: keys in the order given, long lists an element a line.

Values of the domain (dataclasses, enumerations, tuples) are written as they are; ``fields`` renames
what resources/help/json.md names otherwise.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING

import orjson

from core.cli.output.console import escape_terminal
from core.common.json_value import Json
from core.common.paths import installed_version
from core.transcript.model import Message, Opaque
from core.transcript.provenance import block_entry

if TYPE_CHECKING:
    from core.analysis.costs import PricingModel
    from core.lint.common_rules import LintFinding
    from core.preview.options import Preview
    from core.transcript.compaction import Split

SEVERITIES = ("error", "warning", "info")
_SCHEMAS = {
    **dict.fromkeys(
        (
            "inspect",
            "replay",
            "sessions",
            "facts",
            "watch",
            "backtest",
            "tune",
            "settings",
        ),
        2,
    ),
    "check": 3,
    **dict.fromkeys(("compare", "sweep"), 4),
    "compact": 5,
}
"""Schema numbers above 1. A number is raised when a key changes its meaning or is removed, not for
new keys. 2: tokens are calibrated on what the file reports, and include hidden ones; facts have
kinds, and what counts as gone is other than before; the settings have their keys of today. 3: losses
instead of a score. 4: sizes before and after are those of whole requests. 5: the settings are those of
settings/2; what was removed from the request of a call is its ``reductions``."""


def write_json(command: str, value: Mapping[str, Json]) -> None:
    """Print an object with ``foldline`` and ``schema`` first. Iterators are written while they are
    read."""
    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    for piece in _pieces(command, value, _terminal_safe if is_utf8 else _ascii):
        sys.stdout.write(piece)


def line_json(command: str, value: Mapping[str, Json]) -> str:
    """Return an object on a line of its own, for commands that print one after another."""
    return f"{_terminal_safe(_with_head(command, value))}\n"


def _with_head(command: str, value: Mapping[str, Json]) -> dict[str, Json]:
    head = {
        "foldline": installed_version(),
        "schema": f"{command}/{_SCHEMAS.get(command, 1)}",
    }
    return head | dict(value)


def json_output_text(command: str, value: Mapping[str, Json]) -> str:
    return "".join(_pieces(command, value, _dump))


def _pieces(
    command: str, value: Mapping[str, Json], dump: Callable[[Json], str]
) -> Iterator[str]:
    yield "{"
    for number, (key, item) in enumerate(_with_head(command, value).items()):
        yield f"{',' if number else ''}\n  {json.dumps(key)}: "
        if isinstance(item, Iterator):
            yield from _list(item, dump)
        else:
            yield dump(item)
    yield "\n}\n"


def _list(items: Iterable[Json], dump: Callable[[Json], str]) -> Iterator[str]:
    yield "["
    has_items = False
    for item in items:
        yield f"{',' if has_items else ''}\n    {dump(item)}"
        has_items = True
    yield "\n  ]" if has_items else "]"


def _terminal_safe(value: Json) -> str:
    """Return JSON without characters that control a terminal."""
    return escape_terminal(_dump(value))


def _dump(value: Json) -> str:
    try:
        return orjson.dumps(value, default=_plain).decode()
    except (TypeError, ValueError, RecursionError):
        # Integers above 64 bits and lone surrogates, which orjson refuses.
        return _ascii(value)


def _ascii(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), default=_plain)


def _plain(value: object) -> Json:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Sequence):
        return list(value)
    if isinstance(value, Enum):
        return value.value
    return str(value)


def rounded(value: float | None) -> float | None:
    if value is None:
        return None
    return round(value, 4)


def run_json(preview: Preview) -> dict[str, Json]:
    """Return the model of a preview, its limit, and how tokens are counted."""
    return {
        "model": preview.sizes.model_limit.model or None,
        "limit": {
            "tokens": preview.sizes.model_limit.tokens,
            "source": preview.sizes.model_limit.source,
        },
        "method": {
            "mark": preview.sizes.count_method.mark,
            "label": preview.sizes.count_method.label,
        },
    }


def summary_profile_json(summaries: str, pricing: PricingModel) -> dict[str, Json]:
    """Return who wrote the summaries, and the model by which unpaid ones are priced."""
    return {
        "summaries": summaries,
        "price_as": pricing.model if pricing.is_known else None,
    }


def sizes_json(preview: Preview) -> dict[str, Json]:
    return {
        "before": {
            "messages": len(preview.messages),
            "tokens": preview.sizes.before_tokens,
            "message_tokens": preview.sizes.message_tokens_before,
        },
        "after": {
            "messages": len(preview.result.compaction.messages),
            "tokens": preview.sizes.after_tokens,
            "message_tokens": preview.sizes.message_tokens_after,
        },
    }


def findings_json(findings: Sequence[LintFinding]) -> dict[str, Json]:
    counts = {
        f"{name}s": sum(finding.severity == name for finding in findings)
        for name in SEVERITIES
    }
    return {"valid": not counts["errors"], **counts, "findings": findings}


def split_json(split: Split | None) -> Json:
    """Return how many messages are in each part, and how each cut was found."""
    return split and {
        "top": split.top,
        "middle": split.middle,
        "bottom": split.bottom,
        "trace": [
            {
                "name": cut.name,
                "asked": cut.requested,
                "index": cut.index,
                "reference": cut.reference,
                "reference_orphans": cut.reference_orphans,
            }
            | {"safe": cut.safe if cut.safe >= 0 else None, "steps": cut.trace}
            for cut in split.cuts
        ],
    }


def fates_json(preview: Preview) -> Iterator[Json]:
    values_by_id: dict[int, Json] = {}
    for index, fate in enumerate(preview.result.compaction.fates):
        if id(fate) not in values_by_id:  # many messages share one Fate
            steps = [
                {
                    "fate": step.kind,
                    "rule": step.rule,
                    "reason": step.reason,
                    "links": step.links,
                    "fix": step.fix or None,
                }
                for step in fate.steps
            ]
            values_by_id[id(fate)] = {
                "fate": fate.last.kind,
                "rule": fate.last.rule,
                "reason": fate.last.reason,
            } | {"steps": steps}
        yield {
            "index": index,
            **values_by_id[id(fate)],
            "tokens": preview.source.counts[index],
        }


def result_messages_json(preview: Preview) -> Iterator[Json]:
    """Yield every message of the result with its source messages."""
    compaction = preview.result.compaction
    for index, (message, origins) in enumerate(
        zip(compaction.messages, compaction.origins, strict=True)
    ):
        yield {
            "index": index,
            "speaker": message.speaker,
            "origins": origins,
            "inserted": index in compaction.inserted,
            "tokens": preview.result.after_counts[index],
            "blocks": _blocks(message),
        }


def _blocks(message: Message) -> list[Json]:
    """Return the blocks as llxprt has them, without keys that are notes of a reader for its writer
    ($)."""
    entries = ((block, block_entry(block)) for block in message.blocks)
    return [
        entry
        if isinstance(block, Opaque)
        else {key: value for key, value in entry.items() if not key.startswith("$")}
        for block, entry in entries
    ]
