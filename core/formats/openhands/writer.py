"""Writes OpenHands events: the source's own list with surviving and new events, or a new JSONL.

A compacted list has no recorded condensations, because it holds their result. Events without a
message (state updates) stay where they were. A condensation at the end names the events that it
removes from the model's view and the place of its summary in the rest; it can hold any strategy's
result but edits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.common.json_access import coerce_text
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import source_records
from core.formats.common.messages import ImportNotes
from core.formats.openhands.event_writer import (
    OpenHandsEventBuilder,
    edited_event,
    v0_message_event,
)
from core.formats.openhands.events import event_name
from core.formats.openhands.reader import OpenHandsReplay, event_values, is_summary
from core.formats.writing.base import ExporterOutput, OutputShape
from core.formats.writing.export_messages import (
    ExportInput,
    ExportLosses,
    ExportMessage,
    export_messages,
    export_messages_from_user,
    record_starts,
)
from core.formats.writing.plain_text import dump_lines
from core.formats.writing.raw_json import rebuild_container, source_shape, transcript_exporter
from core.formats.writing.recorded_compaction import (
    append_records,
    applied_compaction,
    boundary_warnings,
    cannot_append_error,
    kept_record_starts,
    kept_summary_starts,
    lost_summary_warning,
    summary_index,
    summary_text,
    valid_usage_starts,
    without_usage,
)
from core.transcript.compaction import Compaction
from core.transcript.model import Message

NAME = "openhands"
_CONDENSATIONS = ("Condensation", "CondensationRequest", "condensation", "condensation_request")
_STATE_EVENTS = ("null", "agent_state_changed", "recall")
_EventPosition: TypeAlias = tuple[int, int]
"""The place of an event: the first byte of its record, and its number in a record that is a
pair."""


@dataclass(slots=True)
class _OpenHandsOutput:
    """The events written so far; ``other_events`` are events without a message that are still to
    come."""

    builder: OpenHandsEventBuilder
    is_v1: bool
    other_events: dict[_EventPosition, dict[str, Json]] = field(default_factory=dict)
    events: list[dict[str, Json]] = field(default_factory=list)


def _edited(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    data = _rebuilt(export_input, _source_events(export_input, losses))
    return ExporterOutput(data, source_shape(export_input, NAME))


def _rebuilt(export_input: ExportInput, events: Sequence[Json]) -> bytes:
    conversation = export_input.conversation
    layout = {**conversation.layout, "system": ()}
    return rebuild_container(replace(conversation, layout=layout), events)[0]


def _new_file(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    system, builder = export_input.conversation.system, OpenHandsEventBuilder(losses)
    events: list[Json] = []
    if system.texts or system.tools:
        events.append(builder.system_event(system.texts, system.tools))
    for piece in export_messages_from_user(export_input, losses):
        events += builder.message_events(piece.message)
    return ExporterOutput(dump_lines(events), OutputShape.LINES)


def _source_events(export_input: ExportInput, losses: ExportLosses) -> list[dict[str, Json]]:
    conversation = export_input.conversation
    last_reported = max(valid_usage_starts(export_input), default=-1)
    events = {
        (source.start, source.part): value
        if source.start <= last_reported
        else without_usage(value, NAME)
        for value, source in event_values(source_records(conversation))
        if isinstance(value, dict)
    }
    of_messages = {
        position for message in conversation.messages for position in _event_positions(message)
    }
    out = _OpenHandsOutput(
        OpenHandsEventBuilder(losses), any("kind" in value for value in events.values())
    )
    for position, value in events.items():
        if event_name(value) in _CONDENSATIONS:
            losses.count_left_out("recorded condensation")
        elif position not in of_messages:
            out.other_events[position] = value
    _write_events(out, {}, min(of_messages, default=(0, 0)))
    pending: dict[_EventPosition, dict[str, Json]] = {}
    for piece in export_messages_from_user(export_input, losses):
        positions = _event_positions(piece.origin) if piece.origin is not None else ()
        if of_messages.issuperset(positions) and positions:
            values = {position: events[position] for position in positions}
            pending |= values if piece.is_unchanged else _edited_events(piece, values, out)
            continue
        _write_events(out, pending, max(pending, default=(0, 0)))
        pending = {}
        if out.is_v1:
            out.events += out.builder.message_events(piece.message)
        else:
            out.events.append(v0_message_event(piece.message, out.builder.time, losses))
    _write_events(out, pending, max(pending, default=(0, 0)))
    out.events += out.other_events.values()
    return out.events if out.is_v1 else _with_rising_ids(out.events)


def _with_rising_ids(events: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
    """Return the events of version 0 with rising ids: an id stays if possible, new events get the
    next, causes follow. States without their cause are left out; files without ids get none."""
    if not any("id" in event for event in events):
        return list(events)
    new_ids: dict[str, int] = {}
    last_id = -1
    renumbered: list[dict[str, Json]] = []
    for event in events:
        cause = event.get("cause")
        new_cause = new_ids.get(coerce_text(cause))
        if cause is not None and new_cause is None and event.get("observation") in _STATE_EVENTS:
            continue
        old_id = event.get("id")
        last_id = old_id if isinstance(old_id, int) and old_id > last_id else last_id + 1
        if isinstance(old_id, int):
            new_ids[coerce_text(old_id)] = last_id
        cause_field = {} if cause is None else {"cause": new_cause}
        renumbered.append({"id": last_id} | event | {"id": last_id, **cause_field})
    return renumbered


def _event_positions(message: Message) -> tuple[_EventPosition, ...]:
    return tuple((source.start, source.part) for source in message.sources)


def _edited_events(
    piece: ExportMessage, values: Mapping[_EventPosition, dict[str, Json]], out: _OpenHandsOutput
) -> dict[_EventPosition, dict[str, Json]]:
    first, losses = next(iter(values)), out.builder.losses
    edited = {
        position: edited_event(
            value, piece.message, losses, is_v1=out.is_v1, is_first=position == first
        )
        for position, value in values.items()
    }
    return {position: value for position, value in edited.items() if value is not None}


def _write_events(
    out: _OpenHandsOutput, pending: Mapping[_EventPosition, dict[str, Json]], end: _EventPosition
) -> None:
    """Write events of the source in file order, with the events without a message before
    ``end``."""
    between = {position: value for position, value in out.other_events.items() if position < end}
    out.other_events = {
        position: v for position, v in out.other_events.items() if position not in between
    }
    for _, value in sorted({**pending, **between}.items(), key=itemgetter(0)):
        out.events.append(value)
        out.builder.time = coerce_text(value.get("timestamp")) or out.builder.time
        if value.get("kind") == "ActionEvent":
            out.builder.call_events[coerce_text(value.get("tool_call_id"))] = coerce_text(
                value.get("id")
            )


def _with_boundary(export_input: ExportInput) -> ExporterOutput:
    """Write the source and the condensation: lines byte for byte, else its list with one event
    more.

    Raises InputError for another format and for events without ids.
    """
    conversation = export_input.conversation
    records = source_records(conversation) if export_input.is_from_format(NAME) else ()
    if not records or not all(
        isinstance(record.value, dict) and "id" in record.value for record in records
    ):
        raise cannot_append_error(export_input, "a run of OpenHands whose events have ids")

    def condensation(
        export_input: ExportInput, compaction: Compaction
    ) -> tuple[Sequence[Json], Sequence[str]]:
        event = _condensation_event(
            records, _condensation_fields(export_input, compaction, records)
        )
        is_lost = summary_text(compaction) and kept_summary_starts(export_input)
        lost_warnings = (lost_summary_warning("OpenHands"),) if is_lost else ()
        return (event,), (*boundary_warnings(export_input), *lost_warnings)

    compaction, shape = applied_compaction(export_input), source_shape(export_input, NAME)
    if compaction is None or (shape is OutputShape.LINES and "line" not in conversation.layout):
        return replace(append_records(export_input, "condensation", condensation), shape=shape)
    events, warnings = condensation(export_input, compaction)
    values = [record.value for record in records]
    return ExporterOutput(_rebuilt(export_input, [*values, *events]), shape, tuple(warnings))


def _condensation_fields(
    export_input: ExportInput, compaction: Compaction, records: Sequence[JsonRecord]
) -> dict[str, Json]:
    """Return the condensation that forgets what the compaction removed; the system prompt stays."""
    of_messages = record_starts(export_input.conversation.messages)
    kept, replay = kept_record_starts(export_input), OpenHandsReplay(notes=ImportNotes())
    for record in records:
        replay.add(record.value, record.source())
    ids = {record.start: record.value["id"] for record in records}
    forgotten: list[Json] = []
    remaining: list[int] = []
    for entry in replay.view:
        start = entry.message.sources[0].start
        if is_summary(entry):
            forgotten.append(entry.message.id)
        elif start in of_messages and start not in kept:
            forgotten.append(ids[start])
        else:
            remaining.append(start)
    text, offset = summary_text(compaction), None
    if text:
        first_index = max(0, summary_index(compaction))
        pieces = export_messages(export_input)[:first_index]
        starts = record_starts(piece.origin for piece in pieces if piece.origin)
        first = next(
            (index for index, at in enumerate(remaining) if at in of_messages), len(remaining)
        )
        offset = max(
            (index + 1 for index, at in enumerate(remaining) if at in starts), default=first
        )
    return {"forgotten_event_ids": forgotten, "summary": text or None, "summary_offset": offset}


def _condensation_event(
    records: Sequence[JsonRecord], fields: Mapping[str, Json]
) -> Mapping[str, Json]:
    values = [record.value for record in records]
    times = (coerce_text(value.get("timestamp")) for value in reversed(values))
    time = next(filter(None, times), "")
    if any("kind" in value for value in values):
        builder = OpenHandsEventBuilder(ExportLosses("OpenHands"), time)
        return builder.event("Condensation", "environment", fields)
    numbers = [value["id"] for value in values if isinstance(value["id"], int)]
    common_fields = {
        "id": max(numbers, default=-1) + 1,
        "timestamp": time,
        "source": "agent",
        "message": "",
    }
    return {**common_fields, "action": "condensation", "args": fields}


EXPORTER = transcript_exporter(
    (NAME,),
    "OpenHands",
    ".jsonl",
    "Events of OpenHands: the surviving ones as they were, with message events for what is new.",
    new=_new_file,
    edited=_edited,
    append=_with_boundary,
)
