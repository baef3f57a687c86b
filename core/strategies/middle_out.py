"""middle-out: keep top and bottom word for word, summarise the middle (REQ-CS-002)."""

from __future__ import annotations

import math

from core.settings.keys import PRESERVE, PROFILE, SUMMARY_TOKENS, THRESHOLD, TOP_PRESERVE
from core.settings.schema import Mode
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.helpers import MIN_MESSAGES, PROMPT, no_op_compaction, percent_text, summarise_range
from core.transcript.boundaries import CutRequest, adjust_for_tool_call_boundary, last_responses, snap_cut
from core.transcript.compaction import Compaction, Cut, NoOpCode, Split
from core.transcript.tool_pairs import find_pairs

NAME = PROMPT
_SMALLER_BOTTOM = 0.1
_SMALLER_BOTTOM_HINT = (
    f"{PRESERVE}={_SMALLER_BOTTOM}"  # a smaller bottom, which leaves more messages in the middle
)


def compress(context: StrategyContext) -> Compaction:
    """Summarise the messages between top and bottom; fewer than 4 are a no-op (REQ-CS-002.8)."""
    history = context.history
    count = len(history)
    if not count:
        return no_op_compaction(context, NAME, NoOpCode.EMPTY_HISTORY, "The history is empty.")
    keep_top, keep_bottom = context.values.number(TOP_PRESERVE), context.values.number(PRESERVE)
    # The order of these operations on floats is part of the reference's behaviour.
    top, bottom = math.ceil(count * keep_top), math.floor(count * (1 - keep_bottom))
    last_response_by_id = last_responses(history)
    pairs = find_pairs(history)
    safe = context.mode is Mode.SAFE
    top_text = f"keep top {percent_text(keep_top)} of {count}"
    bottom_text = f"keep bottom {percent_text(keep_bottom)} of {count}"
    top_reference = adjust_for_tool_call_boundary(history, top, last_response_by_id)
    bottom_reference = adjust_for_tool_call_boundary(history, bottom, last_response_by_id)
    whole_history = (0, count)
    requests = (
        CutRequest("top", top, top_text, top_reference, False, whole_history),
        CutRequest("bottom", bottom, bottom_text, bottom_reference, True, whole_history),
    )
    cuts = [snap_cut(request, pairs, safe=safe, display_index=context.source_index) for request in requests]
    if cuts[0] is None or cuts[1] is None:  # pragma: no cover - 0 and n are always valid
        raise AssertionError("no valid boundary")
    start, end = cuts[0].index, cuts[1].index
    split = Split(start, max(0, end - start), count - end, (cuts[0], cuts[1]))
    middle_count = min(bottom - top, end - start)  # the reference counts before it moves the cuts, too
    if middle_count < MIN_MESSAGES:
        smaller_bottom_helps = math.floor(count * (1 - _SMALLER_BOTTOM)) - top >= MIN_MESSAGES
        return _too_few_no_op(
            context,
            max(0, middle_count),
            split if start <= end else None,
            smaller_bottom_helps=smaller_bottom_helps,
        )
    return summarise_range(
        context, NAME, start, end, split, _reasons(context, cuts[0], cuts[1], keep_top, keep_bottom)
    )


def _too_few_no_op(
    context: StrategyContext, middle_count: int, split: Split | None, *, smaller_bottom_helps: bool
) -> Compaction:
    """``smaller_bottom_helps``: a smaller bottom would leave enough messages in the middle."""
    count_text = "lies 1 message" if middle_count == 1 else f"lie {middle_count} messages"
    reason = f"Between top and bottom {count_text}; {NAME} needs {MIN_MESSAGES}."
    return no_op_compaction(
        context,
        NAME,
        NoOpCode.TOO_FEW,
        reason,
        _SMALLER_BOTTOM_HINT if smaller_bottom_helps else "",
        split=split,
    )


def _reasons(
    context: StrategyContext, top: Cut, bottom: Cut, keep_top: float, keep_bottom: float
) -> tuple[str, str, str]:
    count = len(context.history)
    below = context.span(min(bottom.index, count - 1), count)
    return (
        f"In the top: oldest {percent_text(keep_top)} = {context.span(0, max(top.index, 1))}.",
        f"In the middle, {context.span(top.index, bottom.index)}: the summary stands for it.",
        f"In the bottom: newest {percent_text(keep_bottom)} = {below}.",
    )


STRATEGY = Strategy(
    NAME,
    "Keeps the oldest and the newest messages word for word and summarises what lies between.",
    True,
    Trigger(TriggerMode.THRESHOLD, 0.85),
    (TOP_PRESERVE, PRESERVE, SUMMARY_TOKENS, PROFILE, THRESHOLD),
    compress,
    prompts=(NAME,),
    reference="llxprt",
)
