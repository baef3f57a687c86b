"""What a preset's summariser is given of the messages that it stands for, and what it never sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.transcript.boundaries import TokenCount
from core.transcript.model import Block, Media, Message, Text, ToolResponse, tool_responses
from core.transcript.tool_outcomes import result_text

REMOVED = "[result left out, so that the request fits]"
"""Stands in a summary request for the result of a tool that the ladder took out."""

_CUT = "\n[… {count:,} characters left out]"


@dataclass(frozen=True, slots=True)
class SummaryInput:
    """The messages of a request with their positions, ascending; ``unread`` says why others are not
    in it; ``steps`` what was done to make it fit, as sentences."""

    messages: tuple[Message, ...]
    positions: tuple[int, ...]
    unread: Mapping[int, str] = field(default_factory=dict)
    steps: tuple[str, ...] = ()


def without_media(material: SummaryInput) -> SummaryInput:
    """Images and documents as a word each."""

    def plain(block: Block) -> Block:
        return Text(f"[{block.mime or 'media'} left out]") if isinstance(block, Media) else block

    return _each(material, plain)


def short_results(material: SummaryInput, most: int) -> SummaryInput:
    """Results of tools cut to ``most`` characters."""

    def short(block: Block) -> Block:
        text = result_text(block.result) if isinstance(block, ToolResponse) else ""
        if not isinstance(block, ToolResponse) or len(text) <= most:
            return block
        return replace(block, result=text[:most] + _CUT.format(count=len(text) - most))

    return _each(material, short)


def newest_messages(material: SummaryInput, tokens: int, count: TokenCount) -> SummaryInput:
    """The newest messages within ``tokens``, and at least one; the others are not read."""
    start, left = len(material.messages), tokens
    while start > 0:
        left -= count((material.messages[start - 1],))
        if left < 0 and start < len(material.messages):
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
    """With as many results of tools taken out of the middle as the first rung says that fits.

    ``ladder`` are percentages of the messages with results, ``room`` tokens, None where no limit is
    known; then the first rung does. None where the last rung does not fit.
    """
    of_tools = [at for at, message in enumerate(material.messages) if any(tool_responses(message))]
    middle = (len(of_tools) - 1) / 2
    middle_out = sorted(range(len(of_tools)), key=lambda place: abs(place - middle))
    for percent in ladder:
        gone = frozenset(of_tools[place] for place in middle_out[: -(-len(of_tools) * percent // 100)])
        tried = _emptied(material, gone, percent)
        if room is None or count(tried.messages) <= room:
            return tried
    return None


def _emptied(material: SummaryInput, gone: frozenset[int], percent: int) -> SummaryInput:
    """Without the results in the messages of ``gone``; their calls stay answered."""
    if not gone:
        return material

    def empty(block: Block) -> Block:
        return replace(block, result=REMOVED) if isinstance(block, ToolResponse) else block

    messages = tuple(
        replace(message, blocks=tuple(map(empty, message.blocks))) if at in gone else message
        for at, message in enumerate(material.messages)
    )
    step = f"Took {percent} % of the results of tools ({len(gone)}) out of the middle, so that the rest fits."
    reason = f"Its results were never read: {percent} % of all were taken out, from the middle on."
    unread = {material.positions[at]: reason for at in gone}
    return replace(material, messages=messages, unread={**material.unread, **unread}, steps=(step,))


def _each(material: SummaryInput, change: Callable[[Block], Block]) -> SummaryInput:
    messages = tuple(
        replace(message, blocks=tuple(map(change, message.blocks))) for message in material.messages
    )
    return replace(material, messages=messages)
