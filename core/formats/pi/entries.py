"""Converts entries of a Pi session to messages, by role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields
from core.formats.common.import_notes import ImportNotes, opaque_flag
from core.formats.common.json_access import fields_of, string_of
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

ROLES = (
    "user",
    "assistant",
    "toolResult",
    "bashExecution",
    "custom",
    "hookMessage",
    "branchSummary",
    "compactionSummary",
)
"""Roles of Pi's messages; ``hookMessage`` is the older name of ``custom``."""

_SIGNATURES: Mapping[str, str] = {"anthropic-messages": "signature", "google": "thoughtSignature"}


def is_message(value: Mapping[str, Json]) -> bool:
    """Return whether the model gets the entry: not for settings, labels or entries only shown."""
    kind = value.get("type")
    if kind == "message":
        return fields_of(value.get("message")).get("excludeFromContext") is not True
    return kind == "custom_message" or (kind == "branch_summary" and bool(value.get("summary")))


def prompt_text(value: Mapping[str, Json]) -> str:
    message = fields_of(value.get("message"))
    if value.get("type") != "message" or message.get("role") != "user":
        return ""
    return " ".join(block.text for block in _content(message, ImportNotes(), 0) if isinstance(block, Text))


def read_entry(value: Mapping[str, Json], source: Source, notes: ImportNotes) -> Message:
    """Return the message of an entry for which ``is_message`` is true; never raises."""
    kind = coerce_text(value.get("type"))
    message = fields_of(value.get("message")) if kind == "message" else value
    speaker, blocks, flags = _role_content(
        coerce_text(message.get("role")) if kind == "message" else kind, message, notes, source.line
    )
    id_, time = coerce_text(value.get("id")), coerce_text(value.get("timestamp"))
    return Message(speaker, tuple(blocks), (source,), flags | opaque_flag(blocks), id_, time)


def summary_message(value: Mapping[str, Json], source: Source) -> Message:
    id_, time = coerce_text(value.get("id")), coerce_text(value.get("timestamp"))
    text = Text(coerce_text(value.get("summary")))
    return Message(Speaker.HUMAN, (text,), (source,), MessageFlag.RECORDED_SUMMARY, id_, time)


def _role_content(
    role: str, message: Mapping[str, Json], notes: ImportNotes, line: int
) -> tuple[Speaker, Sequence[Block], MessageFlag]:
    match role:
        case "bashExecution":
            return Speaker.HUMAN, (_bash(message),), MessageFlag.COMMAND
        case "branchSummary" | "branch_summary":
            return Speaker.HUMAN, (Text(coerce_text(message.get("summary"))),), MessageFlag.META
        case "compactionSummary":
            text = Text(coerce_text(message.get("summary")))
            return Speaker.HUMAN, (text,), MessageFlag.RECORDED_SUMMARY
    blocks = _content(message, notes, line, role)
    match role:
        case "user":
            return Speaker.HUMAN, blocks, MessageFlag.NONE
        case "assistant":  # one that ended in a provider's error is not sent again, unless it calls tools
            has_calls = any(isinstance(block, ToolCall) for block in blocks)
            failed = message.get("stopReason") == "error" and not has_calls
            return Speaker.AI, blocks, MessageFlag.API_ERROR if failed else MessageFlag.NONE
        case "toolResult":
            return Speaker.TOOL, _tool_result(message, blocks), MessageFlag.NONE
        case "custom" | "hookMessage" | "custom_message":
            return Speaker.HUMAN, blocks, MessageFlag.META
    notes.warn(line, f"the role {role[:40]!r} is not known; kept as unknown")
    return Speaker.UNKNOWN, blocks, MessageFlag.NONE


def _tool_result(message: Mapping[str, Json], blocks: Sequence[Block]) -> Sequence[Block]:
    texts = [block.text for block in blocks if isinstance(block, Text)]
    other_blocks = [block for block in blocks if not isinstance(block, Text)]
    result: Json = "".join(texts) if len(texts) < 2 else [{"type": "text", "text": text} for text in texts]
    error = "\n".join(texts) if message.get("isError") is True else MISSING
    id_, name = coerce_text(message.get("toolCallId")), coerce_text(message.get("toolName"))
    return [ToolResponse(id_, name, result, error), *other_blocks]


def _bash(message: Mapping[str, Json]) -> Text:
    """Read a command of the user with its output, worded as for the model."""
    output = coerce_text(message.get("output"))
    text = f"Ran `{coerce_text(message.get('command'))}`\n"
    text += f"```\n{output}\n```" if output else "(no output)"
    code = message.get("exitCode")
    if message.get("cancelled") is True:
        text += "\n\n(command cancelled)"
    elif isinstance(code, int) and code:
        text += f"\n\nCommand exited with code {code}"
    return Text(text)


def _content(message: Mapping[str, Json], notes: ImportNotes, line: int, role: str = "") -> Sequence[Block]:
    content, api = message.get("content"), coerce_text(message.get("api")) if role == "assistant" else ""
    signature_field = next((name for start, name in _SIGNATURES.items() if api.startswith(start)), "")
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if isinstance(content, list):
        return tuple(_block(block, notes, line, signature_field) for block in content)
    if content is not None or not message:
        notes.warn(line, "the message has no readable content; kept as it is")
        return (Opaque("content", content),)
    return ()


def _block(block: Json, notes: ImportNotes, line: int, signature_field: str) -> Block:
    if not isinstance(block, dict):
        notes.warn(line, "a content block is not an object; kept as it is")
        return Opaque("unknown", block)
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        return Text(block["text"], other_fields(block, ("type", "text")))
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        return Thinking(
            block["thinking"], _with_api_signature(other_fields(block, ("type", "thinking")), signature_field)
        )
    if kind == "toolCall":
        extra = other_fields(block, ("type", "id", "name", "arguments"))
        return ToolCall(
            coerce_text(block.get("id")), coerce_text(block.get("name")), block.get("arguments", {}), extra
        )
    if kind == "image" and isinstance(block.get("data"), str):
        return Media(
            coerce_text(block.get("mimeType")),
            block["data"],
            "",
            other_fields(block, ("type", "data", "mimeType")),
        )
    return Opaque(string_of(kind) or "unknown", block)


def _with_api_signature(extra: Mapping[str, Json], signature_field: str) -> Mapping[str, Json]:
    """Rename Pi's signature field to that of the API that signed, which needs it again."""
    if not signature_field or "thinkingSignature" not in extra:
        return extra or NO_EXTRA
    return {signature_field if key == "thinkingSignature" else key: value for key, value in extra.items()}
