"""Costs of a compaction with a prompt cache, and its break-even (field.md section 4.5)."""

from __future__ import annotations

from core.analysis.cost.model import CompactionCost
from core.analysis.cost.summary_price import paid_dollars, unpaid_requests
from core.llm import prompt_cache
from core.llm.catalog import caches_for_an_hour, token_rates
from core.preview.options import Preview
from core.settings.keys import CACHE_LIFETIME
from core.transcript.compaction import Compaction


def compaction_cost(preview: Preview) -> CompactionCost:
    unchanged_count = count_unchanged_messages(preview.compaction, len(preview.messages))
    is_hour_cache = caches_for_an_hour(preview.conversation, preview.values.text(CACHE_LIFETIME))
    rates = token_rates(preview.window.model, is_hour_cache)
    overhead = preview.request_tokens - preview.before_tokens
    prefix = max(0, overhead + sum(preview.counts[:unchanged_count]))
    prefix = prefix if rates is None or prefix >= rates.least else 0
    before, after = preview.request_tokens, preview.after_tokens + overhead
    first_changed = (
        unchanged_count
        if unchanged_count < max(len(preview.messages), len(preview.compaction.messages))
        else None
    )
    rewritten = after - prefix if first_changed is not None else 0
    calls = preview.compaction.calls
    if rates is None:
        return CompactionCost(prefix, first_changed, rewritten, None, unpaid=unpaid_requests(calls))
    appended_tokens = prompt_cache.appended_per_call(preview.messages, preview.counts)
    summary = paid_dollars(calls)
    break_even = (
        None
        if first_changed is None
        else prompt_cache.break_even(before, after, prefix, rates, summary or 0.0, appended_tokens)
    )
    later_before, later_after = (
        prompt_cache.later_call_price(size, rates, appended_tokens) for size in (before, after)
    )
    return CompactionCost(
        prefix,
        first_changed,
        rewritten,
        rates,
        summary,
        first_before=later_before,
        first_after=later_after
        + (prompt_cache.rewrite_cost(after, prefix, rates) if first_changed is not None else 0.0),
        later_before=later_before,
        later_after=later_after,
        break_even=break_even,
        unpaid=unpaid_requests(calls),
    )


def count_unchanged_messages(compaction: Compaction, count: int) -> int:
    """Count the leading result messages that are the source's own, in its order."""
    if compaction.no_op is not None:
        return count
    for index, sources in enumerate(compaction.origins):
        is_copied = sources == (index,) and index not in compaction.inserted and index < count
        fate = compaction.fates[index] if is_copied else None
        if fate is None or len(fate.steps) != 1 or fate.kind.value != "kept":
            return index
    return len(compaction.origins)
