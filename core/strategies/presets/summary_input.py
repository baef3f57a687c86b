"""Prepares the messages of a preset's summary request: shortens them until they fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.transcript.boundaries import TokenCount
from core.transcript.model import Block, Media, Message, Text, ToolResponse, tool_responses
from core.transcript.tool_outcomes import result_text

REMOVED = "[result left out, so that the request fits]"
"""Replaces a tool result removed from a summary request."""

_CUT = "\n[… {count:,} characters left out]"


@dataclass(frozen=True, slots=True)
class SummaryInput:
    """The messages of a request with their ascending positions. ``unread`` says why others are left out;
    ``steps`` are sentences about how it was made to fit."""

    messages: tuple[Message, ...]
    positions: tuple[int, ...]
    unread: Mapping[int, str] = field(default_factory=dict)
    steps: tuple[str, ...] = ()


def without_media(summary_input: SummaryInput) -> SummaryInput:
    """Replace images and documents by a word each."""

    def plain(block: Block) -> Block:
        return Text(f"[{block.mime or 'media'} left out]") if isinstance(block, Media) else block

    return _with_blocks_changed(summary_input, plain)


def with_shortened_results(summary_input: SummaryInput, max_chars: int) -> SummaryInput:
    """Cut tool results to ``max_chars`` characters."""

    def short(block: Block) -> Block:
        text = result_text(block.result) if isinstance(block, ToolResponse) else ""
        if not isinstance(block, ToolResponse) or len(text) <= max_chars:
            return block
        return replace(block, result=text[:max_chars] + _CUT.format(count=len(text) - max_chars))

    return _with_blocks_changed(summary_input, short)


def only_newest_messages(summary_input: SummaryInput, tokens: int, count: TokenCount) -> SummaryInput:
    """Keep the newest messages within ``tokens``, at least one; the others are not read."""
    start, tokens_left = len(summary_input.messages), tokens
    while start > 0:
        tokens_left -= count((summary_input.messages[start - 1],))
        if tokens_left < 0 and start < len(summary_input.messages):
            break
        start -= 1
    reason = f"Never read: the model was given the newest {tokens:,} tokens only."
    unread = {**summary_input.unread, **dict.fromkeys(summary_input.positions[:start], reason)}
    return replace(
        summary_input,
        messages=summary_input.messages[start:],
        positions=summary_input.positions[start:],
        unread=unread,
    )


def fit_summary_input(
    summary_input: SummaryInput, ladder: Sequence[int], max_tokens: int | None, count: TokenCount
) -> SummaryInput | None:
    """Remove tool results from the middle outwards, by the first percentage that fits. ``ladder`` are
    percentages of the messages with results, ``max_tokens`` is in tokens, None where no limit is known;
    then the first percentage applies. Returns None where even the last one does not fit."""
    result_indices = [
        index for index, message in enumerate(summary_input.messages) if any(tool_responses(message))
    ]
    middle = (len(result_indices) - 1) / 2
    middle_out = sorted(range(len(result_indices)), key=lambda index: abs(index - middle))
    for percent in ladder:
        removed = frozenset(
            result_indices[index] for index in middle_out[: -(-len(result_indices) * percent // 100)]
        )
        shortened = _without_results(summary_input, removed, percent)
        if max_tokens is None or count(shortened.messages) <= max_tokens:
            return shortened
    return None


def _without_results(summary_input: SummaryInput, removed: frozenset[int], percent: int) -> SummaryInput:
    """Replace the results in the messages at ``removed``; their calls stay answered."""
    if not removed:
        return summary_input

    def empty(block: Block) -> Block:
        return replace(block, result=REMOVED) if isinstance(block, ToolResponse) else block

    messages = tuple(
        replace(message, blocks=tuple(map(empty, message.blocks))) if index in removed else message
        for index, message in enumerate(summary_input.messages)
    )
    step = (
        f"Took {percent} % of the results of tools ({len(removed)}) out of the middle, so that the rest fits."
    )
    reason = f"Its results were never read: {percent} % of all were taken out, from the middle on."
    unread = {summary_input.positions[index]: reason for index in removed}
    return replace(summary_input, messages=messages, unread={**summary_input.unread, **unread}, steps=(step,))


def _with_blocks_changed(summary_input: SummaryInput, change: Callable[[Block], Block]) -> SummaryInput:
    messages = tuple(
        replace(message, blocks=tuple(map(change, message.blocks))) for message in summary_input.messages
    )
    return replace(summary_input, messages=messages)
