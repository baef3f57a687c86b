"""Builds blocks of llxprt."""

from __future__ import annotations

from collections.abc import Mapping

from core.common.json_value import MISSING, Json
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import own_fields, split_data_url
from core.transcript.model import Block, Code, Media, Opaque, Text, Thinking, ToolCall, ToolResponse


def block_json(block: Block, *, same: bool, losses: ExportLosses) -> Json | None:
    """Return one block, None if llxprt has no such block; ``same``: it came from llxprt."""
    match block:
        case Text():
            return _block("text", {"text": block.text}, block.extra, same)
        case ToolCall():
            fields = {"id": block.id, "name": block.name, "parameters": block.arguments}
            return _block("tool_call", fields, block.extra, same)
        case ToolResponse():
            return _response(block, same)
        case Thinking():
            return _thinking(block, same)
        case Code():
            fields = {"code": block.code, **({"language": block.language} if block.language else {})}
            return _block("code", fields, block.extra, same)
        case Media():
            return _media(block, same)
        case Opaque():
            if same:
                return block.raw
            losses.leave_out(block.kind or "unknown block")
            return None


def _block(kind: str, fields: Mapping[str, Json], extra: Mapping[str, Json], same: bool) -> Json:
    value = {"type": kind} | {key: field for key, field in fields.items() if field is not MISSING}
    return {**value, **own_fields(extra)} if same else value


def _response(block: ToolResponse, same: bool) -> Json:
    error = block.error
    fields = {"callId": block.call_id, "toolName": block.name, "result": block.result, "error": error}
    if not same and error is not MISSING and not isinstance(error, str):
        fields["error"] = "" if error is None else str(error)
    return _block("tool_response", fields, block.extra, same)


def _thinking(block: Thinking, same: bool) -> Json:
    fields: dict[str, Json] = {"thought": block.text}
    if not same:
        if block.extra.get("signature"):
            fields |= {"signature": block.extra["signature"], "sourceField": "thinking"}
        elif block.extra.get("$field"):
            fields["sourceField"] = "reasoning_content"
    return _block("thinking", fields, block.extra, same)


def _media(block: Media, same: bool) -> Json:
    if same:
        fields: dict[str, Json] = {"mimeType": block.mime, "data": block.data}
    else:
        mime, data = split_data_url(block.mime, block.data)
        url = data.startswith(("http://", "https://", "data:"))
        fields = {"mimeType": mime or "image/png", "data": data, "encoding": "url" if url else "base64"}
    if block.caption:
        fields["caption"] = block.caption
    return _block("media", fields, block.extra, same)
