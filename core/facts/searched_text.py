"""The text of a message that is searched: what is said, calls and results; no thinking, no
media."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from core.common.json_value import MISSING
from core.facts.sentences import value_text
from core.transcript.model import Block, Code, Message, Text, ToolCall, ToolResponse
from core.transcript.tool_pairs import answer_text


def searchable_text(message: Message) -> str:
    """Return the texts of a message, one block after the other."""
    return "\n".join(block_texts(message))


def block_texts(message: Message) -> Iterator[str]:
    """Yield the text of each block that has one."""
    return filter(None, map(_block_text, message.blocks))


def _block_text(block: Block) -> str:
    match block:
        case Text():
            return block.text
        case Code():
            return block.code
        case ToolCall():
            return f"{block.name} {_arguments_text(block)}"
        case ToolResponse():
            error = (
                "" if block.error in (MISSING, None, "", False, True) else value_text(block.error)
            )
            return "\n".join(filter(None, (error, answer_text(block))))
        case _:
            return ""


def _arguments_text(call: ToolCall) -> str:
    """Return the arguments as text; strings are not escaped, so that names are found."""
    if isinstance(call.arguments, Mapping):
        return " ".join(
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            for value in call.arguments.values()
        )
    return call.arguments if isinstance(call.arguments, str) else ""
