"""The newest messages of a run: some uncut, those behind them with clipped results and arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.strategies.base import StrategyContext
from core.strategies.presets.tool_results import result_text_at, with_text
from core.strategies.stubs import clip_text
from core.transcript.images import images_of
from core.transcript.model import Block, Message, ToolCall, ToolResponse
from core.transcript.tool_pairs import Pairs

MAX_CLIPPED = 1_500
"""Characters of a clipped result or argument; 600 and 3,000 keep one to three points less."""
_BASE, _BY_WORK = 0.05, 0.55  # shares of the room, in talk and what work adds
_UNCUT_BY_WORK = (
    0.20  # without it one point of needed names and two of surroundings less
)
_LEAST = 0.5  # share of the room within which the last messages stay, however little is theirs


def newest_messages(
    context: StrategyContext,
    pairs: Pairs,
    room: int,
    work: float,
    left_out: frozenset[int],
) -> Mapping[int, Message]:
    """Return by index as many messages as their share of the room holds, from a valid boundary on;
    of work, much of what comes next goes on from them. Messages left out take no room."""
    history = context.history
    share, uncut_share = _BASE + _BY_WORK * work, _BASE + _UNCUT_BY_WORK * work
    start, used, is_cut = len(history), 0, False
    found: dict[int, Message] = {}
    for index in range(len(history) - 1, -1, -1):
        context.progress(0.0, "Compacting")
        if index not in left_out:
            message = history[index]
            is_cut = (
                is_cut
                or used + context.estimate_tokens((message,)) > uncut_share * room
            )
            if is_cut:
                message = _clipped(message)
            else:
                message = message
            used += context.estimate_tokens((message,))
            if start < len(history):
                limit = share
            else:
                limit = max(share, _LEAST)
            if used > limit * room:
                break
            found[index] = message
        if pairs.valid[index]:
            start = index
    return {index: message for index, message in found.items() if index >= start}


def _clipped(message: Message) -> Message:
    """Return the message with the beginning and end of its long results and arguments."""
    if any(images_of(message)):
        return message
    for place, block in enumerate(message.blocks):
        if isinstance(block, ToolResponse):
            text = result_text_at(message, place)
            if len(text) > MAX_CLIPPED:
                message = with_text(
                    message, place, clip_text(text, len(text), MAX_CLIPPED)
                )
    blocks = tuple(map(_clipped_call, message.blocks))
    if blocks != message.blocks:
        return replace(message, blocks=blocks)
    return message


def _clipped_call(block: Block) -> Block:
    if not isinstance(block, ToolCall) or not isinstance(block.arguments, dict):
        return block
    long = {
        key: clip_text(value, len(value), MAX_CLIPPED)
        for key, value in block.arguments.items()
        if isinstance(value, str) and len(value) > MAX_CLIPPED
    }
    if long:
        return replace(block, arguments={**block.arguments, **long})
    return block
