"""Costs and savings of a compaction: the key ``cost`` of ``compact --json`` and a section of its report."""

from __future__ import annotations

from core.analysis.cost.compaction_cost import compaction_cost
from core.analysis.cost.model import CompactionCost
from core.analysis.cost.summary_price import is_model_call, paid_dollars
from core.cli.output.table import aligned_table, titled_section
from core.common import number_format
from core.common.json_value import Json
from core.common.number_format import dollar_text
from core.preview.options import Preview


def cost_json(preview: Preview) -> Json:
    """Return dollars, null where no price is known; ``break_even`` is null where it never pays back."""
    cost = compaction_cost(preview)
    return {
        "model": cost.rates.model if cost.rates else None,
        "summary_cost": paid_dollars(preview.compaction.calls),
        "prefix": cost.prefix,
        "first_changed": cost.first_changed,
        "rewritten": cost.rewritten,
        "first_before": cost.first_before,
        "first_after": cost.first_after,
        "later_before": cost.later_before,
        "later_after": cost.later_after,
        "break_even": cost.break_even,
        "unpaid": {"sent": cost.unpaid.sent, "received": cost.unpaid.received},
    }


def cost_lines(preview: Preview) -> list[str]:
    cost = compaction_cost(preview)
    calls = sum(map(is_model_call, preview.compaction.calls))
    paid = paid_dollars(preview.compaction.calls)
    paid_text = number_format.UNKNOWN if paid is None else dollar_text(paid)
    rows = [("model calls", f"{calls}, {paid_text}" if calls else "none")]
    return titled_section("Cost", aligned_table([*rows, *_savings(preview, cost)]))


def _savings(preview: Preview, cost: CompactionCost) -> list[tuple[str, str]]:
    if preview.compaction.no_op is not None:
        return []
    if cost.first_before is None or cost.later_before is None:
        return [("later calls", "no price is known for the model (--model NAME)")]
    payback = (
        "never" if cost.break_even is None else number_format.plural(max(1, round(cost.break_even)), "call")
    )
    return [
        ("next call", f"{_dollars(cost.first_after)} instead of {_dollars(cost.first_before)}"),
        ("each later call", f"{_dollars(cost.later_after)} instead of {_dollars(cost.later_before)}"),
        ("paid back after", payback),
    ]


def _dollars(value: float | None) -> str:
    return number_format.UNKNOWN if value is None else dollar_text(value)
