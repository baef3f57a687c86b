"""Compactions of opencode: summaries with the tail that they kept, and tool results cleared in place.

A compaction is a user record with a ``compaction`` part, answered by an assistant record with ``summary``;
neither is a message of the session. An unfinished summary compacted nothing. Earlier versions wrote the
summary without the user record. Results are cleared one by one, each with its time in
``state.time.compacted``; those between the same two records are one pruning, after the last record of that
time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, number_of, string_of
from core.formats.opencode.parts import OpencodeRecord
from core.transcript.model import Message, MessageFlag, RecordedCompaction

_TimedCompaction: TypeAlias = tuple[int, RecordedCompaction]
"""The time of a compaction in milliseconds, and the compaction."""


def opencode_compactions(
    entries: Sequence[OpencodeRecord], notes: ImportNotes
) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """Return the messages without those of compactions, and the compactions in order."""
    markers = {string_of(entry.info.get("id")): entry for entry in entries if entry.marker is not None}
    messages: list[Message] = []
    message_indices: dict[str, int] = {}
    starts: list[int] = []
    compactions: list[_TimedCompaction] = []
    marker_position = 0
    context: int | None = None
    for entry in entries:
        id_ = string_of(entry.info.get("id"))
        message_indices.setdefault(id_, len(messages))
        starts.append(len(messages))
        if entry.marker is not None:
            marker_position = len(messages)
            notes.skip("request for a summary", line=entry.source.line)
        elif entry.is_summary and _is_finished(entry):
            marker = markers.get(string_of(entry.info.get("parentID")))
            position = marker_position if marker else len(messages)
            compactions.append(
                (_created_at(entry), _compaction(entry, marker, position, context, message_indices))
            )
        elif entry.is_summary:
            notes.skip("summary that was not finished", line=entry.source.line)
        else:
            messages.extend(entry.messages)
            context = entry.tokens or context
    compactions.extend(_prunings(entries, [*starts[1:], len(messages)]))
    return messages, tuple(compaction for _, compaction in sorted(compactions, key=_compaction_order))


def _compaction_order(timed_compaction: _TimedCompaction) -> tuple[int, int]:
    return timed_compaction[1].position, timed_compaction[0]


def _created_at(entry: OpencodeRecord) -> int:
    return number_of(fields_of(entry.info.get("time")).get("created")) or 0


def _is_finished(entry: OpencodeRecord) -> bool:
    finished = entry.info.get("finish") or fields_of(entry.info.get("time")).get("completed")
    return bool(finished) and not entry.info.get("error")


def _compaction(
    entry: OpencodeRecord,
    marker: OpencodeRecord | None,
    position: int,
    context: int | None,
    message_indices: Mapping[str, int],
) -> RecordedCompaction:
    """Build a compaction; ``tokens_before`` is the last request before it, the size after is unknown."""
    options: Mapping[str, Json] = fields_of(marker.marker) if marker else {}
    first_kept = message_indices.get(string_of(options.get("tail_start_id")), position)
    summary = tuple(replace(m, flags=m.flags | MessageFlag.RECORDED_SUMMARY) for m in entry.messages)
    auto = options.get("auto")
    trigger = "auto" if auto is True else "manual" if auto is False else ""
    kept = tuple(range(first_kept, position))
    return RecordedCompaction("summary", position, trigger, context, None, summary, kept, entry.source)


def _prunings(entries: Sequence[OpencodeRecord], next_messages: Sequence[int]) -> Iterator[_TimedCompaction]:
    """Yield prunings; ``next_messages`` holds for each record the index of the first message after it."""
    prunings: dict[int, list[tuple[int, str]]] = {}
    for entry in entries:
        for cleared in entry.cleared_calls:
            prunings.setdefault(_last_record_at(entries, cleared[0]), []).append(cleared)
    for last_record, calls in prunings.items():
        ids = tuple(call_id for _, call_id in sorted(calls, key=_cleared_at))
        time = min(map(_cleared_at, calls))
        yield time, RecordedCompaction("microcompact", next_messages[last_record], "auto", cleared=ids)


def _last_record_at(entries: Sequence[OpencodeRecord], time: int) -> int:
    """Return the last record at a time, or the last of all if none has a time."""
    numbers = range(len(entries) - 1, -1, -1)
    return next((number for number in numbers if 0 < _created_at(entries[number]) <= time), len(entries) - 1)


def _cleared_at(cleared: tuple[int, str]) -> int:
    return cleared[0]
