"""Writes llxprt history entries (IContent), or the source's own recording with the new history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.common.json_value import MISSING, Json
from core.common.timestamps import to_milliseconds
from core.formats.common.message_lists import source_records
from core.formats.common.open_document import read_document
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
from core.formats.writing.plain_text import fields_without_notes, split_data_url
from core.formats.writing.raw_json import dump_lines, json_output, record_json, unchanged_output
from core.formats.writing.unsupported_content import ExtraContent, count_extra_losses
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.provenance import FIELD


def block_json(block: Block, *, same_format: bool, losses: ExportLosses) -> Json | None:
    """Return one block, None if llxprt has no such block; ``same_format``: it came from llxprt."""
    match block:
        case Text():
            return _block("text", {"text": block.text}, block.extra, same_format)
        case ToolCall():
            fields = {"id": block.id, "name": block.name, "parameters": block.arguments}
            return _block("tool_call", fields, block.extra, same_format)
        case ToolResponse():
            return _response(block, same_format)
        case Thinking():
            return _thinking(block, same_format)
        case Code():
            fields = {"code": block.code, **({"language": block.language} if block.language else {})}
            return _block("code", fields, block.extra, same_format)
        case Media():
            return _media(block, same_format)
        case Opaque():
            if same_format:
                return block.raw
            losses.count_left_out(block.kind or "unknown block")
            return None


def _block(kind: str, fields: Mapping[str, Json], extra: Mapping[str, Json], same_format: bool) -> Json:
    value = {"type": kind} | {key: field for key, field in fields.items() if field is not MISSING}
    return {**value, **fields_without_notes(extra)} if same_format else value


def _response(block: ToolResponse, same_format: bool) -> Json:
    error = block.error
    fields = {"callId": block.call_id, "toolName": block.name, "result": block.result, "error": error}
    if not same_format and error is not MISSING and not isinstance(error, str):
        fields["error"] = "" if error is None else str(error)
    return _block("tool_response", fields, block.extra, same_format)


def _thinking(block: Thinking, same_format: bool) -> Json:
    fields: dict[str, Json] = {"thought": block.text}
    if not same_format:
        if block.extra.get("signature"):
            fields |= {"signature": block.extra["signature"], "sourceField": "thinking"}
        elif block.extra.get("$field"):
            fields["sourceField"] = "reasoning_content"
    return _block("thinking", fields, block.extra, same_format)


def _media(block: Media, same_format: bool) -> Json:
    if same_format:
        fields: dict[str, Json] = {"mimeType": block.mime, "data": block.data}
    else:
        mime, data = split_data_url(block.mime, block.data)
        is_url = data.startswith(("http://", "https://", "data:"))
        fields = {"mimeType": mime or "image/png", "data": data, "encoding": "url" if is_url else "base64"}
    if block.caption:
        fields["caption"] = block.caption
    return _block("media", fields, block.extra, same_format)


NAME = "llxprt"
_SPEAKERS = {Speaker.HUMAN: "human", Speaker.AI: "ai", Speaker.TOOL: "tool"}
_HISTORY_TYPES = ("content", "compressed", "rewind")


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write a JSON list of entries, or the source's own container or recording with new entries."""
    losses = ExportLosses("llxprt")
    if (unchanged := unchanged_output(export_input, NAME)) is not None:
        return unchanged
    if export_input.is_from_format(NAME) and export_input.conversation.layout.get("opens_with"):
        return ExporterOutput(_recording(export_input, losses), OutputShape.LINES, losses.warnings())
    entries = [entry for _, entry in _entries(export_input, losses)]
    if not export_input.is_from_format(NAME):
        count_extra_losses(export_input, losses, ExtraContent.TIMES, ExtraContent.CALL_IDS, fields=(FIELD,))
    return json_output(export_input, NAME, losses, entries, lambda: entries)


def _entries(export_input: ExportInput, losses: ExportLosses) -> Iterator[tuple[ExportMessage, Json]]:
    same_format = export_input.is_from_format(NAME)
    data = read_document(export_input.conversation.document) if same_format else b""
    for piece in export_messages(export_input):
        if (
            same_format
            and piece.is_unchanged
            and piece.record
            and not export_input.conversation.layout.get("opens_with")
        ):
            yield piece, record_json(data, *piece.record, export_input.conversation.document.name)
        else:
            yield piece, _entry(piece.message, same_format and piece.origin is not None, losses)


def _entry(message: Message, same_format: bool, losses: ExportLosses) -> dict[str, Json]:
    values = (block_json(block, same_format=same_format, losses=losses) for block in message.blocks)
    blocks = [block for block in values if block is not None]
    speaker = _SPEAKERS.get(message.speaker)
    value: dict[str, Json] = {"speaker": speaker or "human", "blocks": blocks}
    if same_format:
        if speaker is None:
            del value["speaker"]
        return {**value, **fields_without_notes(message.extra)}
    if speaker is None:
        losses.count_changed(f"{message.speaker.value} message as human")
    metadata: dict[str, Json] = {"id": message.id} if message.id else {}
    if (time := to_milliseconds(message.timestamp)) is not None:
        metadata["timestamp"] = time
    provenance = {FIELD: message.extra[FIELD]} if FIELD in message.extra else {}
    return {**value, **({"metadata": metadata} if metadata else {}), **provenance}


def _recording(export_input: ExportInput, losses: ExportLosses) -> bytes:
    """Return the recording's other lines and one content line per entry, renumbered.

    Compressions and rewinds are left out: the lines hold their result.
    """
    records = source_records(export_input.conversation)
    by_start = {record.start: record.value for record in records if isinstance(record.value, dict)}
    other_lines = [value for value in by_start.values() if value.get("type") not in _HISTORY_TYPES]
    last_time = other_lines[-1].get("ts") if other_lines else None
    lines: list[dict[str, Json]] = [*other_lines]
    for piece, entry in _entries(export_input, losses):
        raw = by_start.get(piece.record[0]) if piece.record else None
        if raw is not None and raw.get("type") == "content":
            output_line = (
                raw if piece.is_unchanged else {**raw, "payload": {**raw["payload"], "content": entry}}
            )
            last_time = raw.get("ts", last_time)
        else:
            output_line = {
                "v": 1,
                "seq": 0,
                "ts": last_time,
                "type": "content",
                "payload": {"content": entry},
            }
        lines.append(output_line)
    return dump_lines({**line, "seq": number} for number, line in enumerate(lines, 1))


EXPORTER = Exporter(
    NAME,
    (),
    "llxprt JSON",
    ".json",
    "History entries of llxprt-code (speaker and blocks), or its recording where the source is one.",
    write,
    has_provenance=True,
)
