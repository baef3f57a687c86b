"""Converts entries of a Pi session to messages, by role."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields
from core.formats.common.import_notes import ImportNotes
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
        return _message_of(value).get("excludeFromContext") is not True
    return kind == "custom_message" or (kind == "branch_summary" and bool(value.get("summary")))


def prompt_text(value: Mapping[str, Json]) -> str:
    message = _message_of(value)
    if value.get("type") != "message" or message.get("role") != "user":
        return ""
    return " ".join(block.text for block in _content(message, ImportNotes(), 0) if isinstance(block, Text))


def read_entry(value: Mapping[str, Json], source: Source, notes: ImportNotes) -> Message:
    """Return the message of an entry for which ``is_message`` is true; never raises."""
    kind = value.get("type")
    message = _message_of(value) if kind == "message" else value
    role = message.get("role") if kind == "message" else kind
    reader = _READERS.get(role) if isinstance(role, str) else None
    if reader is None:
        notes.warn(source.line, f"the role {coerce_text(role)[:40]!r} is not known; kept as unknown")
        reader = _unknown
    speaker, blocks, flags = reader(message, notes, source.line)
    if any(isinstance(block, Opaque) for block in blocks):
        flags |= MessageFlag.OPAQUE
    id_, time = coerce_text(value.get("id")), coerce_text(value.get("timestamp"))
    return Message(speaker, tuple(blocks), (source,), flags, id_, time)


def summary_message(value: Mapping[str, Json], source: Source) -> Message:
    id_, time = coerce_text(value.get("id")), coerce_text(value.get("timestamp"))
    text = Text(coerce_text(value.get("summary")))
    return Message(Speaker.HUMAN, (text,), (source,), MessageFlag.RECORDED_SUMMARY, id_, time)


def _message_of(value: Mapping[str, Json]) -> Mapping[str, Json]:
    message = value.get("message")
    return message if isinstance(message, dict) else {}


_RoleContent = tuple[Speaker, Sequence[Block], MessageFlag]


def _user(message: Mapping[str, Json], notes: ImportNotes, line: int) -> _RoleContent:
    return Speaker.HUMAN, _content(message, notes, line), MessageFlag.NONE


def _custom(message: Mapping[str, Json], notes: ImportNotes, line: int) -> _RoleContent:
    return Speaker.HUMAN, _content(message, notes, line), MessageFlag.META


def _unknown(message: Mapping[str, Json], notes: ImportNotes, line: int) -> _RoleContent:
    return Speaker.UNKNOWN, _content(message, notes, line), MessageFlag.NONE


def _assistant(message: Mapping[str, Json], notes: ImportNotes, line: int) -> _RoleContent:
    """Read an answer; one that ended in a provider's error is not sent again, unless it calls tools."""
    api = coerce_text(message.get("api"))
    signature_field = next((name for start, name in _SIGNATURES.items() if api.startswith(start)), "")
    blocks = _content(message, notes, line, signature_field)
    has_calls = any(isinstance(block, ToolCall) for block in blocks)
    failed = message.get("stopReason") == "error" and not has_calls
    return Speaker.AI, blocks, MessageFlag.API_ERROR if failed else MessageFlag.NONE


def _tool_result(message: Mapping[str, Json], notes: ImportNotes, line: int) -> _RoleContent:
    blocks = _content(message, notes, line)
    texts = [block for block in blocks if isinstance(block, Text)]
    other_blocks = [block for block in blocks if not isinstance(block, Text)]
    result: Json = [{"type": "text", "text": text.text} for text in texts]
    if len(texts) < 2:
        result = texts[0].text if texts else ""
    error = "\n".join(text.text for text in texts) if message.get("isError") is True else MISSING
    id_, name = coerce_text(message.get("toolCallId")), coerce_text(message.get("toolName"))
    return Speaker.TOOL, [ToolResponse(id_, name, result, error), *other_blocks], MessageFlag.NONE


def _bash(message: Mapping[str, Json], notes: ImportNotes, line: int) -> _RoleContent:
    """Read a command of the user with its output, worded as for the model."""
    output = coerce_text(message.get("output"))
    text = f"Ran `{coerce_text(message.get('command'))}`\n"
    text += f"```\n{output}\n```" if output else "(no output)"
    code = message.get("exitCode")
    if message.get("cancelled") is True:
        text += "\n\n(command cancelled)"
    elif isinstance(code, int) and code:
        text += f"\n\nCommand exited with code {code}"
    return Speaker.HUMAN, (Text(text),), MessageFlag.COMMAND


def _branch_summary(message: Mapping[str, Json], notes: ImportNotes, line: int) -> _RoleContent:
    return Speaker.HUMAN, (Text(coerce_text(message.get("summary"))),), MessageFlag.META


def _compaction_summary(message: Mapping[str, Json], notes: ImportNotes, line: int) -> _RoleContent:
    return Speaker.HUMAN, (Text(coerce_text(message.get("summary"))),), MessageFlag.RECORDED_SUMMARY


_READERS: Mapping[str, Callable[[Mapping[str, Json], ImportNotes, int], _RoleContent]] = {
    "user": _user,
    "assistant": _assistant,
    "toolResult": _tool_result,
    "bashExecution": _bash,
    "custom": _custom,
    "hookMessage": _custom,
    "custom_message": _custom,
    "branchSummary": _branch_summary,
    "branch_summary": _branch_summary,
    "compactionSummary": _compaction_summary,
}


def _content(
    message: Mapping[str, Json], notes: ImportNotes, line: int, signature_field: str = ""
) -> Sequence[Block]:
    content = message.get("content")
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
    return Opaque(kind if isinstance(kind, str) and kind else "unknown", block)


def _with_api_signature(extra: Mapping[str, Json], signature_field: str) -> Mapping[str, Json]:
    """Rename Pi's signature field to that of the API that signed, which needs it again."""
    if not signature_field or "thinkingSignature" not in extra:
        return extra or NO_EXTRA
    return {signature_field if key == "thinkingSignature" else key: value for key, value in extra.items()}
