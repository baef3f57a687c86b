"""Messages of goose: content types in camel case, calls and results wrapped in their status."""

from __future__ import annotations

from collections.abc import Mapping

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import by_speaker, other_fields, plain_text, text_of
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, list_of, moment_of, string_of
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

LEGACY = "$compacted"
"""Note in ``extra`` of a message that says that the conversation was compacted before it."""

CONTENT = (
    "toolRequest",
    "toolResponse",
    "frontendToolRequest",
    "toolConfirmationRequest",
    "actionRequired",
    "redactedThinking",
    "systemNotification",
    "conversationCompacted",
)
"""The content types that only goose has."""

_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "system": Speaker.SYSTEM}
_SHOWN = ("toolConfirmationRequest", "actionRequired", "systemNotification", "conversationCompacted")


def read_messages(record: JsonRecord, notes: ImportNotes) -> list[Message]:
    """The messages of a record: tool results apart from what the person said."""
    value = record.value
    if not isinstance(value, dict):
        notes.warn(record.line, "a message is not an object; kept as it is")
        return [_message(record, 0, Speaker.UNKNOWN, (Opaque("message", value),), NO_EXTRA)]
    speaker = _SPEAKERS.get(string_of(value.get("role")).lower(), Speaker.UNKNOWN)
    if speaker is Speaker.UNKNOWN:
        notes.warn(record.line, "the role of a message is not known; kept as unknown")
    content = value.get("content")
    given = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
    shown = [string_of(fields_of(block).get("type")) for block in given]
    for kind in shown:
        if kind in _SHOWN:
            notes.skip(f"content: {kind}", line=record.line)
    blocks = tuple(_block(block) for block, kind in zip(given, shown, strict=True) if kind not in _SHOWN)
    if given and not blocks and "conversationCompacted" not in shown:
        return []
    known = ("content", "role", "created") + (("id",) if isinstance(value.get("id"), str) else ())
    extra = dict(other_fields(value, known))
    if "conversationCompacted" in shown:
        extra[LEGACY] = True
    split = by_speaker(blocks) if speaker is Speaker.HUMAN else ((speaker, blocks),)
    return [_message(record, part, who, some, extra) for part, (who, some) in enumerate(split)]


def _message(
    record: JsonRecord, part: int, speaker: Speaker, blocks: tuple[Block, ...], extra: Mapping[str, Json]
) -> Message:
    value = fields_of(record.value)
    flags = MessageFlag.OPAQUE if any(isinstance(block, Opaque) for block in blocks) else MessageFlag.NONE
    source = Source(record.line, record.start, record.end, part)
    time = moment_of(value.get("created"))
    return Message(speaker, blocks, (source,), flags, string_of(value.get("id")), time, extra or NO_EXTRA)


def _block(block: Json) -> Block:
    given = fields_of(block)
    kind = string_of(given.get("type"))
    if kind == "text" and isinstance(given.get("text"), str):
        return Text(given["text"], other_fields(given, ("type", "text")))
    if kind in ("thinking", "reasoning"):
        name = "thinking" if kind == "thinking" else "text"
        return Thinking(string_of(given.get(name)), other_fields(given, ("type", name)))
    if kind == "image" and isinstance(given.get("data"), str):
        return Media(
            string_of(given.get("mimeType")),
            given["data"],
            "",
            other_fields(given, ("type", "data", "mimeType")),
        )
    if kind in ("toolRequest", "frontendToolRequest"):
        return _call(given)
    if kind == "toolResponse":
        return _response(given)
    return Opaque(kind or "unknown", block)


def _call(given: Mapping[str, Json]) -> ToolCall:
    """A call that goose could not read has its error instead of a name."""
    wrapped = fields_of(given.get("toolCall"))
    value = fields_of(wrapped.get("value")) or wrapped
    name, arguments = text_of(value.get("name")), value.get("arguments", {})
    return ToolCall(text_of(given.get("id")), name, arguments, other_fields(given, ("type", "id")))


def _response(given: Mapping[str, Json]) -> ToolResponse:
    wrapped = given.get("toolResult")
    outer = fields_of(wrapped)
    value = outer.get("value", wrapped if isinstance(wrapped, list) else "")
    inner = fields_of(value)
    result = inner.get("content", value) if inner else value
    if outer.get("status") == "error":
        result = outer.get("error", "")
    failed = outer.get("status") == "error" or inner.get("isError") is True
    error = plain_text(result) if failed else MISSING
    return ToolResponse(
        text_of(given.get("id")), "", result, error, other_fields(given, ("type", "id", "toolResult"))
    )
