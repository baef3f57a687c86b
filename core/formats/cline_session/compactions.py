"""Reads the compaction from a compaction file of the Cline SDK.

The file holds the context *after* it: kept messages, and either one summary of the model before them
(``metadata.kind`` ``compaction_summary``) or, from the strategy without a model (``compaction``),
``<SYSTEM_NOTICE>`` blocks beside the user's prompts. Both texts are recorded summaries, not messages of the
session; ``left`` has their places in the context. The compaction follows the messages that it kept.
``usageBefore`` sums the requests of the removed messages; it is not the size of a context and is ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, number_of, string_of
from core.transcript.model import Block, Message, RecordedCompaction, Text

_SUMMARY = "compaction_summary"
_FOLDED = "compaction"
_KEPT = "preserved"
_NOTICE = "<SYSTEM_NOTICE>"
_OF_COMPACTION = "context was compacted"


@dataclass(frozen=True, slots=True)
class ClineMessage:
    """A message and its record; ``summary``: it is a recorded summary."""

    message: Message
    record: Mapping[str, Json]
    summary: bool


def is_summary(record: Mapping[str, Json]) -> bool:
    return _metadata(record).get("kind") == _SUMMARY


def is_notice(block: Block) -> bool:
    return isinstance(block, Text) and block.text.startswith(_NOTICE) and _OF_COMPACTION in block.text[:200]


def split_compactions(
    parts: Sequence[ClineMessage], notes: ImportNotes
) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """Return the messages without recorded summaries, and the compaction if the file has one."""
    messages = [part.message for part in parts if not part.summary]
    marked = next((part for part in parts if _metadata(part.record).get("kind") in (_SUMMARY, _FOLDED)), None)
    if marked is None and not any(part.summary for part in parts):
        return messages, ()
    end = _end(parts, marked)
    left: list[int | Message] = []
    count = 0
    for part in parts[:end]:
        left.append(part.message if part.summary else count)
        count += not part.summary
    metadata = _metadata(marked.record) if marked else {}
    removed = number_of(metadata.get("messagesRemoved"))
    if removed:
        notes.warn(0, f"messages that the compaction removed and this file does not have: {removed:,}")
    recorded = RecordedCompaction(
        "summary",
        count,
        _trigger(string_of(metadata.get("reason"))),
        number_of(metadata.get("tokensBefore")),
        summary=tuple(part.message for part in parts if part.summary),
        source=marked.message.sources[0] if marked else None,
        context_after=tuple(left),
        is_source_lost=True,
    )
    return messages, (recorded,)


def _end(parts: Sequence[ClineMessage], marked: ClineMessage | None) -> int:
    written = number_of(_metadata(marked.record).get("generatedAt")) if marked else None
    if written is not None:
        times = enumerate(number_of(part.record.get("ts")) or 0 for part in parts)
        return next((place for place, time in times if time > written), len(parts))
    own_places = (place for place, part in enumerate(parts) if part.summary or _is_kept(part.record))
    return max(own_places, default=len(parts) - 1) + 1


def _is_kept(record: Mapping[str, Json]) -> bool:
    metadata = _metadata(record)
    return metadata.get("compaction") == _KEPT or metadata.get("kind") == _FOLDED


def _metadata(record: Mapping[str, Json]) -> Mapping[str, Json]:
    return fields_of(record.get("metadata"))


def _trigger(reason: str) -> str:
    return next((word for word in ("manual", "auto") if word in reason), reason)
