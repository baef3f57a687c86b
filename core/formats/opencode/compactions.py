"""Compactions of opencode: summaries with the tail that they kept, and tool results cleared in place.

A compaction is a user record with a ``compaction`` part and an assistant record with ``summary``
that answers it; both are no messages of the whole session. Where the summary has no end (it failed
or was stopped) nothing was compacted. Earlier versions wrote the summary without the user record.
Results are cleared one by one, each with its time in ``state.time.compacted``: those between the same two
records were one pruning. It happened after the last record that was there at that time.
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

_Timed: TypeAlias = tuple[int, RecordedCompaction]
"""The time of a compaction in milliseconds, and what it is."""


def opencode_compactions(
    entries: Sequence[OpencodeRecord], notes: ImportNotes
) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """The messages without those of compactions, and the compactions in order."""
    markers = {string_of(entry.info.get("id")): entry for entry in entries if entry.marker is not None}
    messages: list[Message] = []
    places: dict[str, int] = {}
    starts: list[int] = []
    found: list[_Timed] = []
    asked = 0
    context: int | None = None
    for entry in entries:
        id_ = string_of(entry.info.get("id"))
        places.setdefault(id_, len(messages))
        starts.append(len(messages))
        if entry.marker is not None:
            asked = len(messages)
            notes.skip("request for a summary", line=entry.source.line)
        elif entry.summary and _is_done(entry):
            marker = markers.get(string_of(entry.info.get("parentID")))
            position = asked if marker else len(messages)
            found.append((_created(entry), _folded(entry, marker, position, context, places)))
        elif entry.summary:
            notes.skip("summary that was not finished", line=entry.source.line)
        else:
            messages.extend(entry.messages)
            context = entry.tokens or context
    found.extend(_cleared(entries, [*starts[1:], len(messages)]))
    return messages, tuple(one for _, one in sorted(found, key=_place))


def _place(found: _Timed) -> tuple[int, int]:
    """Between the same messages a compaction and a clearing stand in the order of their times."""
    return found[1].position, found[0]


def _created(entry: OpencodeRecord) -> int:
    return number_of(fields_of(entry.info.get("time")).get("created")) or 0


def _is_done(entry: OpencodeRecord) -> bool:
    ended = entry.info.get("finish") or fields_of(entry.info.get("time")).get("completed")
    return bool(ended) and not entry.info.get("error")


def _folded(
    entry: OpencodeRecord,
    marker: OpencodeRecord | None,
    position: int,
    context: int | None,
    places: Mapping[str, int],
) -> RecordedCompaction:
    """``tokens_before`` is the last request before it; of what it left the file has no figure."""
    given: Mapping[str, Json] = fields_of(marker.marker) if marker else {}
    tail = places.get(string_of(given.get("tail_start_id")), position)
    summary = tuple(replace(one, flags=one.flags | MessageFlag.RECORDED_SUMMARY) for one in entry.messages)
    auto = given.get("auto")
    trigger = "auto" if auto is True else "manual" if auto is False else ""
    kept = tuple(range(tail, position))
    return RecordedCompaction("summary", position, trigger, context, None, summary, kept, entry.source)


def _cleared(entries: Sequence[OpencodeRecord], ends: Sequence[int]) -> Iterator[_Timed]:
    """``ends`` is for each record the index of the first message behind it."""
    prunings: dict[int, list[tuple[int, str]]] = {}
    for entry in entries:
        for cleared in entry.cleared:
            prunings.setdefault(_last(entries, cleared[0]), []).append(cleared)
    for last, found in prunings.items():
        ids = tuple(call_id for _, call_id in sorted(found, key=_stamp))
        yield min(map(_stamp, found)), RecordedCompaction("microcompact", ends[last], "auto", cleared=ids)


def _last(entries: Sequence[OpencodeRecord], time: int) -> int:
    """The last record that was there at a time; the last of all where none says when it was made."""
    behind = range(len(entries) - 1, -1, -1)
    return next((number for number in behind if 0 < _created(entries[number]) <= time), len(entries) - 1)


def _stamp(cleared: tuple[int, str]) -> int:
    return cleared[0]
