"""Short ways to write messages, histories and conversations in tests."""

from typing import Any

from core.common.json_value import MISSING, Json
from core.transcript.compaction import FateKind
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

SURVIVING = frozenset(
    {FateKind.KEPT, FateKind.EDITED, FateKind.SUMMARISED, FateKind.EXCERPTED}
)
"""Messages of these fates are in the origins of exactly one result message."""


def human(text: str = "", *blocks: Block, **fields: Any) -> Message:
    """Return a user message: text first (none where empty), then further blocks."""
    return Message(speaker=Speaker.HUMAN, blocks=_text(text) + blocks, **fields)


def ai(text: str = "", *blocks: Block, thinking: str = "", **fields: Any) -> Message:
    """Return a message of the model: thinking, text (each where not empty), then calls."""
    thought: tuple[Block, ...] = (Thinking(thinking),) if thinking else ()
    return Message(speaker=Speaker.AI, blocks=thought + _text(text) + blocks, **fields)


def tool(*responses: Block, **fields: Any) -> Message:
    return Message(speaker=Speaker.TOOL, blocks=responses, **fields)


def system(text: str, **fields: Any) -> Message:
    """Return a later system message, part of the history."""
    return Message(speaker=Speaker.SYSTEM, blocks=_text(text), **fields)


def call(name: str, id: str = "", /, **arguments: Json) -> ToolCall:
    """Return a tool call; the id is the name where none is given."""
    return ToolCall(id or name, name, arguments)


def response(
    id: str, name: str = "", result: Json = "ok", error: Json = MISSING
) -> ToolResponse:
    """Return a tool response; the name is the id where none is given, as with ``call``."""
    return ToolResponse(id, name or id, result, error)


def exchange(
    id: str, name: str, result: Json = "ok", /, **arguments: Json
) -> tuple[Message, Message]:
    return ai("", call(name, id, **arguments)), tool(response(id, name, result))


def talk(count: int, words: str = "word " * 20) -> tuple[Message, ...]:
    """Return ``count`` messages of plain text, human and ai by turns, human first."""
    return tuple(
        (ai if index % 2 else human)(f"{index} {words}") for index in range(count)
    )


def flagged(flag: MessageFlag, text: str = "note") -> Message:
    return human(text, flags=flag)


def conversation(
    *messages: Message, format: str = "openai_chat", **fields: Any
) -> Conversation:
    """Return a conversation without a file; ``system`` may be a string."""
    if isinstance(fields.get("system"), str):
        fields["system"] = SystemPart((fields["system"],))
    document = fields.pop("document", SourceDocument(name="test.json"))
    return Conversation(
        format=format, document=document, messages=tuple(messages), **fields
    )


def nearest_valid(pairs: Pairs, boundary: int) -> int:
    """Return the nearest valid boundary; of two as near, the lower."""
    return min(
        (at for at, ok in enumerate(pairs.valid) if ok),
        key=lambda at: (abs(at - boundary), at),
    )


def _text(text: str) -> tuple[Block, ...]:
    return (Text(text),) if text else ()


LONG = "line\n" * 60
LOOP = tuple(
    m for n in range(8) for m in exchange(str(n), "bash", LONG, command=f"make {n}")
)
"""Eight calls and their long results."""
