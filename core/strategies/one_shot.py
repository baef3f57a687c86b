"""one-shot: summarise everything but the newest messages."""

from __future__ import annotations

import math

from core.settings.schema import PRESERVE, PROFILE, SUMMARY_TOKENS, THRESHOLD
from core.strategies import names
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.helpers import (
    MIN_MESSAGES,
    PROMPT,
    empty_history_no_op,
    percent_text,
    place_cut,
    summarise_range,
    too_few_no_op,
)
from core.transcript.compaction import Compaction, Split
from core.transcript.tool_pairs import CutRequest, adjust_for_tool_call_boundary

NAME = names.ONE_SHOT


def compress(context: StrategyContext) -> Compaction:
    """Summarise all messages before one cut; fewer than 4 are a no-op."""
    history = context.history
    count = len(context.history)
    if not count:
        return empty_history_no_op(context, NAME, (0, 0, 0))
    keep = context.values.number(PRESERVE)
    requested = math.floor(count * (1 - keep))
    reference = adjust_for_tool_call_boundary(history, requested)
    detail = f"keep bottom {percent_text(keep)} of {count}"
    request = CutRequest(
        name="cut",
        requested=requested,
        requested_detail=detail,
        reference=reference,
        keep_low=True,
        allowed=(0, count),
    )
    cut = place_cut(context, request, context.pairs)
    assert cut is not None  # 0 and n are always valid
    split = Split(0, cut.index, count - cut.index, (cut,))
    # The reference counts before it moves the cut, too.
    before = min(requested, cut.index)
    if before < MIN_MESSAGES:
        return too_few_no_op(
            context, NAME, "Before the cut", before, f"{PRESERVE}=0.1", split
        )
    reasons = (
        "",
        f"Before the cut, {context.span(0, cut.index)}: the summary stands for it.",
        (
            f"In the bottom: newest {percent_text(keep)} = "
            f"{context.span(min(cut.index, count - 1), count)}."
        ),
    )
    return summarise_range(context, NAME, 0, cut.index, split, reasons)


STRATEGY = Strategy(
    name=NAME,
    about="Keeps the Bottom; everything before it becomes one summary.",
    requires_llm=True,
    trigger=Trigger(mode=TriggerMode.THRESHOLD, threshold=0.85),
    options=(PRESERVE, SUMMARY_TOKENS, PROFILE, THRESHOLD),
    compress=compress,
    prompts=(PROMPT,),
    reference="llxprt",
)
