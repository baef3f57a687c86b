"""An OpenHands run with one more condensation at its end, as that agent records them.

A condensation names the events that it takes out of the model's view, and the place in what is left
where its summary stands: the result of any strategy can be told so, edits of messages aside.
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
class _CondensationRecord:
    """What a condensation says: ids of events as the file has them, the summary and its place."""

    forgotten: list[Json]
    summary: str
    offset: int | None


def with_boundary(given: ExportInput, source: str) -> ExporterOutput:
    """The source and the condensation: lines byte for byte, else its list with one event more.

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
    event = _event(values, _folding(given, compaction, records))
    goes = (lost_summary_warning("OpenHands"),) if summary_text(compaction) and kept_summaries(given) else ()
    said = (*boundary_warnings(given), *goes)
    if lines and "line" not in conversation.layout:
        end = b"" if not data or data.endswith(b"\n") else b"\n"
        return ExporterOutput(data + end + dump_lines((event,)), shape, said)
    bare = replace(conversation, layout={**conversation.layout, "system": ()})
    return ExporterOutput(rebuild_container(bare, [*values, event])[0], shape, said)


def _folding(
    given: ExportInput, compaction: Compaction, records: Sequence[JsonRecord]
) -> _CondensationRecord:
    """Everything of the model's view that the compaction did not keep is forgotten, but the system prompt."""
    said = {source.start for message in given.conversation.messages for source in message.sources}
    kept = kept_starts(given)
    places = [(one.value, Source(one.line, one.start, one.end)) for one in records]
    ids = {source.start: value["id"] for value, source in places}
    forgotten: list[Json] = []
    left: list[int] = []
    for id_, source in view_of(places):
        if source is None:
            forgotten.append(id_)
        elif source.start in said and source.start not in kept:
            forgotten.append(ids[source.start])
        else:
            left.append(source.start)
    text = summary_text(compaction)
    return _CondensationRecord(forgotten, text, _offset(given, compaction, left, said) if text else None)


def _offset(given: ExportInput, compaction: Compaction, left: Sequence[int], said: Collection[int]) -> int:
    """How many events of what is left stand before the summary: those of the messages before it in the
    result, and whatever of the view precedes them."""
    place = max(0, summary_place(compaction))
    before = [piece.origin for piece in export_messages(given)[:place] if piece.origin is not None]
    starts = {source.start for message in before for source in message.sources}
    last = max((at for at, start in enumerate(left) if start in starts), default=-1)
    if last >= 0:
        return last + 1
    return next((at for at, start in enumerate(left) if start in said), len(left))


def _event(values: Sequence[Mapping[str, Json]], folding: _CondensationRecord) -> Mapping[str, Json]:
    """The event in the words of its version, with an id that is the same each time."""
    time = next((one for value in reversed(values) if (one := text_of(value.get("timestamp")))), "")
    own: dict[str, Json] = {"forgotten_event_ids": folding.forgotten}
    own |= {"summary": folding.summary or None, "summary_offset": folding.offset}
    if any("kind" in value for value in values):
        return OpenHandsEventBuilder(ExportLosses("OpenHands"), time).event(
            "Condensation", "environment", own
        )
    numbers = [value["id"] for value in values if isinstance(value["id"], int)]
    head = {"id": max(numbers, default=-1) + 1, "timestamp": time, "source": "agent", "message": ""}
    return {**head, "action": "condensation", "args": own}
