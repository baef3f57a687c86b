"""middle-out: keep top and bottom word for word, summarise the middle (REQ-CS-002)."""

from __future__ import annotations

import math

from core.settings.schema import (
    PRESERVE,
    PROFILE,
    SUMMARY_TOKENS,
    THRESHOLD,
    TOP_PRESERVE,
)
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

NAME = PROMPT
_SMALLER_BOTTOM = 0.1  # a bottom that leaves more messages in the middle


def compress(context: StrategyContext) -> Compaction:
    """Summarise the messages between top and bottom; fewer than 4 are a no-op (REQ-CS-002.8)."""
    history = context.history
    count = len(context.history)
    if not count:
        return empty_history_no_op(context, NAME, (0, 0, 0))
    keep_top = context.values.number(TOP_PRESERVE)
    keep_bottom = context.values.number(PRESERVE)
    # The order of these operations on floats is part of the reference's behaviour.
    top = math.ceil(count * keep_top)
    bottom = math.floor(count * (1 - keep_bottom))
    pairs = context.pairs
    cuts = []
    for name, requested, keep, keep_low in (
        ("top", top, keep_top, False),
        ("bottom", bottom, keep_bottom, True),
    ):
        reference = adjust_for_tool_call_boundary(history, requested)
        detail = f"keep {name} {percent_text(keep)} of {count}"
        cut = place_cut(
            context,
            CutRequest(
                name=name,
                requested=requested,
                requested_detail=detail,
                reference=reference,
                keep_low=keep_low,
                allowed=(0, count),
            ),
            pairs,
        )
        assert cut is not None  # 0 and n are always valid
        cuts.append(cut)
    start, end = cuts[0].index, cuts[1].index
    split = Split(start, max(0, end - start), count - end, (cuts[0], cuts[1]))
    # The reference counts before it moves the cuts, too.
    middle_count = min(bottom - top, end - start)
    if middle_count < MIN_MESSAGES:
        smaller_bottom_helps = (
            math.floor(count * (1 - _SMALLER_BOTTOM)) - top >= MIN_MESSAGES
        )
        if smaller_bottom_helps:
            hint = f"{PRESERVE}={_SMALLER_BOTTOM}"
        else:
            hint = ""
        # In reference mode the two cuts may cross, and such a split cannot be shown.
        known_split = split if start <= end else None
        return too_few_no_op(
            context,
            NAME,
            "Between top and bottom",
            max(0, middle_count),
            hint,
            known_split,
        )
    reasons = (
        f"In the top: oldest {percent_text(keep_top)} = {context.span(0, max(start, 1))}.",
        f"In the middle, {context.span(start, end)}: the summary stands for it.",
        (
            f"In the bottom: newest {percent_text(keep_bottom)} = "
            f"{context.span(min(end, count - 1), count)}."
        ),
    )
    return summarise_range(context, NAME, start, end, split, reasons)


STRATEGY = Strategy(
    name=NAME,
    about="Keeps Top and Bottom word for word; the Middle becomes one summary.",
    requires_llm=True,
    trigger=Trigger(mode=TriggerMode.THRESHOLD, threshold=0.85),
    options=(TOP_PRESERVE, PRESERVE, SUMMARY_TOKENS, PROFILE, THRESHOLD),
    compress=compress,
    prompts=(NAME,),
    reference="llxprt",
)
