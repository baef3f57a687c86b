"""Writes OpenHands events: the source's own list with surviving and new events, or a new JSONL.

A compacted list has no recorded condensations, because it holds their result. Events without a message
(state updates) stay where they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.message_lists import source_records
from core.formats.common.source_bytes import read_document
from core.formats.openhands import writer_v0, writer_v1
from core.formats.openhands.compaction_writer import with_boundary
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
from core.transcript.model import Conversation, Message

NAME = "openhands"


_EventPosition: TypeAlias = tuple[int, int]
"""The place of an event: the first byte of its record, and its number in a record that is a pair."""
_CONDENSATIONS = ("Condensation", "CondensationRequest", "condensation", "condensation_request")


@dataclass(slots=True)
class _OpenHandsOutput:
    """The events written so far; ``other_events`` are events without a message that are still to come."""

    builder: OpenHandsEventBuilder
    is_v1: bool
    other_events: dict[_EventPosition, dict[str, Json]] = field(default_factory=dict)
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
    events = {
        position: value if position[0] <= last_reported else without_usage(value, NAME)
        for position, value in _read_events(export_input.conversation)
    }
    messages = export_input.conversation.messages
    of_messages = {position for message in messages for position in _event_positions(message)}
    out = _OpenHandsOutput(OpenHandsEventBuilder(losses), any("kind" in value for value in events.values()))
    for position, value in events.items():
        if (value.get("kind") or value.get("action")) in _CONDENSATIONS:
            losses.count_left_out("recorded condensation")
        elif position not in of_messages:
            out.other_events[position] = value
    _write_events(out, {}, min(of_messages, default=(0, 0)))
    pending: dict[_EventPosition, Json] = {}
    for piece in export_messages_from_user(export_input, losses):
        positions = _event_positions(piece.origin) if piece.origin is not None else ()
        if of_messages.issuperset(positions) and positions:
            values = {position: events[position] for position in positions}
            pending |= values if piece.is_unchanged else _edited_events(piece, values, out)
        else:
            _write_events(out, pending, max(pending, default=(0, 0)))
            pending = {}
            _add_new_events(out, piece.message)
    _write_events(out, pending, max(pending, default=(0, 0)))
    out.events += out.other_events.values()
    return out.events if out.is_v1 else writer_v0.with_rising_ids(out.events)


def _read_events(conversation: Conversation) -> Iterator[tuple[_EventPosition, dict[str, Json]]]:
    """Yield all events of the conversation's list, in file order; InputError if the file changed."""
    for record in source_records(conversation):
        values = record.value if isinstance(record.value, list) else [record.value]
        yield from (((record.start, n), value) for n, value in enumerate(values) if isinstance(value, dict))


def _event_positions(message: Message) -> tuple[_EventPosition, ...]:
    return tuple((source.start, source.part) for source in message.sources)


def _edited_events(
    piece: ExportMessage, values: Mapping[_EventPosition, dict[str, Json]], out: _OpenHandsOutput
) -> dict[_EventPosition, Json]:
    """Return the events of a message after its edit; those of which nothing is left are missing."""
    edited: dict[_EventPosition, Json] = {}
    for number, (position, value) in enumerate(values.items()):
        if out.is_v1:
            new = writer_v1.edited_event(value, piece.message, out.builder.losses, is_first=number == 0)
        else:
            new = writer_v0.edited_event(value, piece.message, is_first=number == 0)
        if new is not None:
            edited[position] = new
    return edited


def _write_events(out: _OpenHandsOutput, pending: Mapping[_EventPosition, Json], end: _EventPosition) -> None:
    """Write events of the source in file order, with the events without a message before ``end``."""
    between = {position: value for position, value in out.other_events.items() if position < end}
    out.other_events = {position: v for position, v in out.other_events.items() if position not in between}
    for _, value in sorted({**pending, **between}.items(), key=itemgetter(0)):
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
