"""Texts, replacements and sizes of tool outputs, and how tiered counts messages.
``truncated_output``, ``removed_placeholder`` and ``wrapped_summary`` are ion's, word for word."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.facts.sentences import value_text
from core.transcript.boundaries import TokenCount
from core.transcript.image_tokens import media_data
from core.transcript.model import Block, Message, Speaker, ToolResponse
from core.transcript.tool_pairs import response_content

REMOVED = "[Output removed"  # start of the placeholder of a removed output
LINE_TOKENS = 10  # tokens assumed per line of an output
MIN_LINES = 5  # lines kept at each end of a truncated output, at least
FIRST_LINE = 100  # characters of an output's first line in its placeholder
OPENING, CLOSING = "<context-summary>", "</context-summary>"
_NEVER_CUT_LINES = 10  # an output of so many lines is not cut, however long they are
_BLANK_ENDS = re.compile(
    r"\A[^\S\x1c-\x1f]+|[^\S\x1c-\x1f]+\Z"
)  # Python's separators are none in ion
_MAX_DEPTH = 20  # levels of a JSON result searched for long texts


def split_lines(text: str) -> list[str]:
    """Split at line feeds, with or without a carriage return; a final line end adds no empty
    line."""
    *lines, last = text.split("\n")
    stripped = [line.removesuffix("\r") for line in lines]
    return [*stripped, last] if last else stripped


def truncated_output(text: str, keep_tokens: int) -> str:
    """Return head and tail of an output; up to ten lines stay as they are, and the text may get
    longer."""
    lines = split_lines(text)
    if len(lines) <= _NEVER_CUT_LINES:
        return text
    keep = min(max(keep_tokens // LINE_TOKENS, MIN_LINES), len(lines) // 2)
    head, tail = "\n".join(lines[:keep]), "\n".join(lines[-keep:])
    return f"{head}{truncation_marker(len(lines) - 2 * keep, 'lines')}{tail}"


def truncation_marker(count: int, unit: str) -> str:
    return f"\n\n... [{count} {unit} truncated] ...\n\n"


def removed_placeholder(text: str) -> str:
    """Return the placeholder of an output: its number of lines and the clipped start of the
    first."""
    lines = split_lines(text)
    first = _BLANK_ENDS.sub("", lines[0][:FIRST_LINE]) if lines else ""
    return f"{REMOVED}: {len(lines)} lines, starting with: {first}...]"


def wrapped_summary(summary: str) -> str:
    """Return the text with which the reference replaces the old part."""
    return (
        f"{OPENING}\n{summary}\n{CLOSING}\n\nThe above is a summary of the earlier "
        "conversation. Continue from where we left off without re-asking the user."
    )


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


def with_changed_blocks(message: Message, new: Mapping[int, Block]) -> Message:
    return replace(
        message,
        blocks=tuple(
            new.get(block_index, block) for block_index, block in enumerate(message.blocks)
        ),
    )


class OutputSizes:
    """Tokens of outputs and texts, without the overhead that a counter adds for a message."""

    def __init__(self, count: TokenCount) -> None:
        self._count, self._overhead = count, count((Message(speaker=Speaker.TOOL, blocks=()),))

    def block_tokens(self, message: Message, block: Block) -> int:
        """Return the tokens of one block; a message that is this block alone was already
        counted."""
        is_only_block = len(message.blocks) == 1 and message.blocks[0] is block
        return (
            self._count(
                (message if is_only_block else Message(speaker=Speaker.TOOL, blocks=(block,)),)
            )
            - self._overhead
        )

    def text_tokens(self, text: str) -> int:
        return (
            self._count((Message(speaker=Speaker.TOOL, blocks=(ToolResponse("", "", text),)),))
            - self._overhead
        )


def message_starts(history: Sequence[Message]) -> tuple[int, ...]:
    """Return where messages begin as tiered counts them: a run of tool messages is one (ION-10)."""
    return tuple(
        index
        for index, message in enumerate(history)
        if message.speaker is not Speaker.TOOL
        or not index
        or history[index - 1].speaker is not Speaker.TOOL
    )


def protected_start(history: Sequence[Message], protected: int) -> int:
    """Return the index of the first of the newest ``protected`` messages; 0 where there are no
    more."""
    starts = message_starts(history)
    if len(starts) <= protected:
        return 0
    return starts[len(starts) - protected] if protected else len(history)


def first_unread(history: Sequence[Message]) -> int:
    """Return the index of the first message that the model has not read yet."""
    return next(
        (i + 1 for i in range(len(history) - 1, -1, -1) if history[i].speaker is Speaker.AI), 0
    )
