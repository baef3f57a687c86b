"""The status bar's price of the next call with and without the compaction."""

from __future__ import annotations

from core.analysis.cost.compaction_cost import compaction_cost
from core.analysis.cost.model import CompactionCost
from core.common import number_format
from core.common.number_format import dollar_text
from core.presentation.model import StatusPart
from core.preview.options import Preview

_TIP = "By the prices of {model} with a warm prompt cache; {summary}."
_NO_SUMMARY_COST = "a summary by a model would come on top, Compare prices it"


def next_call(preview: Preview) -> tuple[StatusPart, ...]:
    """Return the right parts of the status bar; a dash where pending or without a price."""
    if preview.result_source:
        return ()
    if preview.draft or not preview.lint:  # part of the checks
        return (StatusPart(f"next call {number_format.UNKNOWN}", side="right"),)
    cost = compaction_cost(preview)
    if cost.rates is None:
        tip = "The model has no price in the table."
        return (StatusPart(f"price {number_format.UNKNOWN}", "", tip, "right"),)
    summary_note = f"the {dollar_text(cost.summary)} of the summary is in it" if cost.summary else ""
    tip = _TIP.format(model=cost.rates.model, summary=summary_note or _NO_SUMMARY_COST)
    parts = (StatusPart(" · ".join(filter(None, _texts(cost))), "", tip, "right"),)
    if cost.first_changed is None:
        return parts
    prefix = number_format.tokens(preview.count_method.mark, cost.prefix)
    prefix_part = StatusPart(f"cache prefix kept {prefix}", side="right", optional=True)
    return (*parts, prefix_part)


def _texts(cost: CompactionCost) -> list[str]:
    before, after, later = (
        dollar_text(cost_value or 0.0)
        for cost_value in (cost.first_before, cost.first_after, cost.later_after)
    )
    if cost.first_changed is None:
        return [f"next call ≈ {before}"]
    text = f"next call ≈ {before} → {after}, then {later}"
    return [text, f"pays back {payback_text(cost.break_even)}"]


def payback_text(calls: float | None) -> str:
    """Return "never", "at once", "after 5 calls"."""
    if calls is None:
        return "never"
    whole_calls = -int(-calls // 1)
    return f"after {number_format.plural(whole_calls, 'call')}" if whole_calls else "at once"
