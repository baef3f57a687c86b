"""Text, replacement and sizes of tool outputs, and how tiered counts messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.facts.sentences import value_text
from core.transcript.boundaries import TokenCount
from core.transcript.image_tokens import media_data
from core.transcript.model import Block, Message, Speaker, ToolResponse
from core.transcript.tool_outcomes import response_content

_MAX_DEPTH = 20  # levels of a JSON result searched for long texts


def output_text(response: ToolResponse) -> str:
    """Return a tool's answer as text, without media."""
    value = response_content(response)
    return "" if value is MISSING or isinstance(value, bool) else value_text(value)


def with_content(response: ToolResponse, value: Json) -> ToolResponse:
    """Replace the answer; a failed response still counts as failed."""
    no_result = response.result in (None, "", MISSING)
    in_error = no_result and response.error not in (MISSING, None, "", True, False)
    return replace(response, error=value) if in_error else replace(response, result=value)


def with_shortened_texts(value: Json, shorten: Callable[[str], str], depth: int = 0) -> Json:
    """Shorten every text in a result; its shape and media stay."""
    if isinstance(value, str):
        return shorten(value)
    if depth >= _MAX_DEPTH or media_data(value) is not None:
        return value
    if isinstance(value, list):
        return [with_shortened_texts(item, shorten, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: with_shortened_texts(item, shorten, depth + 1) for key, item in value.items()}
    return value


def with_blocks(message: Message, new: Mapping[int, Block]) -> Message:
    blocks = tuple(new.get(place, block) for place, block in enumerate(message.blocks))
    return replace(message, blocks=blocks)


class OutputSizes:
    """Tokens of outputs and texts, without the overhead that a counter adds for a message."""

    def __init__(self, count: TokenCount) -> None:
        self._count = count
        self._overhead = count((Message(Speaker.TOOL, ()),))

    def block_tokens(self, message: Message, block: Block) -> int:
        """Return the tokens of one block; a message that is this block alone was already counted."""
        is_only_block = len(message.blocks) == 1 and message.blocks[0] is block
        return self._count((message if is_only_block else Message(Speaker.TOOL, (block,)),)) - self._overhead

    def text_tokens(self, text: str) -> int:
        return self.block_tokens(_EMPTY_MESSAGE, ToolResponse("", "", text))


_EMPTY_MESSAGE = Message(Speaker.TOOL, ())


def message_starts(history: Sequence[Message]) -> tuple[int, ...]:
    """Return where messages begin as tiered counts them: a run of tool messages is one (ion section 1.1)."""
    return tuple(
        index
        for index, message in enumerate(history)
        if message.speaker is not Speaker.TOOL or not index or history[index - 1].speaker is not Speaker.TOOL
    )


def protected_start(history: Sequence[Message], protected: int) -> int:
    """Return the index of the first of the newest ``protected`` messages; 0 where there are no more."""
    starts = message_starts(history)
    if len(starts) <= protected:
        return 0
    return starts[len(starts) - protected] if protected else len(history)
