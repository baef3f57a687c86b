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


def without_media(material: SummaryInput) -> SummaryInput:
    """Replace images and documents by a word each."""

    def plain(block: Block) -> Block:
        return Text(f"[{block.mime or 'media'} left out]") if isinstance(block, Media) else block

    return _with_blocks_changed(material, plain)


def short_results(material: SummaryInput, most: int) -> SummaryInput:
    """Cut tool results to ``most`` characters."""

    def short(block: Block) -> Block:
        text = result_text(block.result) if isinstance(block, ToolResponse) else ""
        if not isinstance(block, ToolResponse) or len(text) <= most:
            return block
        return replace(block, result=text[:most] + _CUT.format(count=len(text) - most))

    return _with_blocks_changed(material, short)


def newest_messages(material: SummaryInput, tokens: int, count: TokenCount) -> SummaryInput:
    """Keep the newest messages within ``tokens``, at least one; the others are not read."""
    start, tokens_left = len(material.messages), tokens
    while start > 0:
        tokens_left -= count((material.messages[start - 1],))
        if tokens_left < 0 and start < len(material.messages):
            break
        start -= 1
    reason = f"Never read: the model was given the newest {tokens:,} tokens only."
    unread = {**material.unread, **dict.fromkeys(material.positions[:start], reason)}
    return replace(
        material, messages=material.messages[start:], positions=material.positions[start:], unread=unread
    )


def fit_summary_input(
    material: SummaryInput, ladder: Sequence[int], room: int | None, count: TokenCount
) -> SummaryInput | None:
    """Remove tool results from the middle outwards, by the first percentage that fits. ``ladder`` are
    percentages of the messages with results, ``room`` is in tokens, None where no limit is known; then the
    first percentage applies. Returns None where even the last one does not fit."""
    of_tools = [index for index, message in enumerate(material.messages) if any(tool_responses(message))]
    middle = (len(of_tools) - 1) / 2
    middle_out = sorted(range(len(of_tools)), key=lambda index: abs(index - middle))
    for percent in ladder:
        removed = frozenset(of_tools[index] for index in middle_out[: -(-len(of_tools) * percent // 100)])
        shortened = _without_results(material, removed, percent)
        if room is None or count(shortened.messages) <= room:
            return shortened
    return None


def _without_results(material: SummaryInput, removed: frozenset[int], percent: int) -> SummaryInput:
    """Replace the results in the messages at ``removed``; their calls stay answered."""
    if not removed:
        return material

    def empty(block: Block) -> Block:
        return replace(block, result=REMOVED) if isinstance(block, ToolResponse) else block

    messages = tuple(
        replace(message, blocks=tuple(map(empty, message.blocks))) if at in removed else message
        for at, message in enumerate(material.messages)
    )
    step = (
        f"Took {percent} % of the results of tools ({len(removed)}) out of the middle, so that the rest fits."
    )
    reason = f"Its results were never read: {percent} % of all were taken out, from the middle on."
    unread = {material.positions[at]: reason for at in removed}
    return replace(material, messages=messages, unread={**material.unread, **unread}, steps=(step,))


def _with_blocks_changed(material: SummaryInput, change: Callable[[Block], Block]) -> SummaryInput:
    messages = tuple(
        replace(message, blocks=tuple(map(change, message.blocks))) for message in material.messages
    )
    return replace(material, messages=messages)
