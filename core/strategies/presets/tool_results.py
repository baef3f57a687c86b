"""Tool results of a history: their tool, size and text, and how to replace them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.common.json_value import MISSING
from core.facts.file_calls import normalised_tool_name
from core.facts.sentences import plain_text
from core.strategies.base import StrategyContext
from core.transcript.model import (
    Block,
    Message,
    MessageFlag,
    Text,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_kinds import (
    FRESH_SHELL_TOOLS,
    PATCH_TOOLS,
    SHELL_TOOLS,
    TOOL_KINDS,
)
from core.transcript.tool_pairs import find_pairs, result_text


class ToolClass(StrEnum):
    """The class of a tool in the table of tools; unlisted tools have none."""

    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    SHELL = "shell"


@dataclass(frozen=True, slots=True)
class ToolResultPlace:
    """A tool result: its message and block, the place of its call (None without one), its tool and
    tokens. ``block`` -1: the whole message, an observation written by a harness."""

    message: int
    block: int
    call: tuple[int, int] | None
    tool: str
    tokens: int


def tool_class(tool: str) -> ToolClass | None:
    if tool in SHELL_TOOLS or tool in FRESH_SHELL_TOOLS:
        return ToolClass.SHELL
    if tool in PATCH_TOOLS:
        return ToolClass.EDIT
    kind = TOOL_KINDS.get(tool)
    if kind:
        return ToolClass(kind.operation.value)
    return None


def find_results(
    context: StrategyContext, messages: Sequence[Message]
) -> list[ToolResultPlace]:
    """Return every result with content, oldest first."""
    calls = find_pairs(messages).calls
    found = []
    for index, message in enumerate(messages):
        for block in result_blocks(message):
            call = calls.get((index, block))
            if call:
                called = messages[call[0]].blocks[call[1]]
            else:
                called = None
            tool = called.name if isinstance(called, ToolCall) else ""
            found.append(
                result_at(
                    index,
                    message,
                    block,
                    call,
                    tool,
                    lambda one: context.estimate_tokens((one,)),
                )
            )
    return found


def result_blocks(message: Message) -> tuple[int, ...]:
    """Return the result blocks with content; -1 for an observation."""
    blocks = [
        block_index
        for block_index, block in enumerate(message.blocks)
        if isinstance(block, ToolResponse) and block.result not in (None, "", MISSING)
    ]
    # An observation is the environment's response, written by a harness without tool calls. The
    # flags come
    # last: checking them is ten times slower.
    is_observation = (
        message.extra.get("message_type") == "observation"
        and message.flags & MessageFlag.META
    )
    if is_observation:
        return (-1, *blocks)
    return tuple(blocks)


def result_at(
    index: int,
    message: Message,
    block: int,
    call: tuple[int, int] | None,
    tool: str,
    count: Callable[[Message], int],
) -> ToolResultPlace:
    """Return the result at a place of ``result_blocks``; ``tool`` is from its call, ``count``
    returns tokens."""
    if block < 0:
        return ToolResultPlace(index, -1, None, "", count(message))
    response = message.blocks[block]
    assert isinstance(response, ToolResponse)
    if len(message.blocks) == 1:
        single_block_message = message
    else:
        single_block_message = replace(message, blocks=(response,))
    return ToolResultPlace(
        index, block, call, tool or response.name, count(single_block_message)
    )


def result_text_at(message: Message, block: int) -> str:
    if block < 0:
        return plain_text(message)
    response = message.blocks[block]
    assert isinstance(response, ToolResponse)
    text, value = result_text(response.result), response.result
    if text or isinstance(value, str):
        return text
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def with_text(message: Message, block: int, text: str) -> Message:
    """Replace the text of one result."""
    if block < 0:
        return replace(message, blocks=(Text(text),))
    response = message.blocks[block]
    assert isinstance(response, ToolResponse)
    return _with_block(message, block, replace(response, result=text))


def without_input(message: Message, block: int) -> Message:
    """Remove the arguments of one call; the message itself where it has none."""
    call = message.blocks[block]
    if not isinstance(call, ToolCall) or call.arguments == {}:
        return message
    return _with_block(message, block, replace(call, arguments={}))


def _with_block(message: Message, block_index: int, block: Block) -> Message:
    return replace(
        message,
        blocks=(
            *message.blocks[:block_index],
            block,
            *message.blocks[block_index + 1 :],
        ),
    )


def matches_tool(tool: str, names: Iterable[str]) -> bool:
    """Return whether a tool is one of these, in any agent's spelling."""
    return normalised_tool_name(tool) in {normalised_tool_name(name) for name in names}
