"""Converts messages of Inspect samples, with their attachments put back."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields, plain_text
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import JsonRecord
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Media,
    Message,
    MessageFlag,
    Opaque,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_ATTACHMENT_REFERENCE = re.compile(r"attachment://([0-9a-f]+)")
_ROLES = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
    "system": Speaker.SYSTEM,
}
_MEDIA = ("image", "audio", "video", "document")


def resolve_attachments(value: Json, attachments: Mapping[str, Json]) -> Json:
    """Return a value with every reference to an attachment replaced; missing ones stay."""
    if isinstance(value, str):
        return _ATTACHMENT_REFERENCE.sub(lambda match: _resolve_attachment(match, attachments), value)
    if isinstance(value, list):
        return [resolve_attachments(item, attachments) for item in value]
    if isinstance(value, dict):
        return {key: resolve_attachments(item, attachments) for key, item in value.items()}
    return value


def _resolve_attachment(match: re.Match[str], attachments: Mapping[str, Json]) -> str:
    text = attachments.get(match[1])
    return text if isinstance(text, str) else match[0]


def is_leading_system(value: Json) -> bool:
    """Return whether a record belongs to the system prompt, if all before it do."""
    return isinstance(value, dict) and value.get("role") == "system"


def read_message(record: JsonRecord, notes: ImportNotes) -> Message:
    value, source = record.value, (Source(record.line, record.start, record.end),)
    if not isinstance(value, dict):
        notes.warn(record.line, "a message is not an object; kept as it is")
        return Message(Speaker.UNKNOWN, (Opaque("message", value),), source, MessageFlag.OPAQUE)
    role = value.get("role")
    speaker = _ROLES.get(role, Speaker.UNKNOWN) if isinstance(role, str) else Speaker.UNKNOWN
    if speaker is Speaker.UNKNOWN:
        notes.warn(record.line, f"the role {coerce_text(role)[:40]!r} is not known; kept as unknown")
    known = {"role", "content", "id"}
    if speaker is Speaker.TOOL:
        known |= {"tool_call_id", "function", "error"}
        blocks: tuple[Block, ...] = (_response(value),)
    else:
        calls = value.get("tool_calls")
        known |= {"tool_calls"}
        blocks = (*_content(value.get("content")), *map(_call, calls if isinstance(calls, list) else ()))
    flags = MessageFlag.OPAQUE if any(isinstance(block, Opaque) for block in blocks) else MessageFlag.NONE
    if "attachment://" in str(value.get("content")):
        notes.warn(record.line, "an attachment that the message names is not in the file")
    return Message(
        speaker, blocks, source, flags, coerce_text(value.get("id")), "", other_fields(value, known)
    )


def _content(content: Json) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if not isinstance(content, list):
        return () if content is None else (Opaque("content", content),)
    return tuple(_part(part) for part in content)


def _part(part: Json) -> Block:
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(part, str):
        return Text(part)
    if kind == "text" and isinstance(part.get("text"), str):
        return Text(part["text"], other_fields(part, ("type", "text")))
    if kind == "reasoning" and isinstance(part.get("reasoning"), str):
        if part.get("redacted") is True:
            return Opaque("redacted_thinking", part)
        return Thinking(part["reasoning"], other_fields(part, ("type", "reasoning")))
    if kind in _MEDIA and isinstance(part.get(kind), str):
        return _media(part, kind)
    return Opaque(coerce_text(kind) or "unknown", part)


def _media(part: Mapping[str, Json], kind: str) -> Media:
    data = part[kind]
    mime_type = part.get("mime_type")
    if data.startswith("data:"):
        mime_type = data[5:100].split(";", 1)[0].split(",", 1)[0]
    mime = (
        mime_type
        if isinstance(mime_type, str) and mime_type
        else f"{kind}/{coerce_text(part.get('format')) or '*'}"
    )
    return Media(
        mime, data, coerce_text(part.get("filename")), other_fields(part, ("type", kind, "filename"))
    )


def _call(call: Json) -> Block:
    if not isinstance(call, dict):
        return Opaque("tool_call", call)
    known = {"id", "function", "arguments"} | ({"type"} if call.get("type") == "function" else set())
    return ToolCall(
        coerce_text(call.get("id")),
        coerce_text(call.get("function")),
        call.get("arguments"),
        other_fields(call, known),
    )


def _response(value: Mapping[str, Json]) -> ToolResponse:
    """Return the result, and the error if there was one: its message or the whole object."""
    error = value.get("error")
    text = error.get("message") if isinstance(error, dict) else error
    content = value.get("content", "")
    return ToolResponse(
        coerce_text(value.get("tool_call_id")),
        coerce_text(value.get("function")),
        "" if content is None else content,
        MISSING if error is None else text if isinstance(text, str) else plain_text(error),
        {"error": error} if isinstance(error, dict) else NO_EXTRA,
    )
