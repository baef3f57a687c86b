"""one-shot: summarise everything but the newest messages (llxprt.md section 7)."""

from __future__ import annotations

import math

from core.settings.keys import PRESERVE, PROFILE, SUMMARY_TOKENS, THRESHOLD
from core.settings.schema import Mode
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.helpers import MIN_MESSAGES, PROMPT, no_op_compaction, percent_text, summarise_range
from core.transcript.boundaries import CutRequest, adjust_for_tool_call_boundary, snap_cut
from core.transcript.compaction import Compaction, NoOpCode, Split
from core.transcript.tool_pairs import find_pairs

NAME = "one-shot"


def compress(context: StrategyContext) -> Compaction:
    """Summarise all messages before one cut; fewer than 4 are a no-op."""
    history = context.history
    count = len(history)
    if not count:
        return no_op_compaction(context, NAME, NoOpCode.EMPTY_HISTORY, "The history is empty.")
    keep = context.values.number(PRESERVE)
    requested = math.floor(count * (1 - keep))
    reference = adjust_for_tool_call_boundary(history, requested)
    request = CutRequest(
        "cut", requested, f"keep bottom {percent_text(keep)} of {count}", reference, True, (0, count)
    )
    cut = snap_cut(
        request, find_pairs(history), safe=context.mode is Mode.SAFE, display_index=context.source_index
    )
    if cut is None:  # pragma: no cover - 0 and n are always valid
        raise AssertionError("no valid boundary")
    split = Split(0, cut.index, count - cut.index, (cut,))
    before = min(requested, cut.index)  # the reference counts before it moves the cut, too
    if before < MIN_MESSAGES:
        return _too_few_no_op(context, before, split)
    reasons = (
        "",
        f"Before the cut, {context.span(0, cut.index)}: the summary stands for it.",
        f"In the bottom: newest {percent_text(keep)} = {context.span(min(cut.index, count - 1), count)}.",
    )
    return summarise_range(context, NAME, 0, cut.index, split, reasons)


def _too_few_no_op(context: StrategyContext, before: int, split: Split) -> Compaction:
    count_text = "lies 1 message" if before == 1 else f"lie {before} messages"
    reason = f"Before the cut {count_text}; {NAME} needs {MIN_MESSAGES}."
    return no_op_compaction(context, NAME, NoOpCode.TOO_FEW, reason, f"{PRESERVE}=0.1", split=split)


STRATEGY = Strategy(
    NAME,
    "Summarises everything but the newest messages; nothing at the top stays.",
    True,
    Trigger(TriggerMode.THRESHOLD, 0.85),
    (PRESERVE, SUMMARY_TOKENS, PROFILE, THRESHOLD),
    compress,
    prompts=(PROMPT,),
    reference="llxprt",
)
