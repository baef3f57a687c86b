"""What a compaction costs with a prompt cache, and when it has paid back (field.md section 4.5)."""

from __future__ import annotations

from core import cache_sums
from core.analysis.call_price import paid_for, unpaid_of
from core.analysis.cost_values import Cost, Rates
from core.compaction import Compaction
from core.models import cache_prices, find_model
from core.preview_values import Preview


def rates_of(model: str) -> Rates | None:
    """The prices of a model, None where the table has none."""
    info = find_model(model) if model else None
    if info is None or info.input_price is None or info.output_price is None:
        return None
    read, write = cache_prices(info)
    return Rates(model, info.input_price, info.output_price, read, write, cache_sums.LEAST)


def cost_of(preview: Preview) -> Cost:
    """The cost of the compaction that a preview shows, for the model whose limit counts."""
    same = unchanged_messages(preview.compaction, len(preview.messages))
    rates = rates_of(preview.window.model)
    prefix = preview.system_tokens + sum(preview.counts[:same])
    prefix = prefix if rates is None or prefix >= rates.least else 0
    before = preview.before_tokens + preview.system_tokens
    after = preview.after_tokens + preview.system_tokens
    first = same if same < max(len(preview.messages), len(preview.compaction.messages)) else None
    rewritten = after - prefix if first is not None else 0
    calls = preview.compaction.calls
    if rates is None:
        return Cost(prefix, first, rewritten, None, unpaid=unpaid_of(calls))
    added = rates.write * cache_sums.appended_per_call(preview.messages, preview.counts)
    summary = paid_for(calls)
    even = None if first is None else break_even(rates, before, after, prefix, summary or 0.0)
    return Cost(
        prefix,
        first,
        rewritten,
        rates,
        summary,
        first_before=rates.read * before + added,
        first_after=rates.read * prefix + rates.write * rewritten + added,
        later_before=rates.read * before + added,
        later_after=rates.read * after + added,
        break_even=even,
        unpaid=unpaid_of(calls),
    )


def unchanged_messages(run: Compaction, count: int) -> int:
    """How many messages from the first on are the source's own, in its order."""
    if run.no_op is not None:
        return count
    for place, sources in enumerate(run.origins):
        kept = sources == (place,) and place not in run.inserted and place < count
        if not kept or len(run.fates[place].steps) != 1 or run.fates[place].kind.value != "kept":
            return place
    return len(run.origins)


def break_even(rates: Rates, before: int, after: int, prefix: int, summary: float) -> float | None:
    """Calls until a compaction has paid back with a warm cache; None where it never does.

    ``before`` and ``after`` are the tokens of the whole request, ``prefix`` those that stay cached,
    ``summary`` what its calls cost in dollars.
    """
    return cache_sums.break_even(before, after, prefix, rates.read, rates.write, summary)
