"""Replays the events of an OpenHands run: its messages, the model's view, condensations and usage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, list_of
from core.formats.common.usage_reports import UsageReports, openai_usage
from core.formats.openhands.events import (
    STATE_UPDATE,
    EventLinks,
    OpenHandsEvent,
    condensation_fields,
    event_name,
    model_response,
    read_v0_event,
    read_v1_event,
    system_part,
    token_usage,
)
from core.transcript.model import Message, MessageFlag, RecordedCompaction, Source, Speaker, Text

_CONDENSATION_REQUESTS = ("CondensationRequest", "condensation_request")
_MAX_EVENTS = 1_000_000  # that a condensation can name by its first and last event


@dataclass(slots=True)
class OpenHandsReplay:
    """State of one pass over the events. ``slots`` are the events of each message."""

    notes: ImportNotes
    slots: list[list[OpenHandsEvent]] = field(default_factory=list)
    view: list[OpenHandsEvent] = field(default_factory=list)  # what the model sees
    recorded: list[RecordedCompaction] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    tools: list[Json] = field(default_factory=list)
    system_places: list[list[int]] = field(default_factory=list)
    usage: Mapping[str, Json] = field(default_factory=dict)
    reports: UsageReports = field(default_factory=UsageReports)
    _links: EventLinks = field(default_factory=EventLinks)
    _slot_by_group: dict[str, int] = field(default_factory=dict)
    _is_condensation_requested: bool = False
    _reported_answers: set[str] = field(default_factory=set)  # of version 0
    _pending_usage: tuple[int, int, str] | None = None  # of version 1: a report precedes its answer

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(map(_joined, self.slots))

    def add(self, value: Json, source: Source) -> None:
        if not isinstance(value, dict):
            self.notes.skip("not an object", line=source.line)
            return
        if (system := system_part(value)) is not None:
            self.texts += system[0]
            self.tools += list_of(system[1])
            self.system_places.append([source.line, source.start, source.end])
        self._add_usage(value, source)
        fields = condensation_fields(value)
        if fields is not None:
            self._condense(value, fields, source)
            return
        is_v1 = "kind" in value
        event = read_v1_event(value, source) if is_v1 else read_v0_event(value, source, self._links)
        self._is_condensation_requested |= event_name(value) in _CONDENSATION_REQUESTS
        if event is None:
            self.notes.skip(event_name(value), line=source.line)
            return
        self.view.append(event)
        if system is None:
            self._add_message(event, source)

    def _add_message(self, event: OpenHandsEvent, source: Source) -> None:
        if self._pending_usage is not None and event.message.speaker is Speaker.AI:
            self.reports.add(source, *self._pending_usage)
            self._pending_usage = None
        event.slot = len(self.slots)
        if event.group:
            event.slot = self._slot_by_group.setdefault(event.group, event.slot)
        if event.slot == len(self.slots):
            self.slots.append([])
        self.slots[event.slot].append(event)

    def _add_usage(self, value: Mapping[str, Json], source: Source) -> None:
        if value.get("kind") == STATE_UPDATE:
            self._add_total_usage(token_usage(value))
        answer = model_response(value)
        if "kind" in value or not isinstance(answer.get("usage"), dict):
            return
        self.usage = {**answer["usage"], "model": answer.get("model")}
        id_ = coerce_text(answer.get("id")) or str(source.start)
        if id_ not in self._reported_answers:  # each action of an answer repeats it
            self._reported_answers.add(id_)
            self.reports.add(source, *openai_usage(answer["usage"]), coerce_text(answer.get("model")))

    def _add_total_usage(self, usage: Mapping[str, Json]) -> None:
        """Take the growth of the sums of all requests as one request, if the turn had no other."""
        if not usage:
            return
        (prompt, output), before = openai_usage(usage), openai_usage(self.usage)
        growth = (prompt or 0) - (before[0] or 0), (output or 0) - (before[1] or 0)
        if growth[0] > 0 and sum(growth) == usage.get("per_turn_token"):
            self._pending_usage = (*growth, coerce_text(usage.get("model")))
        self.usage = usage

    def _condense(self, value: Mapping[str, Json], fields: Mapping[str, Json], source: Source) -> None:
        """Remove the forgotten events from the view; a new summary replaces an older one. It is not shown to
        the model without an offset."""
        forgotten, summary = _forgotten_ids(fields), coerce_text(fields.get("summary"))
        self.view = [
            entry
            for entry in self.view
            if entry.message.id not in forgotten and not (summary and is_summary(entry))
        ]
        offset = fields.get("summary_offset")
        if summary and isinstance(offset, int) and offset >= 0:
            id_, time = f"{coerce_text(value.get('id'))}-summary", coerce_text(value.get("timestamp"))
            flag = MessageFlag.RECORDED_SUMMARY
            message = Message(Speaker.HUMAN, (Text(summary),), (source,), flag, id_, time)
            self.view.insert(offset, OpenHandsEvent(message))
        summaries = tuple(entry.message for entry in self.view if is_summary(entry))
        self.recorded.append(
            RecordedCompaction(
                "summary" if summaries else "truncate",
                len(self.slots),
                trigger="request" if self._is_condensation_requested else "",
                summary=summaries,
                source=source,
                context_after=tuple(self._context()),
            )
        )
        self._is_condensation_requested = False

    def _context(self) -> Iterator[int | Message]:
        """Yield the view as messages: a whole one by its index, one that lost events as a smaller one."""
        visible_by_slot: dict[int, list[OpenHandsEvent]] = {}
        for entry in self.view:
            visible_by_slot.setdefault(entry.slot, []).append(entry)
        for entry in self.view:
            if is_summary(entry):
                yield entry.message
            elif entry.slot >= 0 and (visible := visible_by_slot.pop(entry.slot, None)):
                is_whole = len(visible) == len(self.slots[entry.slot])
                yield entry.slot if is_whole else _joined(visible)


def is_summary(entry: OpenHandsEvent) -> bool:
    return bool(entry.message.flags & MessageFlag.RECORDED_SUMMARY)


def _forgotten_ids(fields: Mapping[str, Json]) -> frozenset[str]:
    """Return the ids of forgotten events, which are named one by one, or by the first and the last."""
    ids = list_of(fields.get("forgotten_event_ids"))
    first, last = fields.get("forgotten_events_start_id"), fields.get("forgotten_events_end_id")
    if not ids and isinstance(first, int) and isinstance(last, int) and last - first < _MAX_EVENTS:
        ids = range(first, last + 1)
    return frozenset(map(coerce_text, ids))


def _joined(events: list[OpenHandsEvent]) -> Message:
    first, flags = events[0].message, MessageFlag.NONE
    for event in events:
        flags |= event.message.flags
    blocks = tuple(block for event in events for block in event.message.blocks)
    sources = tuple(source for event in events for source in event.message.sources)
    return Message(first.speaker, blocks, sources, flags, first.id, first.timestamp)
