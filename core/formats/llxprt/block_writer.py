"""Builds blocks of llxprt."""

from __future__ import annotations

from collections.abc import Mapping

from core.common.json_value import MISSING, Json
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import fields_without_notes, split_data_url
from core.transcript.model import Block, Code, Media, Opaque, Text, Thinking, ToolCall, ToolResponse


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
