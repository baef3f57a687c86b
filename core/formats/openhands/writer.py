"""Writes OpenHands events: the source's own list with surviving and new events, or a new JSONL.

A compacted list has no recorded condensations, because it holds their result. Events without a message
(state updates) stay where they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import text_of
from core.formats.common.source_bytes import read_document
from core.formats.openhands import writer_v0, writer_v1
from core.formats.openhands.compaction_writer import with_boundary
from core.formats.openhands.source_events import EventPlace, OpenHandsEvent, event_places, read_events
from core.formats.openhands.writer_v1 import OpenHandsEventBuilder
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    ExportOptions,
    OutputShape,
    export_messages_from_user,
)
from core.formats.writing.raw_json import dump_lines, rebuild_container
from core.formats.writing.reported_sizes import still_reported, without_usage
from core.formats.writing.unsupported_content import ExtraContent, leave_out_extra
from core.transcript.model import Message

NAME = "openhands"


@dataclass(slots=True)
class _OpenHandsOutput:
    """The events written so far; ``other_events`` are events without a message that are still to come."""

    builder: OpenHandsEventBuilder
    other_events: list[OpenHandsEvent]
    is_v1: bool
    events: list[Json] = field(default_factory=list)


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write the source's run with its other fields, else events of version 1, one a line.

    With a boundary: the source followed by a condensation.
    """
    if options.append_boundary:
        return with_boundary(given, NAME)
    losses = ExportLosses("OpenHands")
    conversation = given.conversation
    if not given.comes_from(NAME):
        return _new_file(given, losses)
    lines = conversation.layout.get("container") == "jsonl"
    shape = OutputShape.LINES if lines else OutputShape.JSON
    if given.is_whole_source:
        return ExporterOutput(read_document(conversation.document), shape)
    events = _own_events(given, losses)
    bare = replace(conversation, layout={**conversation.layout, "system": ()})
    return ExporterOutput(rebuild_container(bare, events)[0], shape, losses.sentences())


def _new_file(given: ExportInput, losses: ExportLosses) -> ExporterOutput:
    leave_out_extra(
        given, losses, ExtraContent.SYSTEM, ExtraContent.TOOLS, ExtraContent.TIMES, ExtraContent.CALL_IDS
    )
    system, maker = given.conversation.system, OpenHandsEventBuilder(losses)
    events: list[Json] = []
    if system.texts or system.tools:
        events.append(writer_v1.system_event(maker, system.texts, system.tools))
    for piece in export_messages_from_user(given, losses):
        events += writer_v1.new_events(maker, piece.message)
    return ExporterOutput(dump_lines(events), OutputShape.LINES, losses.sentences())


def _own_events(given: ExportInput, losses: ExportLosses) -> list[Json]:
    last = max(still_reported(given), default=-1)
    events = [
        event if event.position[0] <= last else replace(event, value=without_usage(event.value, NAME))
        for event in read_events(given.conversation)
    ]
    by_place = {event.position: event for event in events}
    of_messages = {place for message in given.conversation.messages for place in event_places(message)}
    out = _OpenHandsOutput(OpenHandsEventBuilder(losses), [], any("kind" in event.value for event in events))
    for event in events:
        if event.is_condensation:
            losses.leave_out("recorded condensation")
        elif event.position not in of_messages:
            out.other_events.append(event)
    _write_leading(out, min(of_messages, default=None))
    pending: dict[EventPlace, Json] = {}
    for piece in export_messages_from_user(given, losses):
        places = _places(piece, by_place, of_messages)
        if places:
            pending |= _values(piece, places, by_place, out)
        else:
            _write_pending(out, pending)
            pending = {}
            _add_new(out, piece.message)
    _write_pending(out, pending)
    out.events += [event.value for event in out.other_events]
    return out.events if out.is_v1 else writer_v0.with_rising_ids(out.events)


def _write_leading(out: _OpenHandsOutput, first: EventPlace | None) -> None:
    """Write the events before the first message, such as the system prompt."""
    leading = [event for event in out.other_events if first is not None and event.position < first]
    out.other_events = out.other_events[len(leading) :]
    out.events += [event.value for event in leading]


def _places(
    piece: ExportMessage, by_place: dict[EventPlace, OpenHandsEvent], of_messages: set[EventPlace]
) -> list[EventPlace]:
    """Return the places of a piece's events in the source; none for a new message or a recorded summary."""
    places = event_places(piece.origin) if piece.origin is not None else ()
    return [place for place in places if place in by_place and place in of_messages]


def _values(
    piece: ExportMessage,
    places: Sequence[EventPlace],
    by_place: dict[EventPlace, OpenHandsEvent],
    out: _OpenHandsOutput,
) -> dict[EventPlace, Json]:
    values: dict[EventPlace, Json] = {}
    for place in places:
        value: Json = by_place[place].value
        if not piece.unchanged:
            first = place == places[0]
            if out.is_v1:
                value = writer_v1.edited_event(value, piece.message, out.builder.losses, first=first)
            else:
                value = writer_v0.edited_event(value, piece.message, first=first)
        if value is not None:
            values[place] = value
    return values


def _write_pending(out: _OpenHandsOutput, pending: dict[EventPlace, Json]) -> None:
    """Write consecutive events of the source in file order, with events without a message between them."""
    if not pending:
        return
    end = max(pending)
    along = {event.position: event.value for event in out.other_events if event.position < end}
    out.other_events = [event for event in out.other_events if event.position > end]
    merged = pending | along
    for place in sorted(merged):
        value = merged[place]
        out.events.append(value)
        out.builder.time = text_of(value.get("timestamp")) or out.builder.time
        if value.get("kind") == "ActionEvent":
            out.builder.call_events[text_of(value.get("tool_call_id"))] = text_of(value.get("id"))


def _add_new(out: _OpenHandsOutput, message: Message) -> None:
    if out.is_v1:
        out.events += writer_v1.new_events(out.builder, message)
    else:
        out.events += writer_v0.new_events(message, out.builder.time, out.builder.losses)


EXPORTER = Exporter(
    NAME,
    (),
    "OpenHands",
    ".jsonl",
    "Events of OpenHands: the surviving ones as they were, with message events for what is new.",
    write,
    has_boundary=True,
)
