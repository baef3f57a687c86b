"""A comparison whose summaries a model writes: the whole price first, then who writes for which strategy."""

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
from core.strategies.base import Strategy, asks_model
from core.strategies.model_choice import choose_summary_model
from core.strategies.registry import STRATEGIES
from core.summarize.model_summarizer import model_factories
from core.tokens.counter import counter_for
from core.transcript.compaction import NoOpCode


@dataclass(frozen=True, slots=True)
class TotalCallCost:
    """What all calls of a comparison can come to at most; dollars None where a price is not known."""

    calls: int = 0
    sent: int = 0
    received: int = 0
    dollars: float | None = 0.0
    paid: bool = False

    @property
    def words(self) -> str:
        """For a line of text: "12 calls, ≈148,000 tokens to send, at most $0.40"."""
        return self._words("", "at most")

    @property
    def rough_words(self) -> str:
        """The same where the calls themselves are an estimate: "about 12 calls, … about $0.40"."""
        return self._words("about ", "about")

    def _words(self, calls: str, most: str) -> str:
        cost = "price unknown" if self.dollars is None else f"{most} {dollar_text(self.dollars)}"
        cost = "nothing to pay" if self.dollars == 0 else cost
        count, sent = number_format.plural(self.calls, "call"), number_format.count(self.sent)
        return f"{calls}{count}, ≈{sent} tokens to send, {cost}"


def total_cost(bills: Iterable[tuple[RunCostEstimate, bool]]) -> TotalCallCost:
    """The sum of bills, each with whether it is paid."""
    return sum_costs(
        TotalCallCost(
            bill.calls,
            bill.sent,
            bill.received,
            (bill.price.total if bill.price.known else None) if paid else 0.0,
            paid,
        )
        for bill, paid in bills
    )


def sum_costs(parts: Iterable[TotalCallCost]) -> TotalCallCost:
    """The sum of several; its price is not known where one is not."""
    found = TotalCallCost()
    for one in parts:
        known = None if one.dollars is None or found.dollars is None else found.dollars + one.dollars
        sent, received = found.sent + one.sent, found.received + one.received
        found = TotalCallCost(found.calls + one.calls, sent, received, known, found.paid or one.paid)
    return found


def run_costs(
    contest: CompareContext, names: Sequence[str], profile: Profile
) -> list[tuple[RunCostEstimate, bool]]:
    """The bill of every strategy among the names that would call a model, and whether it is paid."""
    found = []
    for strategy in STRATEGIES:
        if strategy.name in names and asks_model(strategy, contest.values):
            contest.ask.progress(0.0, f"What {strategy.name} would cost")
            found += _bill(contest, strategy, profile)
    return found


def _bill(
    contest: CompareContext, strategy: Strategy, profile: Profile
) -> list[tuple[RunCostEstimate, bool]]:
    values = with_strategy(contest.values, strategy.name)
    writer = choose_summary_model(profile, values, strategy).profile
    ask = replace(contest.ask, writer=writer, writes=False)
    try:
        made = compute_preview(contest.conversation, values, ask, contest.stages)
        no_op = made.compaction.no_op
        if no_op is not None and no_op.code is not NoOpCode.NOT_SMALLER:
            return []
        asks = run_requests(made, writer, counter_for(made.window.model), ask.focus)
    except FoldlineError:  # it will be the error of its row
        return []
    return [] if asks.is_empty else [(run_cost(asks, writer), is_paid(writer))]


def model_options(
    profile: Profile, values: Values, watch: CallObserver, cancelled: IsCancelled
) -> OptionsFactory:
    """What to ask each strategy, so that the profile's model writes its summary.

    Raises InputError where the key of the profile is missing.
    """
    key = find_key(profile)
    safe = Mode(values.text(MODE)) is Mode.SAFE
    retries = values.whole(RETRIES) if safe else 0

    def ask_for(strategy: Strategy, ask: PreviewOptions) -> PreviewOptions:
        if not asks_model(strategy, values):
            return ask
        chosen = choose_summary_model(profile, with_strategy(values, strategy.name), strategy)
        summariser, agent = model_factories(chosen.profile, key, retries, watch, cancelled)
        return replace(
            ask, writer=chosen.profile, writes=True, choose=summariser, agent=agent, why=chosen.why
        )

    return ask_for
