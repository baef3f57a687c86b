"""Replays the content, compressed and rewind lines of an llxprt recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import JsonRecord
from core.formats.llxprt.items import read_item
from core.transcript.model import Message, MessageFlag, RecordedCompaction, Source


@dataclass(slots=True)
class _CompressedLine:
    """A ``compressed`` line. ``candidates`` are earlier entries that may be written again."""

    position: int
    summary: Message
    source: Source
    repeat_limit: int  # how many entries may be written again
    candidates: list[int]
    kept: list[int] = field(default_factory=list)
    is_active: bool = True


@dataclass(slots=True)
class LlxprtReplay:
    """``history`` holds indices of messages, -1 for a summary."""

    notes: ImportNotes
    messages: list[Message] = field(default_factory=list)
    removed: set[int] = field(default_factory=set)
    history: list[int] = field(default_factory=list)
    compactions: list[_CompressedLine] = field(default_factory=list)
    session_start: Mapping[str, Json] = field(default_factory=dict)
    model: str = ""


def apply_recording_line(replay: LlxprtReplay, record: JsonRecord) -> None:
    """Apply one line of the recording; unknown kinds are counted."""
    value = record.value
    kind = value.get("type") if isinstance(value, dict) else None
    payload = value.get("payload") if isinstance(value, dict) else None
    if not isinstance(kind, str) or not isinstance(payload, dict):
        replay.notes.warn(record.line, "the line is not an event of a recording; it was skipped")
        replay.notes.skip("not an event")
        return
    source = Source(record.line, record.start, record.end)
    if kind == "content" and isinstance(payload.get("content"), dict):
        _add_content(replay, read_item(payload["content"], (source,), replay.notes))
    elif kind == "compressed" and isinstance(payload.get("summary"), dict):
        _add_compression(replay, payload, source)
    elif kind == "rewind":
        _rewind(replay, payload.get("itemsRemoved"), record.line)
    else:
        _add_other_event(replay, kind, payload)


def recording_messages(replay: LlxprtReplay) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """Return the messages that were not rewound, and the compactions between them."""
    new_indices: list[int] = []
    messages: list[Message] = []
    for index, message in enumerate(replay.messages):
        new_indices.append(len(messages))
        if index not in replay.removed:
            messages.append(message)
    new_indices.append(len(messages))
    recorded = tuple(
        RecordedCompaction(
            "summary",
            new_indices[compression.position],
            summary=(compression.summary,),
            kept=tuple(new_indices[index] for index in compression.kept if index not in replay.removed),
            source=compression.source,
        )
        for compression in replay.compactions
        if compression.is_active
    )
    return messages, recorded


def _add_content(replay: LlxprtReplay, message: Message) -> None:
    """Add a new entry; after a compression it may be a kept one, written again."""
    repeated = _repeated_entry(replay, message)
    if repeated is not None:
        replay.compactions[-1].kept.append(repeated)
        replay.history.append(repeated)
        return
    replay.history.append(len(replay.messages))
    replay.messages.append(message)


def _repeated_entry(replay: LlxprtReplay, message: Message) -> int | None:
    compression = replay.compactions[-1] if replay.compactions else None
    if compression is None or not compression.is_active or len(compression.kept) >= compression.repeat_limit:
        return None
    for offset, index in enumerate(compression.candidates):
        earlier = replay.messages[index]
        if earlier.speaker is message.speaker and earlier.blocks == message.blocks:
            del compression.candidates[: offset + 1]
            return index
    return None


def _add_compression(replay: LlxprtReplay, payload: Mapping[str, Json], source: Source) -> None:
    """Add a compression; the kept entries are written again, unchanged, after its line."""
    items = payload.get("itemsCompressed")
    earlier_entries = [index for index in replay.history if index >= 0]
    compressed_count = items if isinstance(items, int) and 0 < items <= len(replay.history) else 0
    summary = read_item(payload["summary"], (source,))
    summary = replace(summary, flags=summary.flags | MessageFlag.RECORDED_SUMMARY)
    repeat_limit = len(replay.history) - compressed_count
    replay.compactions.append(
        _CompressedLine(len(replay.messages), summary, source, repeat_limit, earlier_entries)
    )
    replay.history = [-1]


def _rewind(replay: LlxprtReplay, count: Json, line: int) -> None:
    if not isinstance(count, int) or count < 0:
        replay.notes.warn(line, "the rewind does not say how many entries it took back; it was skipped")
        return
    for _ in range(min(count, len(replay.history))):
        index = replay.history.pop()
        compression = replay.compactions[-1] if replay.compactions else None
        if index == -1 and compression:
            compression.is_active = False
        elif compression and index in compression.kept:
            compression.kept.remove(index)
        else:
            replay.removed.add(index)
    replay.notes.skip("taken back by a rewind", count)


def _add_other_event(replay: LlxprtReplay, kind: str, payload: Mapping[str, Json]) -> None:
    replay.notes.skip(kind)
    model = payload.get("model")
    if kind in ("session_start", "provider_switch") and isinstance(model, str):
        replay.model = model
    if kind == "session_start" and not replay.session_start:
        replay.session_start = payload
