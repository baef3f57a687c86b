"""One line per message: short ways to write histories and conversations in tests."""

from __future__ import annotations

from typing import Any

from core.common.json_value import MISSING, Json
from core.transcript.model import (
    Block,
    Conversation,
    Message,
    MessageFlag,
    SourceDocument,
    Speaker,
    SystemPart,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import Pairs


def human(text: str = "", *blocks: Block, **fields: Any) -> Message:
    """A message of the person: text first (none where empty), then further blocks."""
    return Message(Speaker.HUMAN, _text(text) + blocks, **fields)


def ai(text: str = "", *blocks: Block, thinking: str = "", **fields: Any) -> Message:
    """A message of the model: thinking, text (each where not empty), then calls."""
    thought: tuple[Block, ...] = (Thinking(thinking),) if thinking else ()
    return Message(Speaker.AI, thought + _text(text) + blocks, **fields)


def tool(*responses: Block, **fields: Any) -> Message:
    """A message of tool responses."""
    return Message(Speaker.TOOL, responses, **fields)


def system(text: str, **fields: Any) -> Message:
    """A later system message, part of the history."""
    return Message(Speaker.SYSTEM, _text(text), **fields)


def call(name: str, id: str = "", /, **arguments: Json) -> ToolCall:
    """A tool call; the id is the name where none is given."""
    return ToolCall(id or name, name, arguments)


def response(id: str, name: str = "", result: Json = "ok", error: Json = MISSING) -> ToolResponse:
    """What a tool answered; the name is the id where none is given, as with ``call``."""
    return ToolResponse(id, name or id, result, error)


def exchange(id: str, name: str, result: Json = "ok", /, **arguments: Json) -> tuple[Message, Message]:
    """A call and its answer, as two messages."""
    return ai("", call(name, id, **arguments)), tool(response(id, name, result))


def talk(count: int, words: str = "word " * 20) -> tuple[Message, ...]:
    """``count`` messages of plain text, human and ai by turns, the person first."""
    return tuple((ai if index % 2 else human)(f"{index} {words}") for index in range(count))


def flagged(flag: MessageFlag, text: str = "note") -> Message:
    """A human message with a flag."""
    return human(text, flags=flag)


def conversation(*messages: Message, format: str = "openai_chat", **fields: Any) -> Conversation:
    """A conversation that was read from nowhere; ``system`` may be given as a string."""
    if isinstance(fields.get("system"), str):
        fields["system"] = SystemPart((fields["system"],))
    document = fields.pop("document", SourceDocument("test.json"))
    return Conversation(format, document, tuple(messages), **fields)


def nearest_valid(pairs: Pairs, boundary: int) -> int:
    """The valid boundary nearest to one; of two as near, the lower."""
    return min((at for at, ok in enumerate(pairs.valid) if ok), key=lambda at: (abs(at - boundary), at))


def _text(text: str) -> tuple[Block, ...]:
    return (Text(text),) if text else ()


LONG = "line\n" * 60
LOOP = tuple(m for n in range(8) for m in exchange(str(n), "bash", LONG, command=f"make {n}"))
"""Eight calls and their long results."""
