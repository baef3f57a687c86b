"""Reads the entries of a Pi session as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.json_value import MISSING, Json
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, fields_of
from core.formats.common.messages import BlockShape, record_messages, shaped_block
from core.transcript.model import (
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
    *("user", "assistant", "toolResult", "bashExecution"),
    *("custom", "hookMessage", "branchSummary", "compactionSummary"),
)
"""Roles of Pi's messages; ``hookMessage`` is the older name of ``custom``."""


_API_SIGNATURES = {"anthropic-messages": "signature", "google": "thoughtSignature"}
"""By start of an API's name, its field for the signature of a thought."""


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
    """Return the message of an entry for which ``is_message`` is true, or of a compaction; never raises."""
    message, role = value, coerce_text(value.get("type"))
    if role == "message":
        message = fields_of(value.get("message"))
        role = coerce_text(message.get("role"))
    speaker, blocks, flags = _role_content(role, message, notes, source.line)
    id_, time = coerce_text(value.get("id")), coerce_text(value.get("timestamp"))
    return record_messages(source, [(speaker, blocks)], flags, id_, time)[0]


def _role_content(
    role: str, message: Mapping[str, Json], notes: ImportNotes, line: int
) -> tuple[Speaker, Sequence[Block], MessageFlag]:
    summary = (Text(coerce_text(message.get("summary"))),)
    match role:
        case "bashExecution":
            return Speaker.HUMAN, (_bash(message),), MessageFlag.COMMAND
        case "branchSummary" | "branch_summary":
            return Speaker.HUMAN, summary, MessageFlag.META
        case "compactionSummary" | "compaction":
            return Speaker.HUMAN, summary, MessageFlag.RECORDED_SUMMARY
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
    output, code = coerce_text(message.get("output")), message.get("exitCode")
    shown = f"```\n{output}\n```" if output else "(no output)"
    end = f"\n\nCommand exited with code {code}" if isinstance(code, int) and code else ""
    if message.get("cancelled") is True:
        end = "\n\n(command cancelled)"
    return Text(f"Ran `{coerce_text(message.get('command'))}`\n{shown}{end}")


def _content(message: Mapping[str, Json], notes: ImportNotes, line: int, role: str = "") -> Sequence[Block]:
    content, api = message.get("content"), coerce_text(message.get("api")) if role == "assistant" else ""
    signature = next((name for start, name in _API_SIGNATURES.items() if api.startswith(start)), "")
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if isinstance(content, list):
        return tuple(_block(block, notes, line, signature) for block in content)
    if content is not None or not message:
        notes.warn(line, "the message has no readable content; kept as it is")
        return (Opaque("content", content),)
    return ()


_BLOCKS: Mapping[str, BlockShape] = {
    "text": BlockShape(Text, ("text",), required=("text",)),
    "thinking": BlockShape(Thinking, ("thinking",), required=("thinking",)),
    "toolCall": BlockShape(ToolCall, ("id", "name"), ("arguments",), default={}),
    "image": BlockShape(Media, ("mimeType", "data"), required=("data",)),
}


def _block(block: Json, notes: ImportNotes, line: int, signature: str) -> Block:
    """Read a content block; Pi's field for signatures is renamed to ``signature``, that of the API that
    signed, which needs it again."""
    if not isinstance(block, dict):
        notes.warn(line, "a content block is not an object; kept as it is")
    read = shaped_block(block, _BLOCKS)
    if not (isinstance(read, Thinking) and signature and "thinkingSignature" in read.extra):
        return read
    extra = {signature if key == "thinkingSignature" else key: item for key, item in read.extra.items()}
    return Thinking(read.text, extra)
