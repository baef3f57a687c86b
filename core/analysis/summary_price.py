"""The price of a compaction, and of summaries that no model wrote; calls nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.analysis.model import (
    NO_UNPAID_REQUESTS,
    CompactionCost,
    CompareRow,
    ReplayTrack,
    SweepPoint,
    UnpaidRequests,
)
from core.common.errors import InputError
from core.llm import prompt_cache
from core.llm.catalog import caches_for_an_hour, token_rates
from core.llm.prompt_cache import MIN_CACHED_PREFIX, TokenRates, rewrite_cost
from core.preview.options import Preview
from core.settings.keys import CACHE_LIFETIME
from core.settings.profile import OFFLINE
from core.summarize.summariser_choice import GIVEN_TEXT_PROFILE
from core.transcript.compaction import Compaction, ModelCall


@dataclass(frozen=True, slots=True)
class PricingModel:
    """The ``model`` whose prices apply; ``rates`` None if the table has no price. An empty model: the session
    names none. With ``OFFLINE``, unpaid summaries cost nothing."""

    model: str
    rates: TokenRates | None = None

    @property
    def is_known(self) -> bool:
        return self.rates is not None

    def price(self, unpaid: UnpaidRequests) -> float | None:
        """Return US dollars; 0 for no requests, None without a price."""
        if unpaid == NO_UNPAID_REQUESTS:
            return 0.0
        if self.rates is None:
            return None
        return sum(sum(self.rates.uncached_prices(*request)) for request in unpaid.requests)


def pricing_model(name: str, model: str) -> PricingModel:
    """Return the prices of the named model, else of the session's ``model``. Raises InputError if the named
    model has no price."""
    if name == OFFLINE:
        return PricingModel(OFFLINE, TokenRates(model=OFFLINE, input=0.0, output=0.0, read=0.0, write=0.0))
    if (rates := token_rates(name or model)) is not None:
        return PricingModel(name or model, rates)
    if name:
        raise InputError(f"The model table has no price of {name}.", f"Name another model, or {OFFLINE}.")
    return PricingModel(model)


def unpaid_requests(calls: Iterable[ModelCall]) -> UnpaidRequests:
    """Return the calls that no model was paid for: written offline or given as text."""
    return UnpaidRequests(
        tuple((call.request_tokens, call.answer_tokens) for call in calls if not is_model_call(call))
    )


def paid_dollars(calls: Sequence[ModelCall]) -> float | None:
    """Return the dollars paid for calls of models; None if one is unknown."""
    costs = [call.cost for call in calls if is_model_call(call)]
    return None if None in costs else sum((cost for cost in costs if cost is not None), 0.0)


def is_model_call(call: ModelCall) -> bool:
    return call.profile not in (OFFLINE, GIVEN_TEXT_PROFILE)


def priced_row(row: CompareRow, price: PricingModel) -> CompareRow:
    """Return the row with its summaries at this price, break-even included."""
    return row if row.cost is None else replace(row, cost=priced_cost(row.cost, price))


def priced_cost(cost: CompactionCost, price: PricingModel) -> CompactionCost:
    """Return the cost with unpaid summaries at this price; paid ones are unchanged."""
    unpaid_price = price.price(cost.unpaid)
    if cost.unpaid == NO_UNPAID_REQUESTS or (cost.summary is None and cost.rates is not None):
        return cost
    if unpaid_price is None:
        return replace(cost, summary=None, break_even=None)
    summary = (cost.summary or 0.0) + unpaid_price
    saved_per_call = (cost.later_before or 0.0) - (cost.later_after or 0.0)
    if cost.break_even is None or saved_per_call <= 0:
        return replace(cost, summary=summary)
    rates = cost.rates
    rewrite_price = 0.0 if rates is None else rewrite_cost(cost.prefix + cost.rewritten, cost.prefix, rates)
    return replace(cost, summary=summary, break_even=max(0.0, (summary + rewrite_price) / saved_per_call))


def priced_track(track: ReplayTrack, price: PricingModel) -> ReplayTrack:
    runs = tuple(
        replace(run, cost=_total_price(run.cost, price.price(run.unpaid))) for run in track.compactions
    )
    return replace(track, compactions=runs, cost=_total_price(track.cost, price.price(track.unpaid)))


def priced_point(point: SweepPoint, price: PricingModel) -> SweepPoint:
    return replace(point, cost=_total_price(point.cost, price.price(point.unpaid)))


def _total_price(paid: float | None, unpaid_price: float | None) -> float | None:
    return None if paid is None or unpaid_price is None else paid + unpaid_price


def compaction_cost(preview: Preview) -> CompactionCost:
    unchanged_count = count_unchanged_messages(preview.result.compaction, len(preview.messages))
    is_hour_cache = caches_for_an_hour(
        preview.source.conversation, preview.source.values.text(CACHE_LIFETIME)
    )
    rates = token_rates(preview.sizes.model_limit.model, is_hour_cache)
    overhead = preview.request_tokens - preview.sizes.before_tokens
    prefix = max(0, overhead + sum(preview.source.counts[:unchanged_count]))
    prefix = prefix if rates is None or prefix >= MIN_CACHED_PREFIX else 0
    before, after = preview.request_tokens, preview.sizes.after_tokens + overhead
    first_changed = (
        unchanged_count
        if unchanged_count < max(len(preview.messages), len(preview.result.compaction.messages))
        else None
    )
    rewritten = after - prefix if first_changed is not None else 0
    calls = preview.result.compaction.calls
    if rates is None:
        return CompactionCost(
            prefix=prefix,
            first_changed=first_changed,
            rewritten=rewritten,
            rates=None,
            unpaid=unpaid_requests(calls),
        )
    appended_tokens = prompt_cache.appended_per_call(preview.messages, preview.source.counts)
    summary = paid_dollars(calls)
    break_even = (
        None
        if first_changed is None or summary is None
        else prompt_cache.break_even(before, after, prefix, rates, summary, appended_tokens)
    )
    later_before, later_after = (
        prompt_cache.later_call_price(size, rates, appended_tokens) for size in (before, after)
    )
    return CompactionCost(
        prefix=prefix,
        first_changed=first_changed,
        rewritten=rewritten,
        rates=rates,
        summary=summary,
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
