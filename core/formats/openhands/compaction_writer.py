"""Appends a condensation to an OpenHands run, as that agent records them.

A condensation names the events that it removes from the model's view and the place of its summary in the
rest. Any strategy's result can be expressed so, except for edits of messages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.message_lists import source_records
from core.formats.common.source_bytes import read_document
from core.formats.openhands.reader import final_view
from core.formats.openhands.writer_v1 import OpenHandsEventBuilder
from core.formats.writing.base import ExporterOutput, ExportInput, ExportLosses, OutputShape, export_messages
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
from core.transcript.compaction import Compaction


@dataclass(frozen=True, slots=True)
class _Condensation:
    """The fields of a condensation: ids of events as in the file, the summary and its place."""

    forgotten: list[Json]
    summary: str
    offset: int | None


def with_boundary(export_input: ExportInput, format_name: str) -> ExporterOutput:
    """Write the source and the condensation: lines byte for byte, else its list with one event more.

    Raises InputError for another format than ``format_name`` and for events without ids.
    """
    conversation = export_input.conversation
    records = source_records(conversation) if export_input.is_from_format(format_name) else ()
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
