"""Reads messages of Inspect samples."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import plain_text
from core.formats.common.import_notes import ImportNotes, opaque_flag, unreadable_message
from core.formats.common.json_access import coerce_text, list_of, other_fields, string_of
from core.formats.common.json_parsing import JsonRecord
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_ATTACHMENT_REFERENCE = re.compile(r"attachment://([0-9a-f]+)")
_ROLES = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "tool": Speaker.TOOL, "system": Speaker.SYSTEM}
_MEDIA = ("image", "audio", "video", "document")


def resolve_attachments(value: Json, attachments: Mapping[str, str]) -> Json:
    """Return a value with every reference to an attachment replaced; missing ones stay."""
    if isinstance(value, str):
        return _ATTACHMENT_REFERENCE.sub(lambda match: attachments.get(match[1], match[0]), value)
    if isinstance(value, list):
        return [resolve_attachments(item, attachments) for item in value]
    if isinstance(value, dict):
        return {key: resolve_attachments(item, attachments) for key, item in value.items()}
    return value


def is_system(value: Json) -> bool:
    return isinstance(value, dict) and value.get("role") == "system"


def read_message(record: JsonRecord, notes: ImportNotes) -> Message:
    value = record.value
    if not isinstance(value, dict):
        return unreadable_message(record, notes)
    speaker = _ROLES.get(string_of(value.get("role")), Speaker.UNKNOWN)
    if speaker is Speaker.UNKNOWN:
        role = coerce_text(value.get("role"))
        notes.warn(record.line, f"the role {role[:40]!r} is not known; kept as unknown")
    blocks: tuple[Block, ...]
    if speaker is Speaker.TOOL:
        blocks, own_fields = (_response(value),), ["tool_call_id", "function", "error"]
    else:
        blocks = (*_content(value.get("content")), *map(_call, list_of(value.get("tool_calls"))))
        own_fields = ["tool_calls"]
    if "attachment://" in str(value.get("content")):
        notes.warn(record.line, "an attachment that the message names is not in the file")
    id_, extra = coerce_text(value.get("id")), other_fields(value, ["role", "content", "id", *own_fields])
    return Message(speaker, blocks, (record.source(),), opaque_flag(blocks), id_, "", extra)


def _content(content: Json) -> tuple[Block, ...]:
    if content in ("", None):
        return ()
    if isinstance(content, str):
        return (Text(content),)
    return tuple(map(_part, content)) if isinstance(content, list) else (Opaque("content", content),)


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
    data, mime = part[kind], string_of(part.get("mime_type"))
    if data.startswith("data:"):
        mime = data[5:100].split(";", 1)[0].split(",", 1)[0]
    mime = mime or f"{kind}/{coerce_text(part.get('format')) or '*'}"
    extra = other_fields(part, ("type", kind, "filename"))
    return Media(mime, data, coerce_text(part.get("filename")), extra)


def _call(call: Json) -> Block:
    if not isinstance(call, dict):
        return Opaque("tool_call", call)
    known = {"id", "function", "arguments"} | ({"type"} if call.get("type") == "function" else set())
    id_, name = coerce_text(call.get("id")), coerce_text(call.get("function"))
    return ToolCall(id_, name, call.get("arguments"), other_fields(call, known))


def _response(value: Mapping[str, Json]) -> ToolResponse:
    """Return the result, and the error if there was one: its message or the whole object."""
    error, content = value.get("error"), value.get("content", "")
    text = error.get("message") if isinstance(error, dict) else error
    return ToolResponse(
        coerce_text(value.get("tool_call_id")),
        coerce_text(value.get("function")),
        "" if content is None else content,
        MISSING if error is None else text if isinstance(text, str) else plain_text(error),
        {"error": error} if isinstance(error, dict) else NO_EXTRA,
    )
