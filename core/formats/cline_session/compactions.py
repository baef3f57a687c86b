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
_NOTICE_COMPACTION = "compaction"
_PRESERVED = "preserved"
_NOTICE = "<SYSTEM_NOTICE>"
_NOTICE_WORDS = "context was compacted"


@dataclass(frozen=True, slots=True)
class ClineMessage:
    """A message and its record; ``is_summary``: it is a recorded summary."""

    message: Message
    record: Mapping[str, Json]
    is_summary: bool


def is_summary(record: Mapping[str, Json]) -> bool:
    return _metadata(record).get("kind") == _SUMMARY


def is_notice(block: Block) -> bool:
    return isinstance(block, Text) and block.text.startswith(_NOTICE) and _NOTICE_WORDS in block.text[:200]


def split_compactions(
    parts: Sequence[ClineMessage], notes: ImportNotes
) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """Return the messages without recorded summaries, and the compaction if the file has one."""
    messages = [part.message for part in parts if not part.is_summary]
    marked_message = next(
        (part for part in parts if _metadata(part.record).get("kind") in (_SUMMARY, _NOTICE_COMPACTION)), None
    )
    if marked_message is None and not any(part.is_summary for part in parts):
        return messages, ()
    end = _compaction_end(parts, marked_message)
    context_after: list[int | Message] = []
    count = 0
    for part in parts[:end]:
        context_after.append(part.message if part.is_summary else count)
        count += not part.is_summary
    metadata = _metadata(marked_message.record) if marked_message else {}
    removed = number_of(metadata.get("messagesRemoved"))
    if removed:
        notes.warn(0, f"messages that the compaction removed and this file does not have: {removed:,}")
    recorded = RecordedCompaction(
        "summary",
        count,
        _trigger(string_of(metadata.get("reason"))),
        number_of(metadata.get("tokensBefore")),
        summary=tuple(part.message for part in parts if part.is_summary),
        source=marked_message.message.sources[0] if marked_message else None,
        context_after=tuple(context_after),
        is_source_lost=True,
    )
    return messages, (recorded,)


def _compaction_end(parts: Sequence[ClineMessage], marked_message: ClineMessage | None) -> int:
    generated_at = number_of(_metadata(marked_message.record).get("generatedAt")) if marked_message else None
    if generated_at is not None:
        times = enumerate(number_of(part.record.get("ts")) or 0 for part in parts)
        return next((place for place, time in times if time > generated_at), len(parts))
    summary_places = (place for place, part in enumerate(parts) if part.is_summary or _is_kept(part.record))
    return max(summary_places, default=len(parts) - 1) + 1


def _is_kept(record: Mapping[str, Json]) -> bool:
    metadata = _metadata(record)
    return metadata.get("compaction") == _PRESERVED or metadata.get("kind") == _NOTICE_COMPACTION


def _metadata(record: Mapping[str, Json]) -> Mapping[str, Json]:
    return fields_of(record.get("metadata"))


def _trigger(reason: str) -> str:
    return next((word for word in ("manual", "auto") if word in reason), reason)
