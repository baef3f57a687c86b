"""The text of a tool result, a result with another text, and how tiered counts messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.facts.sentences import value_text
from core.transcript.boundaries import TokenCount
from core.transcript.image_tokens import media_data
from core.transcript.model import Block, Message, Speaker, ToolResponse
from core.transcript.tool_outcomes import answer_of

_DEEPEST = 20
"""Levels of a JSON result that are searched for long texts."""


def output_text(response: ToolResponse) -> str:
    """What a tool answered, as text; media count for nothing."""
    value = answer_of(response)
    return "" if value is MISSING or isinstance(value, bool) else value_text(value)


def with_content(response: ToolResponse, value: Json) -> ToolResponse:
    """The response with another answer; that it failed stays known."""
    no_result = response.result in (None, "", MISSING)
    in_error = no_result and response.error not in (MISSING, None, "", True, False)
    return replace(response, error=value) if in_error else replace(response, result=value)


def with_shortened_texts(value: Json, shorten: Callable[[str], str], depth: int = 0) -> Json:
    """A result with every text in it shortened, its shape and its media as they were."""
    if isinstance(value, str):
        return shorten(value)
    if depth >= _DEEPEST or media_data(value) is not None:
        return value
    if isinstance(value, list):
        return [with_shortened_texts(one, shorten, depth + 1) for one in value]
    if isinstance(value, dict):
        return {key: with_shortened_texts(one, shorten, depth + 1) for key, one in value.items()}
    return value


def with_blocks(message: Message, new: Mapping[int, Block]) -> Message:
    """The message with other blocks at these places."""
    blocks = tuple(new.get(place, block) for place, block in enumerate(message.blocks))
    return replace(message, blocks=blocks)


class OutputSizes:
    """Tokens of outputs and texts, without what a counter adds for the message around them."""

    def __init__(self, count: TokenCount) -> None:
        self._count = count
        self._around = count((Message(Speaker.TOOL, ()),))

    def block(self, message: Message, block: Block) -> int:
        """Tokens of one block of a message; a message of that block alone was counted before."""
        alone = len(message.blocks) == 1 and message.blocks[0] is block
        return self._count((message if alone else Message(Speaker.TOOL, (block,)),)) - self._around

    def text(self, text: str) -> int:
        """Tokens of a text."""
        return self.block(_NOBODY, ToolResponse("", "", text))


_NOBODY = Message(Speaker.TOOL, ())


def counted_starts(history: Sequence[Message]) -> tuple[int, ...]:
    """Where a message begins as tiered counts them: a run of tool messages is one (ion section 1.1)."""
    return tuple(
        index
        for index, message in enumerate(history)
        if message.speaker is not Speaker.TOOL or not index or history[index - 1].speaker is not Speaker.TOOL
    )


def protected_start(history: Sequence[Message], protected: int) -> int:
    """The index behind which the newest ``protected`` messages lie; 0 where there are no more than those."""
    found = counted_starts(history)
    if len(found) <= protected:
        return 0
    return found[len(found) - protected] if protected else len(history)
