"""Converts messages of goose, whose calls and results are wrapped in their status."""

from __future__ import annotations

from collections.abc import Mapping

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields, plain_text, split_by_speaker
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, iso_timestamp, list_of, string_of
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

COMPACTED_KEY = "$compacted"
"""Note in ``extra`` of a message: the conversation was compacted before it."""

GOOSE_CONTENT_TYPES = (
    "toolRequest",
    "toolResponse",
    "frontendToolRequest",
    "toolConfirmationRequest",
    "actionRequired",
    "redactedThinking",
    "systemNotification",
    "conversationCompacted",
)
"""Content types that only goose has."""

_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "system": Speaker.SYSTEM}
_UNSENT_TYPES = ("toolConfirmationRequest", "actionRequired", "systemNotification", "conversationCompacted")


def read_messages(record: JsonRecord, notes: ImportNotes) -> list[Message]:
    """Return the messages of a record: tool results apart from the user's words."""
    value = record.value
    if not isinstance(value, dict):
        notes.warn(record.line, "a message is not an object; kept as it is")
        return [_message(record, 0, Speaker.UNKNOWN, (Opaque("message", value),), NO_EXTRA)]
    speaker = _SPEAKERS.get(string_of(value.get("role")).lower(), Speaker.UNKNOWN)
    if speaker is Speaker.UNKNOWN:
        notes.warn(record.line, "the role of a message is not known; kept as unknown")
    content = value.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
    kinds = [string_of(fields_of(block).get("type")) for block in parts]
    for kind in kinds:
        if kind in _UNSENT_TYPES:
            notes.skip(f"content: {kind}", line=record.line)
    blocks = tuple(
        _block(block) for block, kind in zip(parts, kinds, strict=True) if kind not in _UNSENT_TYPES
    )
    if parts and not blocks and "conversationCompacted" not in kinds:
        return []
    known = ("content", "role", "created") + (("id",) if isinstance(value.get("id"), str) else ())
    extra = dict(other_fields(value, known))
    if "conversationCompacted" in kinds:
        extra[COMPACTED_KEY] = True
    parts_by_speaker = split_by_speaker(blocks) if speaker is Speaker.HUMAN else ((speaker, blocks),)
    return [
        _message(record, part, part_speaker, part_blocks, extra)
        for part, (part_speaker, part_blocks) in enumerate(parts_by_speaker)
    ]


def _message(
    record: JsonRecord, part: int, speaker: Speaker, blocks: tuple[Block, ...], extra: Mapping[str, Json]
) -> Message:
    value = fields_of(record.value)
    flags = MessageFlag.OPAQUE if any(isinstance(block, Opaque) for block in blocks) else MessageFlag.NONE
    source = Source(record.line, record.start, record.end, part)
    time = iso_timestamp(value.get("created"))
    return Message(speaker, blocks, (source,), flags, string_of(value.get("id")), time, extra or NO_EXTRA)


def _block(block: Json) -> Block:
    fields = fields_of(block)
    kind = string_of(fields.get("type"))
    if kind == "text" and isinstance(fields.get("text"), str):
        return Text(fields["text"], other_fields(fields, ("type", "text")))
    if kind in ("thinking", "reasoning"):
        name = "thinking" if kind == "thinking" else "text"
        return Thinking(string_of(fields.get(name)), other_fields(fields, ("type", name)))
    if kind == "image" and isinstance(fields.get("data"), str):
        return Media(
            string_of(fields.get("mimeType")),
            fields["data"],
            "",
            other_fields(fields, ("type", "data", "mimeType")),
        )
    if kind in ("toolRequest", "frontendToolRequest"):
        return _call(fields)
    if kind == "toolResponse":
        return _response(fields)
    return Opaque(kind or "unknown", block)


def _call(fields: Mapping[str, Json]) -> ToolCall:
    """Read a call; one that goose could not parse has its error instead of a name."""
    wrapped = fields_of(fields.get("toolCall"))
    value = fields_of(wrapped.get("value")) or wrapped
    name, arguments = coerce_text(value.get("name")), value.get("arguments", {})
    return ToolCall(coerce_text(fields.get("id")), name, arguments, other_fields(fields, ("type", "id")))


def _response(fields: Mapping[str, Json]) -> ToolResponse:
    wrapped = fields.get("toolResult")
    outer = fields_of(wrapped)
    value = outer.get("value", wrapped if isinstance(wrapped, list) else "")
    inner = fields_of(value)
    result = inner.get("content", value) if inner else value
    if outer.get("status") == "error":
        result = outer.get("error", "")
    failed = outer.get("status") == "error" or inner.get("isError") is True
    error = plain_text(result) if failed else MISSING
    return ToolResponse(
        coerce_text(fields.get("id")), "", result, error, other_fields(fields, ("type", "id", "toolResult"))
    )
