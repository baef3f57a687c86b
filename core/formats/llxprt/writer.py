"""Writes llxprt history entries (IContent), or the source's own recording with the new history."""

from __future__ import annotations

from collections.abc import Iterator

from core.common.json_value import Json
from core.common.number_format import to_milliseconds
from core.formats.common.message_lists import source_records
from core.formats.llxprt.reader import SPEAKERS, block_json
from core.formats.writing.base import ExporterOutput, OutputShape
from core.formats.writing.export_messages import (
    ExportInput,
    ExportLosses,
    ExportMessage,
)
from core.formats.writing.plain_text import dump_lines, fields_without_notes
from core.formats.writing.raw_json import (
    json_file,
    pieces_with_records,
    rebuild_container,
    source_shape,
    transcript_exporter,
)
from core.transcript.model import Message
from core.transcript.provenance import FIELD

NAME = "llxprt"
_SPEAKERS = {speaker: name for name, speaker in SPEAKERS.items()}
_HISTORY_TYPES = ("content", "compressed", "rewind")


def _edited(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    if export_input.conversation.layout.get("opens_with"):
        return ExporterOutput(_recording(export_input, losses), OutputShape.LINES)
    entries = [entry for _, entry in _entries(export_input, losses)]
    data = rebuild_container(export_input.conversation, entries)[0]
    return ExporterOutput(data, source_shape(export_input, NAME))


def _new(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    entries = [entry for _, entry in _entries(export_input, losses)]
    return json_file(entries)


def _entries(
    export_input: ExportInput, losses: ExportLosses
) -> Iterator[tuple[ExportMessage, Json]]:
    same_format = export_input.is_from_format(NAME)
    is_recording = export_input.conversation.layout.get("opens_with")
    for piece, record in pieces_with_records(export_input, NAME):
        if same_format and piece.record and piece.is_unchanged and not is_recording:
            yield piece, record
        else:
            yield (
                piece,
                _entry(piece.message, same_format and piece.origin is not None, losses),
            )


def _entry(
    message: Message, same_format: bool, losses: ExportLosses
) -> dict[str, Json]:
    values = (
        block_json(block, same_format=same_format, losses=losses)
        for block in message.blocks
    )
    blocks = [block for block in values if block is not None]
    speaker = _SPEAKERS.get(message.speaker)
    if same_format:
        named = {"speaker": speaker} if speaker else {}
        return {**named, "blocks": blocks, **fields_without_notes(message.extra)}
    if speaker is None:
        losses.count_changed(f"{message.speaker.value} message as human")
    value: dict[str, Json] = {"speaker": speaker or "human", "blocks": blocks}
    if metadata := _metadata(message):
        value["metadata"] = metadata
    if FIELD in message.extra:
        value[FIELD] = message.extra[FIELD]
    return value


def _metadata(message: Message) -> dict[str, Json]:
    time = to_milliseconds(message.timestamp)
    known = {"id": message.id or None, "timestamp": time}
    return {name: value for name, value in known.items() if value is not None}


def _recording(export_input: ExportInput, losses: ExportLosses) -> bytes:
    """Return the recording's other lines and one content line per entry, renumbered.

    Compressions and rewinds are left out: the lines hold their result.
    """
    records = source_records(export_input.conversation)
    by_start = {
        record.start: record.value
        for record in records
        if isinstance(record.value, dict)
    }
    lines = [
        value for value in by_start.values() if value.get("type") not in _HISTORY_TYPES
    ]
    if lines:
        last_time = lines[-1].get("ts")
    else:
        last_time = None
    for piece, entry in _entries(export_input, losses):
        if piece.record:
            raw = by_start.get(piece.record[0], {})
        else:
            raw = {}
        if raw.get("type") != "content":
            raw = {"v": 1, "seq": 0, "ts": last_time, "type": "content", "payload": {}}
        elif piece.is_unchanged:
            entry = raw["payload"]["content"]
        last_time = raw.get("ts", last_time)
        lines.append({**raw, "payload": {**raw["payload"], "content": entry}})
    return dump_lines({**line, "seq": number} for number, line in enumerate(lines, 1))


EXPORTER = transcript_exporter(
    (NAME,),
    "llxprt JSON",
    ".json",
    (
        "History entries of llxprt-code (speaker and blocks), or its recording where the source "
        "is one."
    ),
    new=_new,
    edited=_edited,
    kept_fields=(FIELD,),
    target="llxprt",
    has_provenance=True,
    carries_sizes=True,
)
