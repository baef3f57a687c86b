"""Builds messages from OpenHands events, and the model's view after each condensation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.import_notes import opaque_flag
from core.formats.common.json_access import list_of
from core.transcript.model import (
    Block,
    Message,
    MessageFlag,
    RecordedCompaction,
    Source,
    Speaker,
    Text,
)

_MAX_EVENTS = 1_000_000  # that a condensation can name by its first and last event


@dataclass(frozen=True, slots=True, eq=False)
class VisibleEvent:
    """One event that the model sees. ``speaker`` None: part of the view, but no message (the system
    prompt). Events of one ``group`` are one message: the parallel calls of one answer."""

    id: str
    speaker: Speaker | None
    blocks: tuple[Block, ...]
    source: Source
    group: str = ""
    flags: MessageFlag = MessageFlag.NONE
    timestamp: str = ""


@dataclass(frozen=True, slots=True)
class Condensation:
    id: str
    forgotten: frozenset[str]
    summary: str
    offset: int | None  # without it the summary is not shown to the model
    source: Source
    timestamp: str = ""
    is_requested: bool = False  # by a request, not by size


_View: TypeAlias = list[VisibleEvent | Message]
"""What the model sees: events, and the summaries of condensations."""


def visible_event(
    value: Mapping[str, Json],
    source: Source,
    speaker: Speaker | None,
    blocks: Sequence[Block],
    *,
    group: str = "",
    flags: MessageFlag = MessageFlag.NONE,
) -> VisibleEvent:
    id_, time = coerce_text(value.get("id")), coerce_text(value.get("timestamp"))
    return VisibleEvent(id_, speaker, tuple(blocks), source, group, flags | opaque_flag(blocks), time)


def read_condensation(
    value: Mapping[str, Json], fields: Mapping[str, Json], source: Source, is_requested: bool
) -> Condensation:
    """Read a condensation whose forgotten events are named by their ids, or by the first and the last."""
    ids = list_of(fields.get("forgotten_event_ids"))
    first, last = fields.get("forgotten_events_start_id"), fields.get("forgotten_events_end_id")
    if not ids and isinstance(first, int) and isinstance(last, int) and last - first < _MAX_EVENTS:
        ids = range(first, last + 1)
    offset = fields.get("summary_offset")
    return Condensation(
        coerce_text(value.get("id")),
        frozenset(map(coerce_text, ids)),
        coerce_text(fields.get("summary")),
        offset if isinstance(offset, int) and offset >= 0 else None,
        source,
        coerce_text(value.get("timestamp")),
        is_requested,
    )


@dataclass(slots=True)
class _Replay:
    """The events so far by message (``slots``), and the model's view."""

    slots: list[list[VisibleEvent]] = field(default_factory=list)
    slot_by_event: dict[VisibleEvent, int] = field(default_factory=dict)
    slot_by_group: dict[str, int] = field(default_factory=dict)
    view: _View = field(default_factory=list)
    recorded: list[RecordedCompaction] = field(default_factory=list)


def replay_events(
    events: Sequence[VisibleEvent | Condensation],
) -> tuple[tuple[Message, ...], tuple[RecordedCompaction, ...]]:
    """Return the messages of all events, and each condensation with the view right after it."""
    replay = _replay(events)
    return tuple(map(_message, replay.slots)), tuple(replay.recorded)


def last_view(events: Sequence[VisibleEvent | Condensation]) -> tuple[tuple[str, Source | None], ...]:
    """Return the model's view after all events, system prompt included: id and place of each event; the
    place of a summary is None."""
    view = _replay(events).view
    return tuple((entry.id, None if isinstance(entry, Message) else entry.source) for entry in view)


def _replay(events: Sequence[VisibleEvent | Condensation]) -> _Replay:
    replay = _Replay()
    for event in events:
        if isinstance(event, Condensation):
            _condense(replay, event)
            continue
        replay.view.append(event)
        if event.speaker is None:
            continue
        slot = replay.slot_by_group.get(event.group, len(replay.slots)) if event.group else len(replay.slots)
        if slot == len(replay.slots):
            replay.slots.append([])
            replay.slot_by_group[event.group] = slot
        replay.slots[slot].append(event)
        replay.slot_by_event[event] = slot
    return replay


def _message(events: Sequence[VisibleEvent]) -> Message:
    first, flags = events[0], MessageFlag.NONE
    for event in events:
        flags |= event.flags
    blocks = tuple(block for event in events for block in event.blocks)
    sources = tuple(event.source for event in events)
    return Message(first.speaker or Speaker.UNKNOWN, blocks, sources, flags, first.id, first.timestamp)


def _condense(replay: _Replay, event: Condensation) -> None:
    """Remove the forgotten events from the view; a new summary replaces an older one."""
    replay.view = [
        entry
        for entry in replay.view
        if entry.id not in event.forgotten and not (event.summary and isinstance(entry, Message))
    ]
    if event.summary and event.offset is not None:
        flag, id_ = MessageFlag.RECORDED_SUMMARY, f"{event.id}-summary"
        summary = Message(Speaker.HUMAN, (Text(event.summary),), (event.source,), flag, id_, event.timestamp)
        replay.view.insert(event.offset, summary)
    summaries = tuple(entry for entry in replay.view if isinstance(entry, Message))
    replay.recorded.append(
        RecordedCompaction(
            "summary" if summaries else "truncate",
            len(replay.slots),
            trigger="request" if event.is_requested else "",
            summary=summaries,
            source=event.source,
            context_after=tuple(_context(replay)),
        )
    )


def _context(replay: _Replay) -> Iterator[int | Message]:
    """Yield the view as messages: a whole one by its index, one that lost some events as a smaller one."""
    visible_by_slot: dict[int, list[VisibleEvent]] = {}
    for entry in replay.view:
        if isinstance(entry, VisibleEvent) and entry in replay.slot_by_event:
            visible_by_slot.setdefault(replay.slot_by_event[entry], []).append(entry)
    for entry in replay.view:
        if isinstance(entry, Message):
            yield entry
        elif entry in replay.slot_by_event:
            slot = replay.slot_by_event[entry]
            if visible := visible_by_slot.pop(slot, None):
                yield slot if len(visible) == len(replay.slots[slot]) else _message(visible)
