"""Converts messages to a text record in the form of opencode 2, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from core.common.json_value import Json
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    ServerTool,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_outcomes import is_failed_result, response_content, result_text

USER, ASSISTANT, CALL = "User", "Assistant", "Assistant tool call"
RESULT, ERROR = "Tool result", "Tool error"
_SPEAKER_NAMES = {Speaker.HUMAN: USER, Speaker.AI: ASSISTANT}
_ENTRY = re.compile(rf"^\[({USER}|{CALL}|{ASSISTANT}|{RESULT}|{ERROR})\]: ", re.MULTILINE)
_RECENT_CONTEXT = re.compile(r"<recent-context>\n(.*)\n</recent-context>", re.DOTALL)
_CALL_TEXT = re.compile(r"([\w.:/-]+)\((.*)\)\s*\Z", re.DOTALL)


def conversation_text(messages: Sequence[Message], max_characters: int) -> str:
    """Return each block after its speaker, without thinking; ``max_characters`` characters per result, 0:
    all."""
    message_texts = ("\n".join(filter(None, _lines(message, max_characters))) for message in messages)
    return "\n\n".join(filter(None, message_texts))


def recorded_messages(text: str) -> tuple[Message, ...]:
    """Return the messages of the record in a checkpoint's text; empty without a record."""
    record = _RECENT_CONTEXT.search(text)
    parts = _ENTRY.split(record[1])[1:] if record else []
    unanswered_calls: list[ToolCall] = []
    messages = []
    for number, (kind, content) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        content = content.strip()
        if kind == CALL:
            unanswered_calls.append(_call(f"record-{number}", content))
            messages.append(Message(Speaker.AI, (unanswered_calls[-1],)))
        elif kind in (RESULT, ERROR):
            call = unanswered_calls.pop(0) if unanswered_calls else ToolCall("", "", None)
            error: Json = content if kind == ERROR else None
            messages.append(Message(Speaker.TOOL, (ToolResponse(call.id, call.name, content, error),)))
        else:
            speaker = Speaker.HUMAN if kind == USER else Speaker.AI
            messages.append(Message(speaker, (Text(content),)))
    return tuple(messages)


def _call(id_: str, words: str) -> ToolCall:
    match = _CALL_TEXT.match(words)
    try:
        return ToolCall(id_, match[1], json.loads(match[2])) if match else ToolCall(id_, words, None)
    except json.JSONDecodeError:
        return ToolCall(id_, match[1] if match else words, None)


def _lines(message: Message, max_characters: int) -> Iterator[str]:
    label = _SPEAKER_NAMES.get(message.speaker, USER)
    return (_line(block, label, max_characters) for block in message.blocks)


def _line(block: Block, label: str, max_characters: int) -> str:
    match block:
        case Text():
            return f"[{label}]: {block.text}" if block.text.strip() else ""
        case Code():
            return f"[{label}]: ```{block.language}\n{block.code}\n```"
        case ToolCall():
            return f"[{CALL}]: {block.name}({_json(block.arguments)})"
        case ToolResponse():
            text = result_text(response_content(block)) or _json(response_content(block))
            shortened = (
                f"{text[:max_characters]}\n[truncated]"
                if max_characters and len(text) > max_characters
                else text
            )
            return f"[{ERROR if is_failed_result(block) else RESULT}]: {shortened}"
        case ServerTool():
            return "\n".join(_line(inner_block, label, max_characters) for inner_block in block.description)
        case Media() | Opaque():
            return f"[{label}]: [{block.mime if isinstance(block, Media) else block.kind}, not shown]"
        case _:
            return ""


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
