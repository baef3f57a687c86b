"""Does a compaction pay with a warm cache? Those that the size set off are refused where it does not."""

from __future__ import annotations

from dataclasses import replace

from core.llm.prices import LEAST
from core.llm.prompt_cache import appended_per_call, break_even, expected_calls
from core.strategies.base import StrategyContext
from core.strategies.helpers import no_op
from core.transcript.compaction import Compaction, FateKind, NoOpCode


def weigh_cache_cost(
    context: StrategyContext, made: Compaction, trigger: int, summary: float = 0.0
) -> Compaction:
    """The run, or a no-op where the cache makes it dearer than what it saves until the next one.

    Tokens of whole requests, the system prompt included; prices, that of writing the ``summary`` among
    them, in units of a fresh input token. A run that a person asked for goes on and only says the sum.
    """
    sizes = [context.estimate_tokens((message,)) for message in context.history]
    system = max(0, context.current_token_count - sum(sizes))
    after = context.estimate_tokens(made.messages) + system
    same, rates = system + sum(sizes[: _unchanged(made)]), context.cache
    prefix = same if same >= LEAST else 0
    added = appended_per_call(context.history, sizes)
    even = break_even(sum(sizes) + system, after, prefix, rates, summary, added)
    expected = expected_calls(trigger, after, added)
    if even is None or even < expected:
        return made
    words = (
        f"With a warm cache it pays back after {even:,.0f} calls, and the trigger is reached again "
        f"after about {expected:,.0f} ({rates.words})"
    )
    if not context.by_trigger:
        return replace(made, warnings=(*made.warnings, f"{words}."))
    name = made.metadata.strategy_used
    return no_op(
        context, name, NoOpCode.CACHE_DEARER, f"{words}: it would cost more than it saves.", parts=None
    )


def _unchanged(made: Compaction) -> int:
    """How many messages from the first on stay as they were."""
    for place, origins in enumerate(made.origins):
        if origins != (place,) or place in made.inserted or made.fates[place].kind is not FateKind.KEPT:
            return place
    return len(made.origins)
