"""top-down-truncation: drop the oldest messages until the rest is under the target (REQ-CS-003)."""

from __future__ import annotations

from dataclasses import replace

from core.settings.keys import LIMIT, THRESHOLD
from core.settings.schema import Mode
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.helpers import (
    OLDEST_FIRST,
    hidden_tokens_no_op,
    no_op_compaction,
    no_op_if_larger,
    require_limit,
    single_fate,
    trigger_threshold,
)
from core.transcript.boundaries import CutRequest, adjust_for_tool_call_boundary, snap_cut, suffix_sums
from core.transcript.compaction import Compaction, CompactionMetadata, FateKind, NoOpCode, Split
from core.transcript.model import Message, MessageFlag, Speaker, Text, tool_calls, tool_responses
from core.transcript.tool_pairs import find_pairs

NAME = "top-down-truncation"
TRIGGER = Trigger(TriggerMode.THRESHOLD, 0.85)
FACTOR = 0.6  # the target as a share of threshold × limit (llxprt.md section 6)
MIN_KEPT = 2  # messages that always stay (REQ-CS-003.5)
_NOT_TYPED = MessageFlag.META | MessageFlag.COMMAND | MessageFlag.API_ERROR | MessageFlag.RECORDED_SUMMARY


def compress(context: StrategyContext) -> Compaction:
    """Drop the oldest messages; at least 2 messages stay, and in safe mode the last request."""
    history = context.history
    count = len(history)
    if not count:
        return no_op_compaction(context, NAME, NoOpCode.EMPTY_HISTORY, "The history is empty.", parts=None)
    limit = require_limit(context, NAME)
    target = trigger_threshold(context, TRIGGER.threshold) * limit * FACTOR
    if context.current_token_count <= target:
        reason = f"Already under the target: {context.current_token_count:,} of {int(target):,} tokens."
        return _no_op(context, NoOpCode.UNDER_TARGET, reason, target)
    if refused := hidden_tokens_no_op(context, NAME, target):
        return refused
    drop_count = _count_to_drop(context, target - context.hidden)
    if count <= MIN_KEPT:
        count_text = "There is 1 message" if count == 1 else f"There are {count} messages"
        return _no_op(context, NoOpCode.TOO_FEW, f"{count_text}; {MIN_KEPT} always stay.", target)
    reference = min(adjust_for_tool_call_boundary(history, drop_count), count - MIN_KEPT)
    request_text = f"drop until under {int(target):,} tokens"
    min_drop = 0 if reference <= 0 else 1  # remove something if possible wherever the reference does
    request = CutRequest("cut", drop_count, request_text, reference, True, (min_drop, count - MIN_KEPT))
    cut = snap_cut(
        request, find_pairs(history), safe=context.mode is Mode.SAFE, display_index=context.source_index
    )
    if cut is None or (cut.index <= 0 and context.mode is Mode.SAFE):
        reason = "Every message that could go belongs to a pair that reaches into the newest messages."
        if cut is not None:
            reason = (
                "Unanswered calls move the cut back to the first message, so that nothing is left to drop."
            )
        return _no_op(context, NoOpCode.NO_VALID_BOUNDARY, reason, target)
    split = Split(0, cut.index, count - cut.index, (cut,))
    return _truncate(context, cut.index, split, int(target))


def _count_to_drop(context: StrategyContext, target: float) -> int:
    """Return the smallest number of dropped messages that meets the target, else all but the minimum."""
    sums = suffix_sums(context.history, context.estimate_tokens)
    max_drop = max(0, len(context.history) - MIN_KEPT)
    return next((index for index in range(1, max_drop + 1) if sums[index] < target), max_drop)


def _no_op(context: StrategyContext, code: NoOpCode, reason: str, target: float) -> Compaction:
    return replace(no_op_compaction(context, NAME, code, reason, parts=None), target=int(target))


def _truncate(context: StrategyContext, cut: int, split: Split, target: int) -> Compaction:
    history = context.history
    last_index = _last_request(history) if context.mode is Mode.SAFE else None
    last_request = (last_index,) if last_index is not None and last_index < cut else ()
    kept_reason = f"In the rest, {context.span(cut, len(history))}: under the target of {target:,} tokens."
    dropped_reason = f"Oldest first until under {target:,} tokens; {cut} messages in all."
    dropped_fate = single_fate(FateKind.DROPPED, OLDEST_FIRST, dropped_reason)
    kept_fate = single_fate(FateKind.KEPT, "rest", kept_reason)
    fates = [dropped_fate] * cut + [kept_fate] * (len(history) - cut)
    for index in last_request:
        reason = "The last request stays, alone in front of the rest."
        fates[index] = single_fate(FateKind.KEPT, "last request", reason, fix="TD-02")
    remaining = (*last_request, *range(cut, len(history)))
    messages = tuple(history[index] for index in remaining)
    metadata = CompactionMetadata(len(history), len(messages), NAME, False)
    origins = tuple((index,) for index in remaining)
    compaction = Compaction(messages, origins, tuple(fates), metadata, split=split, target=target)
    return no_op_if_larger(context, compaction)


def _last_request(history: tuple[Message, ...]) -> int | None:
    """Return the index of the last message typed by the user: no meta, command or error row, with text."""
    for index in range(len(history) - 1, -1, -1):
        message = history[index]
        is_typed = message.speaker is Speaker.HUMAN and not message.flags & _NOT_TYPED
        has_text = any(isinstance(block, Text) and block.text.strip() for block in message.blocks)
        if is_typed and has_text and not any(tool_responses(message)) and not any(tool_calls(message)):
            return index
    return None


STRATEGY = Strategy(
    NAME,
    "Drops the oldest messages until the rest is under the target; no model, no summary.",
    False,
    TRIGGER,
    (THRESHOLD, LIMIT),
    compress,
    needs_limit=True,
    reference="llxprt",
)
