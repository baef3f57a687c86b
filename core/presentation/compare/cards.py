"""Makes the cards of all strategies in the worker."""

from __future__ import annotations

from dataclasses import replace

from core.analysis.compare.compare import Comparison
from core.analysis.context import baseline_preview
from core.analysis.model import BASELINE, CompareRow
from core.presentation.compare.columns import saved_share
from core.presentation.compare.model import StrategyCard, StrategyCards
from core.presentation.preview_wording import strategy_details
from core.settings.profile import OFFLINE
from core.settings.schema import Values
from core.strategies.base import Strategy, calls_model
from core.strategies.registry import STRATEGIES


def strategy_cards(comparison: Comparison) -> StrategyCards:
    """Return all cards, with the figures that are known."""
    source, rows = comparison.source, {row.name: row for row in comparison.rows}
    baseline = baseline_preview(source)
    return StrategyCards(
        tuple(_card(one, source.values, comparison.profile, rows.get(one.name)) for one in STRATEGIES),
        len(baseline.messages),
        baseline.before_tokens,
        source.mark,
        max(one.emulates.as_of for one in STRATEGIES if one.emulates),
        is_capped=not comparison.names,
    )


def _card(strategy: Strategy, values: Values, profile: str, row: CompareRow | None) -> StrategyCard:
    program = strategy.emulates.program if strategy.emulates and strategy.name != BASELINE else ""
    calls = _calls(profile, row.calls if row else 0) if calls_model(strategy, values) else "no model"
    card = StrategyCard(strategy.name, strategy.about, program, calls, details=strategy_details(strategy))
    if row is None:
        return card
    if row.error or row.no_op:
        return replace(card, no_result=row.error or "nothing to do here")
    return replace(card, tokens=row.tokens, saved=saved_share(row) or 0.0, lost=row.lost)


def _calls(profile: str, count: int) -> str:
    """Return "1 summary · free offline"; without a number where it is not known."""
    writer = " · free offline" if profile == OFFLINE else f" by {profile}"
    summaries = "summary" if count < 2 else "summaries"
    return f"{count or ''} {summaries}{writer}".strip()
