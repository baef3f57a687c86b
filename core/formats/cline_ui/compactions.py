"""Reads compactions in a Cline display log: condensed contexts, and ranges left out of requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.json_value import Json
from core.formats.common.json_access import fields_of, iso_timestamp, list_of, number_of, string_of
from core.transcript.model import Message, MessageFlag, RecordedCompaction, Source, Speaker, Text


def condensed_compaction(row: Mapping[str, Json], source: Source, position: int) -> RecordedCompaction | None:
    """Read a ``condense_context`` row with its summary and sizes; None for an unfinished one."""
    details = fields_of(row.get("contextCondense"))
    if not details:
        return None
    text = string_of(details.get("summary"))
    time = iso_timestamp(row.get("ts"))
    summary = Message(Speaker.HUMAN, (Text(text),), (source,), MessageFlag.RECORDED_SUMMARY, "", time)
    before, after = _sizes(details)
    return RecordedCompaction(
        "summary", position, "", before, after, summary=(summary,) if text else (), source=source
    )


def truncated_compaction(row: Mapping[str, Json], source: Source, position: int) -> RecordedCompaction | None:
    """Read a ``sliding_window_truncation`` row, which has sizes, but not the messages that stayed."""
    details = fields_of(row.get("contextTruncation"))
    if not details:
        return None
    before, after = _sizes(details)
    return RecordedCompaction("truncate", position, "", before, after, source=source)


def deleted_compaction(
    row: Mapping[str, Json], known_range: tuple[int, int] | None, messages: Sequence[Message]
) -> tuple[tuple[int, int], RecordedCompaction] | None:
    """Return a row's left-out range of API messages and its truncation, if it is not the known one.

    ``conversationHistoryIndex`` of a row is the number of the last API message before it, so the row is
    part of the next one; rows without it count as kept.
    """
    ends = [number_of(end) for end in list_of(row.get("conversationHistoryDeletedRange"))]
    numbers = [end for end in ends if end is not None]
    if len(numbers) != 2 or tuple(numbers) == known_range:
        return None
    first, last = numbers
    kept = tuple(
        index
        for index, message in enumerate(messages)
        if (message_number := number_of(message.extra.get("conversationHistoryIndex"))) is None
        or not first <= message_number + 1 <= last
    )
    return (first, last), RecordedCompaction("truncate", len(messages), kept=kept)


def _sizes(details: Mapping[str, Json]) -> tuple[int | None, int | None]:
    return number_of(details.get("prevContextTokens")), number_of(details.get("newContextTokens"))
