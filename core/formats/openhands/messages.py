"""Builds messages from OpenHands events, and the model's view after each condensation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.formats.openhands.model_view import CondensedView, OpenHandsEntry, OpenHandsTimeline, VisibleMessage
from core.transcript.model import (
    Block,
    ContextChange,
    Message,
    MessageFlag,
    RecordedCompaction,
    Source,
    Speaker,
    Text,
)


@dataclass(frozen=True, slots=True)
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
    offset: int | None
    source: Source
    timestamp: str = ""
    is_requested: bool = False  # by a request, not by size


_SUMMARY_SUFFIX = "-summary"


@dataclass(slots=True)
class _Replay:
    """The events so far as messages (``slots``), and the model's view. ``changed_slots`` are messages
    that got an event after a condensation; ``message_count`` counts the messages in the view without
    summaries."""

    timeline: OpenHandsTimeline = field(default_factory=OpenHandsTimeline)
    slots: list[list[tuple[VisibleEvent, OpenHandsEntry]]] = field(default_factory=list)
    groups: dict[str, int] = field(default_factory=dict)
    recorded: list[RecordedCompaction] = field(default_factory=list)
    summaries: list[Message] = field(default_factory=list)
    changed_slots: set[int] = field(default_factory=set)
    message_count: int = 0


def replay_events(
    events: Sequence[VisibleEvent | Condensation],
) -> tuple[tuple[Message, ...], tuple[RecordedCompaction, ...]]:
    """Return the messages of all events, and each condensation with the view right after it."""
    state = _replay(events)
    messages = tuple(_message([event for event, _ in slot]) for slot in state.slots)
    return messages, tuple(state.recorded)


def last_view(events: Sequence[VisibleEvent | Condensation]) -> tuple[tuple[str, Source | None], ...]:
    """Return the model's view after all events, system prompt included: id and place of each event; the
    place of a summary is None."""
    return tuple((entry.id, entry.source) for entry in _replay(events).timeline.view())


def _replay(events: Sequence[VisibleEvent | Condensation]) -> _Replay:
    state = _Replay()
    for event in events:
        if isinstance(event, Condensation):
            _apply_condensation(state, event)
        else:
            _add_event(state, event)
    return state


def _add_event(state: _Replay, event: VisibleEvent) -> None:
    entry = OpenHandsEntry(event.id, -1, event.source, added_at=len(state.recorded))
    if event.speaker is not None:
        slot = state.groups.get(event.group) if event.group else None
        if slot is None:
            slot = len(state.slots)
            state.slots.append([])
            state.message_count += 1
            if event.group:
                state.groups[event.group] = slot
        elif state.recorded and slot < state.recorded[-1].position:
            state.changed_slots.add(slot)
        state.slots[slot].append((event, entry))
        entry.slot = slot
    state.timeline.append(entry)


def _message(slot: Sequence[VisibleEvent]) -> Message:
    first = slot[0]
    flags = first.flags
    for event in slot[1:]:
        flags |= event.flags
    blocks = tuple(block for event in slot for block in event.blocks)
    sources = tuple(event.source for event in slot)
    return Message(first.speaker or Speaker.UNKNOWN, blocks, sources, flags, first.id, first.timestamp)


def _apply_condensation(state: _Replay, event: Condensation) -> None:
    """Remove the forgotten events from the view; a new summary replaces an older one. A summary without
    an offset is not shown to the model."""
    number = len(state.recorded) + 1
    removed_entries = state.timeline.remove(event.forgotten, number, summaries=bool(event.summary))
    removed: list[int | Message] = [entry.summary for entry in removed_entries if entry.summary is not None]
    added: list[Message] = []
    state.summaries = [s for s in state.summaries if not any(s is other for other in removed)]
    for slot in sorted({entry.slot for entry in removed_entries if entry.slot >= 0} | state.changed_slots):
        old, new = state.timeline.message_after(slot, number), _visible_part(state, slot)
        if old is None or new is None or not isinstance(new, int):
            state.timeline.changed_messages.setdefault(slot, []).append((number, new))
            removed += [] if old is None else [old]
            added += [new] if isinstance(new, Message) else []
            state.message_count += (old is None) - (new is None)
    state.changed_slots.clear()
    if event.summary and event.offset is not None:
        added.append(_add_summary(state, event, number))
    state.recorded.append(
        _recorded_compaction(state, event, number, ContextChange(tuple(removed), tuple(added)))
    )


def _visible_part(state: _Replay, slot: int) -> VisibleMessage:
    """Return what represents a message now; one that lost some events is a new, smaller message."""
    visible_events = [event for event, entry in state.slots[slot] if not entry.removed_at]
    if len(visible_events) == len(state.slots[slot]):
        return slot
    return _message(visible_events) if visible_events else None


def _add_summary(state: _Replay, event: Condensation, number: int) -> Message:
    id_ = f"{event.id}{_SUMMARY_SUFFIX}"
    flag, blocks = MessageFlag.RECORDED_SUMMARY, (Text(event.summary),)
    summary = Message(Speaker.HUMAN, blocks, (event.source,), flag, id_, event.timestamp)
    state.summaries.append(summary)
    state.timeline.insert(OpenHandsEntry(id_, summary=summary, added_at=number - 1), event.offset or 0)
    return summary


def _recorded_compaction(
    state: _Replay, event: Condensation, number: int, change: ContextChange
) -> RecordedCompaction:
    return RecordedCompaction(
        "summary" if state.summaries else "truncate",
        len(state.slots),
        trigger="request" if event.is_requested else "",
        summary=tuple(state.summaries),
        source=event.source,
        context_after=CondensedView(state.timeline, number, state.message_count + len(state.summaries)),
        change=change,
    )
