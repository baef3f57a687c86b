"""Prices summaries that no model wrote; calls nothing (ui.md section 11)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.analysis.compare.model import CompareRow
from core.analysis.cost.model import NONE_UNPAID, CompactionCost, UnpaidRequests
from core.analysis.replay.model import ReplayTrack
from core.analysis.sweep.model import SweepPoint
from core.common.errors import InputError
from core.llm.catalog import rates_of
from core.llm.prices import TokenRates
from core.llm.prompt_cache import rewrite_cost
from core.settings.profile import OFFLINE
from core.summarize.summarizer_choice import GIVEN
from core.transcript.compaction import ModelCall


@dataclass(frozen=True, slots=True)
class PricingModel:
    """The ``model`` whose prices apply; ``rates`` None if the table has no price. An empty model: the session
    names none. With ``OFFLINE``, unpaid summaries cost nothing."""

    model: str
    rates: TokenRates | None = None

    @property
    def is_known(self) -> bool:
        return self.rates is not None

    def of(self, unpaid: UnpaidRequests) -> float | None:
        """Return US dollars; 0 for no requests, None without a price."""
        if unpaid == NONE_UNPAID:
            return 0.0
        if self.rates is None:
            return None
        return sum(sum(self.rates.uncached(*request)) for request in unpaid.requests)


def price_as(name: str, model: str) -> PricingModel:
    """Return the prices of the named model, else of the session's ``model``. Raises InputError if the named
    model has no price."""
    if name == OFFLINE:
        return PricingModel(OFFLINE, TokenRates(OFFLINE, 0.0, 0.0, 0.0, 0.0))
    if (rates := rates_of(name or model)) is not None:
        return PricingModel(name or model, rates)
    if name:
        raise InputError(f"The model table has no price of {name}.", f"Name another model, or {OFFLINE}.")
    return PricingModel(model)


def unpaid_of(calls: Iterable[ModelCall]) -> UnpaidRequests:
    """Return the calls that no model was paid for: written offline or given as text."""
    return UnpaidRequests(
        tuple((call.request_tokens, call.answer_tokens) for call in calls if not is_called(call))
    )


def paid_for(calls: Sequence[ModelCall]) -> float | None:
    """Return the dollars paid for calls of models; None if one is unknown."""
    costs = [call.cost for call in calls if is_called(call)]
    return None if None in costs else sum((cost for cost in costs if cost is not None), 0.0)


def is_called(call: ModelCall) -> bool:
    """Return whether a model answered."""
    return call.profile not in (OFFLINE, GIVEN)


def priced_row(row: CompareRow, price: PricingModel) -> CompareRow:
    """Return the row with its summaries at this price, break-even included."""
    return row if row.cost is None else replace(row, cost=priced_cost(row.cost, price))


def priced_cost(cost: CompactionCost, price: PricingModel) -> CompactionCost:
    """Return the cost with unpaid summaries at this price; paid ones are unchanged."""
    extra = price.of(cost.unpaid)
    if cost.unpaid == NONE_UNPAID or (cost.summary is None and cost.rates is not None):
        return cost
    if extra is None:
        return replace(cost, summary=None, break_even=None)
    summary = (cost.summary or 0.0) + extra
    saved = (cost.later_before or 0.0) - (cost.later_after or 0.0)
    if cost.break_even is None or saved <= 0:
        return replace(cost, summary=summary)
    rates = cost.rates
    rewrite = 0.0 if rates is None else rewrite_cost(cost.prefix + cost.rewritten, cost.prefix, rates)
    return replace(cost, summary=summary, break_even=max(0.0, (summary + rewrite) / saved))


def priced_track(track: ReplayTrack, price: PricingModel) -> ReplayTrack:
    runs = tuple(replace(run, cost=_sum(run.cost, price.of(run.unpaid))) for run in track.compactions)
    return replace(track, compactions=runs, cost=_sum(track.cost, price.of(track.unpaid)))


def priced_point(point: SweepPoint, price: PricingModel) -> SweepPoint:
    return replace(point, cost=_sum(point.cost, price.of(point.unpaid)))


def _sum(paid: float | None, extra: float | None) -> float | None:
    return None if paid is None or extra is None else paid + extra
