"""Writes OpenHands events: the source's own list with surviving and new events, or a new JSONL.

A compacted list has no recorded condensations, because it holds their result. Events without a message
(state updates) stay where they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.source_bytes import read_document
from core.formats.openhands import writer_v0, writer_v1
from core.formats.openhands.compaction_writer import with_boundary
from core.formats.openhands.source_events import EventPosition, OpenHandsEvent, event_positions, read_events
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
from core.formats.writing.reported_sizes import valid_usage_starts, without_usage
from core.formats.writing.unsupported_content import ExtraContent, count_extra_losses
from core.transcript.model import Message

NAME = "openhands"


@dataclass(slots=True)
class _OpenHandsOutput:
    """The events written so far; ``other_events`` are events without a message that are still to come."""

    builder: OpenHandsEventBuilder
    other_events: list[OpenHandsEvent]
    is_v1: bool
    events: list[Json] = field(default_factory=list)


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write the source's run with its other fields, else events of version 1, one a line.

    With a boundary: the source followed by a condensation.
    """
    if options.append_boundary:
        return with_boundary(export_input, NAME)
    losses = ExportLosses("OpenHands")
    conversation = export_input.conversation
    if not export_input.is_from_format(NAME):
        return _new_file(export_input, losses)
    is_lines = conversation.layout.get("container") == "jsonl"
    shape = OutputShape.LINES if is_lines else OutputShape.JSON
    if export_input.is_whole_source:
        return ExporterOutput(read_document(conversation.document), shape)
    events = _source_events(export_input, losses)
    without_system = replace(conversation, layout={**conversation.layout, "system": ()})
    return ExporterOutput(rebuild_container(without_system, events)[0], shape, losses.warnings())


def _new_file(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    count_extra_losses(
        export_input,
        losses,
        ExtraContent.SYSTEM,
        ExtraContent.TOOLS,
        ExtraContent.TIMES,
        ExtraContent.CALL_IDS,
    )
    system, builder = export_input.conversation.system, OpenHandsEventBuilder(losses)
    events: list[Json] = []
    if system.texts or system.tools:
        events.append(writer_v1.system_event(builder, system.texts, system.tools))
    for piece in export_messages_from_user(export_input, losses):
        events += writer_v1.new_events(builder, piece.message)
    return ExporterOutput(dump_lines(events), OutputShape.LINES, losses.warnings())


def _source_events(export_input: ExportInput, losses: ExportLosses) -> list[Json]:
    last_reported = max(valid_usage_starts(export_input), default=-1)
    events = [
        event
        if event.position[0] <= last_reported
        else replace(event, value=without_usage(event.value, NAME))
        for event in read_events(export_input.conversation)
    ]
    events_by_position = {event.position: event for event in events}
    message_positions = {
        position for message in export_input.conversation.messages for position in event_positions(message)
    }
    out = _OpenHandsOutput(OpenHandsEventBuilder(losses), [], any("kind" in event.value for event in events))
    for event in events:
        if event.is_condensation:
            losses.count_left_out("recorded condensation")
        elif event.position not in message_positions:
            out.other_events.append(event)
    _write_leading(out, min(message_positions, default=None))
    pending: dict[EventPosition, Json] = {}
    for piece in export_messages_from_user(export_input, losses):
        positions = _source_positions(piece, events_by_position, message_positions)
        if positions:
            pending |= _source_values(piece, positions, events_by_position, out)
        else:
            _write_pending(out, pending)
            pending = {}
            _add_new_events(out, piece.message)
    _write_pending(out, pending)
    out.events += [event.value for event in out.other_events]
    return out.events if out.is_v1 else writer_v0.with_rising_ids(out.events)


def _write_leading(out: _OpenHandsOutput, first: EventPosition | None) -> None:
    """Write the events before the first message, such as the system prompt."""
    leading = [event for event in out.other_events if first is not None and event.position < first]
    out.other_events = out.other_events[len(leading) :]
    out.events += [event.value for event in leading]


def _source_positions(
    piece: ExportMessage,
    events_by_position: dict[EventPosition, OpenHandsEvent],
    message_positions: set[EventPosition],
) -> list[EventPosition]:
    """Return the places of a piece's events in the source; none for a new message or a recorded summary."""
    positions = event_positions(piece.origin) if piece.origin is not None else ()
    return [
        position for position in positions if position in events_by_position and position in message_positions
    ]


def _source_values(
    piece: ExportMessage,
    positions: Sequence[EventPosition],
    events_by_position: dict[EventPosition, OpenHandsEvent],
    out: _OpenHandsOutput,
) -> dict[EventPosition, Json]:
    values: dict[EventPosition, Json] = {}
    for position in positions:
        value: Json = events_by_position[position].value
        if not piece.is_unchanged:
            first = position == positions[0]
            if out.is_v1:
                value = writer_v1.edited_event(value, piece.message, out.builder.losses, is_first=first)
            else:
                value = writer_v0.edited_event(value, piece.message, is_first=first)
        if value is not None:
            values[position] = value
    return values


def _write_pending(out: _OpenHandsOutput, pending: dict[EventPosition, Json]) -> None:
    """Write consecutive events of the source in file order, with events without a message between them."""
    if not pending:
        return
    last_position = max(pending)
    events_between = {
        event.position: event.value for event in out.other_events if event.position < last_position
    }
    out.other_events = [event for event in out.other_events if event.position > last_position]
    merged = pending | events_between
    for position in sorted(merged):
        value = merged[position]
        out.events.append(value)
        out.builder.time = coerce_text(value.get("timestamp")) or out.builder.time
        if value.get("kind") == "ActionEvent":
            out.builder.call_events[coerce_text(value.get("tool_call_id"))] = coerce_text(value.get("id"))


def _add_new_events(out: _OpenHandsOutput, message: Message) -> None:
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
