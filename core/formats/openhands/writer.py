"""Writes OpenHands events: the source's own list with surviving and new events, or a new JSONL.

A compacted list has no recorded condensations, because it holds their result. Events without a message
(state updates) stay where they were. A condensation at the end names the events that it removes from the
model's view and the place of its summary in the rest; it can hold any strategy's result but edits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import source_records
from core.formats.common.open_document import read_document
from core.formats.openhands import writer_v0, writer_v1
from core.formats.openhands.reader import final_view
from core.formats.openhands.writer_v1 import OpenHandsEventBuilder
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    ExportOptions,
    OutputShape,
    export_messages,
    export_messages_from_user,
)
from core.formats.writing.raw_json import dump_lines, rebuild_container
from core.formats.writing.recorded_compaction import (
    applied_compaction,
    boundary_warnings,
    cannot_append_error,
    kept_record_starts,
    kept_summary_starts,
    lost_summary_warning,
    summary_index,
    summary_text,
)
from core.formats.writing.reported_sizes import valid_usage_starts, without_usage
from core.formats.writing.unsupported_content import ExtraContent, count_extra_losses
from core.transcript.compaction import Compaction
from core.transcript.model import Conversation, Message


@dataclass(frozen=True, slots=True)
class _Condensation:
    """The fields of a condensation: ids of events as in the file, the summary and its place."""

    forgotten: list[Json]
    summary: str
    offset: int | None


def _with_boundary(export_input: ExportInput) -> ExporterOutput:
    """Write the source and the condensation: lines byte for byte, else its list with one event more.

    Raises InputError for another format and for events without ids.
    """
    conversation = export_input.conversation
    records = source_records(conversation) if export_input.is_from_format(NAME) else ()
    values = [record.value for record in records if isinstance(record.value, dict)]
    if not values or len(values) != len(records) or not all("id" in value for value in values):
        raise cannot_append_error(export_input, "a run of OpenHands whose events have ids")
    lines = conversation.layout.get("container") == "jsonl"
    shape = OutputShape.LINES if lines else OutputShape.JSON
    data = read_document(conversation.document)
    compaction = applied_compaction(export_input)
    if compaction is None:
        return ExporterOutput(data, shape, ("Nothing was compacted, so no condensation was appended.",))
    event = _event(values, _condensation(export_input, compaction, records))
    lost_warnings = (
        (lost_summary_warning("OpenHands"),)
        if summary_text(compaction) and kept_summary_starts(export_input)
        else ()
    )
    notes = (*boundary_warnings(export_input), *lost_warnings)
    if lines and "line" not in conversation.layout:
        newline = b"" if not data or data.endswith(b"\n") else b"\n"
        return ExporterOutput(data + newline + dump_lines((event,)), shape, notes)
    without_system = replace(conversation, layout={**conversation.layout, "system": ()})
    return ExporterOutput(rebuild_container(without_system, [*values, event])[0], shape, notes)


def _condensation(
    export_input: ExportInput, compaction: Compaction, records: Sequence[JsonRecord]
) -> _Condensation:
    """Return the condensation that forgets what the compaction removed; the system prompt stays."""
    message_starts = {
        source.start for message in export_input.conversation.messages for source in message.sources
    }
    kept = kept_record_starts(export_input)
    values_and_sources = [(record.value, record.source()) for record in records]
    ids = {source.start: value["id"] for value, source in values_and_sources}
    forgotten: list[Json] = []
    remaining: list[int] = []
    for id_, source in final_view(values_and_sources):
        if source is None:
            forgotten.append(id_)
        elif source.start in message_starts and source.start not in kept:
            forgotten.append(ids[source.start])
        else:
            remaining.append(source.start)
    text = summary_text(compaction)
    offset = _summary_offset(export_input, compaction, remaining, message_starts) if text else None
    return _Condensation(forgotten, text, offset)


def _summary_offset(
    export_input: ExportInput,
    compaction: Compaction,
    remaining: Sequence[int],
    message_starts: Collection[int],
) -> int:
    first_index = max(0, summary_index(compaction))
    earlier_origins = [
        piece.origin for piece in export_messages(export_input)[:first_index] if piece.origin is not None
    ]
    starts = {source.start for message in earlier_origins for source in message.sources}
    last = max((index for index, start in enumerate(remaining) if start in starts), default=-1)
    if last >= 0:
        return last + 1
    return next((index for index, start in enumerate(remaining) if start in message_starts), len(remaining))


def _event(values: Sequence[Mapping[str, Json]], condensation: _Condensation) -> Mapping[str, Json]:
    """Return the event in the form of its version, with a reproducible id."""
    time = next((time_ for value in reversed(values) if (time_ := coerce_text(value.get("timestamp")))), "")
    fields: dict[str, Json] = {"forgotten_event_ids": condensation.forgotten}
    fields |= {"summary": condensation.summary or None, "summary_offset": condensation.offset}
    if any("kind" in value for value in values):
        return OpenHandsEventBuilder(ExportLosses("OpenHands"), time).event(
            "Condensation", "environment", fields
        )
    numbers = [value["id"] for value in values if isinstance(value["id"], int)]
    common_fields = {"id": max(numbers, default=-1) + 1, "timestamp": time, "source": "agent", "message": ""}
    return {**common_fields, "action": "condensation", "args": fields}


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
        return _with_boundary(export_input)
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
