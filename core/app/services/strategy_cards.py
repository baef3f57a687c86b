"""The figures of every strategy for the open conversation, computed while the user looks at their cards."""

from __future__ import annotations

from collections.abc import Generator, Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

from core.app.rpc import remote
from core.presentation.strategy_cards import StrategyCard, StrategyCards

if TYPE_CHECKING:
    from core.analysis.compare.model import CompareRow
    from core.app.services.analysis_context import AnalysisContext
    from core.app.session import Session
    from core.strategies.base import Strategy

MAX_MESSAGES = 20_000
"""Longer histories are computed only when the user asks."""


class StrategyCardService:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._key: Hashable = None
        self._known: dict[str, StrategyCard] = {}

    @remote(latest=True, of_file=True)
    def cards(self, is_asked: bool = False) -> Generator[StrategyCards, None, None]:
        """Yield all cards, first with the figures that are known, then after each new one.

        ``is_asked``: compute them for histories of any length.
        """
        from core.analysis.compare.compare import compare_strategies
        from core.analysis.context import baseline_preview
        from core.app.services.analysis_context import analysis_context
        from core.strategies.registry import STRATEGIES

        context = analysis_context(self._session)
        key = (context.key, self._session.view.profile)
        if key != self._key:
            self._key, self._known = key, {}
        baseline = baseline_preview(context.input)
        cards = {one.name: self._known.get(one.name) or self._card(one, context) for one in STRATEGIES}
        page = StrategyCards(
            (),
            len(baseline.messages),
            baseline.before_tokens,
            context.mark,
            max(one.emulates.as_of for one in STRATEGIES if one.emulates),
            len(baseline.messages) > MAX_MESSAGES and not is_asked,
        )
        yield replace(page, cards=tuple(cards.values()))
        for name in () if page.is_capped else [name for name in cards if name not in self._known]:
            (row,) = compare_strategies(context.input, (name,))
            self._known[name] = cards[name] = _with_figures(cards[name], row)
            yield replace(page, cards=tuple(cards.values()))

    def _card(self, strategy: Strategy, context: AnalysisContext) -> StrategyCard:
        from core.analysis.compare.model import BASELINE
        from core.settings.profile import OFFLINE
        from core.strategies.base import calls_model

        program = strategy.emulates.program if strategy.emulates and strategy.name != BASELINE else ""
        calls = "no model"
        if calls_model(strategy, context.values):
            writer = self._session.view.profile
            calls = "summary · free offline" if writer == OFFLINE else f"summary by {writer}"
        return StrategyCard(strategy.name, strategy.about, program, calls)


def _with_figures(card: StrategyCard, row: CompareRow) -> StrategyCard:
    from core.presentation.compare.columns import lost_count

    if row.error:
        return replace(card, no_result=row.error)
    if row.no_op:
        return replace(card, no_result="nothing to do here")
    saved = 1 - row.tokens / row.before_tokens if row.before_tokens else 0.0
    calls = card.calls
    if row.calls and "summary" in calls:
        calls = f"1 {calls}" if row.calls == 1 else f"{row.calls} {calls.replace('summary', 'summaries')}"
    return replace(card, calls=calls, tokens=row.tokens, saved=saved, lost=lost_count(row))
