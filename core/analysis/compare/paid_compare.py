"""Prices a comparison with model summaries and chooses the model that writes for each strategy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.analysis.compare.row_computation import CompareContext, OptionsFactory, with_strategy
from core.analysis.cost.run_cost import RunCostEstimate, run_cost, run_requests
from core.common import number_format
from core.common.errors import FoldlineError
from core.common.number_format import dollar_text
from core.llm.client import CallObserver, IsCancelled
from core.llm.credentials import find_key
from core.llm.pricing import is_paid
from core.preview.options import PreviewOptions
from core.preview.preview import compute_preview
from core.settings.keys import MODE, RETRIES
from core.settings.profile import Profile
from core.settings.schema import Mode
from core.settings.values import Values
from core.strategies.base import Strategy, calls_model
from core.strategies.model_choice import choose_summary_model
from core.strategies.registry import STRATEGIES
from core.summarize.model_summarizer import model_factories
from core.tokens.counter import counter_for
from core.transcript.compaction import NoOpCode


@dataclass(frozen=True, slots=True)
class TotalCallCost:
    """Upper bounds for all calls of a comparison; dollars None if a price is unknown."""

    calls: int = 0
    sent: int = 0
    received: int = 0
    dollars: float | None = 0.0
    paid: bool = False

    @property
    def text(self) -> str:
        """The total in words: "12 calls, ≈148,000 tokens to send, at most $0.40"."""
        return self._sentence("", "at most")

    @property
    def rough_text(self) -> str:
        """The same for estimated calls: "about 12 calls, … about $0.40"."""
        return self._sentence("about ", "about")

    def _sentence(self, calls_prefix: str, bound_word: str) -> str:
        cost = "price unknown" if self.dollars is None else f"{bound_word} {dollar_text(self.dollars)}"
        cost = "nothing to pay" if self.dollars == 0 else cost
        count, sent = number_format.plural(self.calls, "call"), number_format.count(self.sent)
        return f"{calls_prefix}{count}, ≈{sent} tokens to send, {cost}"


def total_cost(estimates: Iterable[tuple[RunCostEstimate, bool]]) -> TotalCallCost:
    """Add up estimates, each with whether it is paid."""
    return sum_costs(
        TotalCallCost(
            estimate.calls,
            estimate.sent,
            estimate.received,
            (estimate.price.total if estimate.price.known else None) if paid else 0.0,
            paid,
        )
        for estimate, paid in estimates
    )


def sum_costs(parts: Iterable[TotalCallCost]) -> TotalCallCost:
    """Add up costs; the price is unknown if any is."""
    total = TotalCallCost()
    for cost in parts:
        dollars = None if cost.dollars is None or total.dollars is None else total.dollars + cost.dollars
        sent, received = total.sent + cost.sent, total.received + cost.received
        total = TotalCallCost(total.calls + cost.calls, sent, received, dollars, total.paid or cost.paid)
    return total


def run_costs(
    context: CompareContext, names: Sequence[str], profile: Profile
) -> list[tuple[RunCostEstimate, bool]]:
    """Estimate every named strategy that would call a model, and whether it is paid."""
    estimates = []
    for strategy in STRATEGIES:
        if strategy.name in names and calls_model(strategy, context.values):
            context.options.progress(0.0, f"What {strategy.name} would cost")
            estimates += _estimate(context, strategy, profile)
    return estimates


def _estimate(
    context: CompareContext, strategy: Strategy, profile: Profile
) -> list[tuple[RunCostEstimate, bool]]:
    values = with_strategy(context.values, strategy.name)
    writer = choose_summary_model(profile, values, strategy).profile
    options = replace(context.options, writer=writer, writes_summary=False)
    try:
        preview = compute_preview(context.conversation, values, options, context.stages)
        no_op = preview.compaction.no_op
        if no_op is not None and no_op.code is not NoOpCode.NOT_SMALLER:
            return []
        requests = run_requests(preview, writer, counter_for(preview.window.model), options.focus)
    except FoldlineError:  # the row reports it
        return []
    return [] if requests.is_empty else [(run_cost(requests, writer), is_paid(writer))]


def model_options(
    profile: Profile, values: Values, observer: CallObserver, is_cancelled: IsCancelled
) -> OptionsFactory:
    """Return options by strategy that let the profile's model write the summaries. Raises InputError if the
    key of the profile is missing."""
    key = find_key(profile)
    is_safe = Mode(values.text(MODE)) is Mode.SAFE
    retries = values.integer(RETRIES) if is_safe else 0

    def options_for(strategy: Strategy, options: PreviewOptions) -> PreviewOptions:
        if not calls_model(strategy, values):
            return options
        model_choice = choose_summary_model(profile, with_strategy(values, strategy.name), strategy)
        summariser, agent = model_factories(model_choice.profile, key, retries, observer, is_cancelled)
        return replace(
            options,
            writer=model_choice.profile,
            writes_summary=True,
            summariser_factory=summariser,
            agent=agent,
            model_reason=model_choice.reason,
        )

    return options_for
