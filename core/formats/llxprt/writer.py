"""Writes llxprt history entries (IContent), or the source's own recording with the new history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.common.json_value import Json
from core.common.timestamps import to_milliseconds
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.source_bytes import read_document
from core.formats.llxprt.block_writer import block_json
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    ExportOptions,
    OutputShape,
    export_messages,
)
from core.formats.writing.plain_text import own_fields
from core.formats.writing.raw_json import dump_json, dump_lines, rebuild_container, record_json
from core.formats.writing.same_format import source_lines, unchanged_source
from core.formats.writing.unsupported_content import ExtraContent, leave_out_extra
from core.transcript.model import Message, Speaker
from core.transcript.provenance import FIELD

NAME = "llxprt"
_SPEAKERS = {Speaker.HUMAN: "human", Speaker.AI: "ai", Speaker.TOOL: "tool"}
_HISTORY = ("content", "compressed", "rewind")


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write a JSON list of entries, or the source's own container or recording with new entries."""
    losses = ExportLosses("llxprt")
    same = given.comes_from(NAME)
    if (whole := unchanged_source(given, NAME)) is not None:
        return whole
    shape = source_lines(given, NAME)
    if same and given.conversation.layout.get("opens_with"):
        return ExporterOutput(_recording(given, losses), OutputShape.LINES, losses.sentences())
    entries = [entry for _, entry in _entries(given, losses)]
    if same:
        return ExporterOutput(rebuild_container(given.conversation, entries)[0], shape, losses.sentences())
    leave_out_extra(given, losses, ExtraContent.TIMES, ExtraContent.CALL_IDS, fields=(FIELD,))
    return ExporterOutput(dump_json(entries, pretty=True) + b"\n", shape, losses.sentences())


def _entries(given: ExportInput, losses: ExportLosses) -> Iterator[tuple[ExportMessage, Json]]:
    same = given.comes_from(NAME)
    data = read_document(given.conversation.document) if same else b""
    for piece in export_messages(given):
        if same and piece.unchanged and piece.record and not given.conversation.layout.get("opens_with"):
            yield piece, record_json(data, *piece.record, given.conversation.document.name)
        else:
            yield piece, _entry(piece.message, same and piece.origin is not None, losses)


def _entry(message: Message, own: bool, losses: ExportLosses) -> dict[str, Json]:
    values = (block_json(block, same=own, losses=losses) for block in message.blocks)
    blocks = [block for block in values if block is not None]
    speaker = _SPEAKERS.get(message.speaker)
    value: dict[str, Json] = {"speaker": speaker or "human", "blocks": blocks}
    if own:
        if speaker is None:
            del value["speaker"]
        return {**value, **own_fields(message.extra)}
    if speaker is None:
        losses.change(f"{message.speaker.value} message as human")
    metadata: dict[str, Json] = {"id": message.id} if message.id else {}
    if (time := to_milliseconds(message.timestamp)) is not None:
        metadata["timestamp"] = time
    provenance = {FIELD: message.extra[FIELD]} if FIELD in message.extra else {}
    return {**value, **({"metadata": metadata} if metadata else {}), **provenance}


def _recording(given: ExportInput, losses: ExportLosses) -> bytes:
    """Return the recording's other lines and one content line per entry, renumbered.

    Compressions and rewinds are left out: the lines hold their result.
    """
    data = read_document(given.conversation.document)
    records = _records(data)
    head = [value for _, value in records if value.get("type") not in _HISTORY]
    by_start = dict(records)
    last = head[-1].get("ts") if head else None
    lines: list[dict[str, Json]] = [*head]
    for piece, entry in _entries(given, losses):
        raw = by_start.get(piece.record[0]) if piece.record else None
        if raw is not None and raw.get("type") == "content":
            own = raw if piece.unchanged else {**raw, "payload": {**raw["payload"], "content": entry}}
            last = raw.get("ts", last)
        else:
            own = {"v": 1, "seq": 0, "ts": last, "type": "content", "payload": {"content": entry}}
        lines.append(own)
    return dump_lines({**line, "seq": number} for number, line in enumerate(lines, 1))


def _records(data: bytes) -> Sequence[tuple[int, dict[str, Json]]]:
    events: list[tuple[int, dict[str, Json]]] = []
    start = 0
    for line in data.split(b"\n"):
        body = line.strip()
        value = parse_bytes(body).value if body else None
        if isinstance(value, dict):
            events.append((start + line.index(body), value))
        start += len(line) + 1
    return events


EXPORTER = Exporter(
    NAME,
    (),
    "llxprt JSON",
    ".json",
    "History entries of llxprt-code (speaker and blocks), or its recording where the source is one.",
    write,
    has_provenance=True,
)
