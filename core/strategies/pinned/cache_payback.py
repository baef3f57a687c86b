"""Refuses compactions whose prompt-cache cost exceeds their savings until the next run."""

from __future__ import annotations

from dataclasses import replace

from core.llm.prices import MIN_CACHED_PREFIX
from core.llm.prompt_cache import appended_per_call, break_even, expected_calls
from core.strategies.base import StrategyContext
from core.strategies.helpers import no_op_compaction
from core.transcript.compaction import Compaction, FateKind, NoOpCode


def refuse_unprofitable(
    context: StrategyContext, compaction: Compaction, trigger: int, summary_price: float = 0.0
) -> Compaction:
    """Return the run, or a no-op where breaking the cache costs more than the run saves. Sizes are tokens
    of whole requests, system prompt included; prices are in units of a fresh input token,
    ``summary_price`` being that of writing the summary. A run started by the user continues with a
    warning."""
    sizes = [context.estimate_tokens((message,)) for message in context.history]
    system = max(0, context.current_token_count - sum(sizes))
    result_tokens = context.estimate_tokens(compaction.messages) + system
    unchanged, rates = system + sum(sizes[: _unchanged_count(compaction)]), context.cache
    prefix = unchanged if unchanged >= MIN_CACHED_PREFIX else 0
    added_per_call = appended_per_call(context.history, sizes)
    payback_calls = break_even(
        sum(sizes) + system, result_tokens, prefix, rates, summary_price, added_per_call
    )
    expected = expected_calls(trigger, result_tokens, added_per_call)
    if payback_calls is None or payback_calls < expected:
        return compaction
    explanation = (
        f"With a warm cache it pays back after {payback_calls:,.0f} calls, and the trigger is reached again "
        f"after about {expected:,.0f} ({rates.description})"
    )
    if not context.by_trigger:
        return replace(compaction, warnings=(*compaction.warnings, f"{explanation}."))
    name = compaction.metadata.strategy_used
    return no_op_compaction(
        context, name, NoOpCode.CACHE_DEARER, f"{explanation}: it would cost more than it saves.", parts=None
    )


def _unchanged_count(result: Compaction) -> int:
    """Return the number of leading messages that stay unchanged."""
    for place, origins in enumerate(result.origins):
        if origins != (place,) or place in result.inserted or result.fates[place].kind is not FateKind.KEPT:
            return place
    return len(result.origins)
