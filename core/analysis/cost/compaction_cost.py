"""What a compaction costs with a prompt cache, and when it has paid back (field.md section 4.5)."""

from __future__ import annotations

from core.analysis.cost.model import CompactionCost
from core.analysis.cost.summary_price import paid_for, unpaid_of
from core.llm import prompt_cache
from core.llm.catalog import caches_for_an_hour, rates_of
from core.preview.options import Preview
from core.settings.keys import CACHE_LIFETIME
from core.transcript.compaction import Compaction


def cost_of(preview: Preview) -> CompactionCost:
    """The cost of the compaction that a preview shows, for the model whose limit counts."""
    same = unchanged_messages(preview.compaction, len(preview.messages))
    hour = caches_for_an_hour(preview.conversation, preview.values.text(CACHE_LIFETIME))
    rates = rates_of(preview.window.model, hour)
    overhead = preview.used - preview.before_tokens
    prefix = max(0, overhead + sum(preview.counts[:same]))
    prefix = prefix if rates is None or prefix >= rates.least else 0
    before, after = preview.used, preview.after_tokens + overhead
    first = same if same < max(len(preview.messages), len(preview.compaction.messages)) else None
    rewritten = after - prefix if first is not None else 0
    calls = preview.compaction.calls
    if rates is None:
        return CompactionCost(prefix, first, rewritten, None, unpaid=unpaid_of(calls))
    added = prompt_cache.appended_per_call(preview.messages, preview.counts)
    summary = paid_for(calls)
    even = (
        None
        if first is None
        else prompt_cache.break_even(before, after, prefix, rates, summary or 0.0, added)
    )
    later_before, later_after = (prompt_cache.later_call(one, rates, added) for one in (before, after))
    return CompactionCost(
        prefix,
        first,
        rewritten,
        rates,
        summary,
        first_before=later_before,
        first_after=later_after
        + (prompt_cache.rewrite_cost(after, prefix, rates) if first is not None else 0.0),
        later_before=later_before,
        later_after=later_after,
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
