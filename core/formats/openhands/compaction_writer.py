"""Appends a condensation to an OpenHands run, as that agent records them.

A condensation names the events that it removes from the model's view and the place of its summary in the
rest. Any strategy's result can be expressed so, except for edits of messages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import text_of
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.source_bytes import read_document
from core.formats.openhands.reader import view_of
from core.formats.openhands.source_events import read_records
from core.formats.openhands.writer_v1 import OpenHandsEventBuilder
from core.formats.writing.base import ExporterOutput, ExportInput, ExportLosses, OutputShape, export_messages
from core.formats.writing.raw_json import dump_lines, rebuild_container
from core.formats.writing.recorded_compaction import (
    boundary_warnings,
    kept_starts,
    kept_summaries,
    lost_summary_warning,
    no_place_error,
    run_of,
    summary_place,
    summary_text,
)
from core.transcript.compaction import Compaction
from core.transcript.model import Source


@dataclass(frozen=True, slots=True)
class _Condensation:
    """The fields of a condensation: ids of events as in the file, the summary and its place."""

    forgotten: list[Json]
    summary: str
    offset: int | None


def with_boundary(given: ExportInput, source: str) -> ExporterOutput:
    """Write the source and the condensation: lines byte for byte, else its list with one event more.

    Raises InputError for another format than ``source`` and for events without ids.
    """
    conversation = given.conversation
    records = read_records(conversation) if given.comes_from(source) else ()
    values = [record.value for record in records if isinstance(record.value, dict)]
    if not values or len(values) != len(records) or not all("id" in value for value in values):
        raise no_place_error(given, "a run of OpenHands whose events have ids")
    lines = conversation.layout.get("container") == "jsonl"
    shape = OutputShape.LINES if lines else OutputShape.JSON
    data = read_document(conversation.document)
    compaction = run_of(given)
    if compaction is None:
        return ExporterOutput(data, shape, ("Nothing was compacted, so no condensation was appended.",))
    event = _event(values, _condensation(given, compaction, records))
    lost = (lost_summary_warning("OpenHands"),) if summary_text(compaction) and kept_summaries(given) else ()
    notes = (*boundary_warnings(given), *lost)
    if lines and "line" not in conversation.layout:
        end = b"" if not data or data.endswith(b"\n") else b"\n"
        return ExporterOutput(data + end + dump_lines((event,)), shape, notes)
    bare = replace(conversation, layout={**conversation.layout, "system": ()})
    return ExporterOutput(rebuild_container(bare, [*values, event])[0], shape, notes)


def _condensation(given: ExportInput, compaction: Compaction, records: Sequence[JsonRecord]) -> _Condensation:
    """Return the condensation that forgets what the compaction removed; the system prompt stays."""
    of_messages = {source.start for message in given.conversation.messages for source in message.sources}
    kept = kept_starts(given)
    places = [(record.value, Source(record.line, record.start, record.end)) for record in records]
    ids = {source.start: value["id"] for value, source in places}
    forgotten: list[Json] = []
    remaining: list[int] = []
    for id_, source in view_of(places):
        if source is None:
            forgotten.append(id_)
        elif source.start in of_messages and source.start not in kept:
            forgotten.append(ids[source.start])
        else:
            remaining.append(source.start)
    text = summary_text(compaction)
    offset = _offset(given, compaction, remaining, of_messages) if text else None
    return _Condensation(forgotten, text, offset)


def _offset(
    given: ExportInput, compaction: Compaction, remaining: Sequence[int], of_messages: Collection[int]
) -> int:
    place = max(0, summary_place(compaction))
    before = [piece.origin for piece in export_messages(given)[:place] if piece.origin is not None]
    starts = {source.start for message in before for source in message.sources}
    last = max((at for at, start in enumerate(remaining) if start in starts), default=-1)
    if last >= 0:
        return last + 1
    return next((at for at, start in enumerate(remaining) if start in of_messages), len(remaining))


def _event(values: Sequence[Mapping[str, Json]], record: _Condensation) -> Mapping[str, Json]:
    """Return the event in the form of its version, with a reproducible id."""
    time = next((time_ for value in reversed(values) if (time_ := text_of(value.get("timestamp")))), "")
    own: dict[str, Json] = {"forgotten_event_ids": record.forgotten}
    own |= {"summary": record.summary or None, "summary_offset": record.offset}
    if any("kind" in value for value in values):
        return OpenHandsEventBuilder(ExportLosses("OpenHands"), time).event(
            "Condensation", "environment", own
        )
    numbers = [value["id"] for value in values if isinstance(value["id"], int)]
    head = {"id": max(numbers, default=-1) + 1, "timestamp": time, "source": "agent", "message": ""}
    return {**head, "action": "condensation", "args": own}
