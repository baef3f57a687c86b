"""Compares strategies, presets and recorded compactions over the open conversation."""

from __future__ import annotations

import time
from collections.abc import Generator, Hashable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from core.app.rpc import Service, remote
from core.common.errors import FoldlineError, InputError
from core.presentation.compare.model import ComparePage, PairPage, StrategyCard, StrategyCards, SweepPage
from core.settings.keys import STRATEGY

if TYPE_CHECKING:
    from core.analysis.model import CompareRow, RecordedComparison, SettingAxis, SweepPoint
    from core.app.events import FileExportedEvent
    from core.app.services.analysis_context import AnalysisContext
    from core.app.session import Session
    from core.strategies.base import Strategy

_T = TypeVar("_T")
MAX_MESSAGES = 20_000
"""The cards of strategies for longer histories are computed only when the user asks."""
MAX_ALL = 2_000
"""Messages up to which every strategy and preset is compared unasked."""


class ResultCache(Generic[_T]):
    """Results by name, computed for one ``key``, with the seconds that they took."""

    def __init__(self) -> None:
        self.key: Hashable = None
        self.results: dict[Any, _T] = {}
        self._seconds: dict[Hashable, float] = {}

    def switch_to(self, key: Hashable) -> None:
        if key != self.key:
            self.key, self.results, self._seconds = key, {}, {}

    def compute(self, name: Hashable, results: Iterator[_T]) -> None:
        started = time.monotonic()
        (self.results[name],) = results
        self._seconds[name] = time.monotonic() - started

    def seconds(self, names: Iterable[Hashable]) -> float:
        return sum(self._seconds.get(name, 0.0) for name in names)


class CompareService(Service):
    """``_comparisons`` are by number of the recorded compaction and preset."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._rows: ResultCache[CompareRow] = ResultCache()
        self._comparisons: ResultCache[RecordedComparison] = ResultCache()
        self._cards: ResultCache[StrategyCard] = ResultCache()

    @remote(latest=True, of_file=True)
    def compare(self, names: tuple[str, ...]) -> Generator[ComparePage, None, None]:
        """Yield the comparison so far: first with the known rows, then after each new one.

        ``names`` are strategies, presets and "recorded N"; without any the default selection.
        """
        from core.analysis.compare.compare import compare_strategies, row_names
        from core.analysis.compare.preset_check import compare_preset_with_recorded, recorded_preset_pairs
        from core.analysis.compare.rows import recorded_number
        from core.formats.registry import FORMATS
        from core.presentation.compare.pages import compare_page, default_names

        context = self._context()
        conversation, rows, comparisons = context.conversation, self._rows, self._comparisons
        agent = next((one.label for one in FORMATS if one.name == conversation.format), "")
        selected = default_names(conversation, agent) if len(conversation.messages) > MAX_ALL else ()
        names = row_names(conversation, names or selected)
        numbers = {recorded_number(name) for name in names}
        pairs = [
            (number, preset) for number, preset in recorded_preset_pairs(conversation) if number in numbers
        ]

        def page() -> ComparePage:
            keys = [(number, preset.name) for number, preset in pairs]
            known = [comparisons.results[key] for key in keys if key in comparisons.results]
            view = context.scope, context.mark, context.model, context.prices, rows.seconds(names)
            return compare_page(conversation, names, rows.results, known, len(pairs), *view)

        yield page()
        for name in names:
            if name not in rows.results:
                rows.compute(name, compare_strategies(context.input, (name,)))
                yield page()
        for number, preset in pairs:
            if (number, preset.name) not in comparisons.results:
                comparison = compare_preset_with_recorded(context.input.offline, number, preset)
                comparisons.compute((number, preset.name), iter((comparison,)))
                yield page()

    @remote(latest=True, of_file=True)
    def pair(self, a: str, b: str) -> PairPage | None:
        """Return what two rows lost; None if they are not compared yet."""
        from core.analysis.compare.compare import pairwise_losses
        from core.analysis.compare.rows import scope_facts

        context, rows = self._context(), self._rows.results
        if a not in rows or b not in rows:
            return None
        scope = rows[a].scope
        try:
            losses = pairwise_losses(rows[a], rows[b], scope_facts(context.input, scope))
            return PairPage(a, b, scope, losses)
        except FoldlineError as error:
            return PairPage(a, b, scope, trouble=str(error))

    @remote(of_file=True)
    def open_pair(self, a: str, b: str) -> None:
        """Show two results side by side, as before and after."""
        from core.analysis.compare.rows import row_preview
        from core.analysis.compare.side_by_side import ComparedSide
        from core.app.services.analysis_context import BACK_TO_COMPARE, show_sides

        context = self._context()
        first, second = (row_preview(context.input.offline, name) for name in (a, b))
        before, after = (
            ComparedSide(a, first.compaction.messages),
            ComparedSide(b, second.compaction.messages),
        )
        base = context.file.last_full_preview or first
        title = f"Before is the result of {a}, after is that of {b}."
        show_sides(self._session, base, before, after, title, (BACK_TO_COMPARE,))

    @remote()
    def price_as(self, model: str) -> None:
        """Price summaries that no model wrote as if ``model`` had, in all tabs.

        "offline" prices them at nothing, "" as the session's model.
        """
        from core.analysis.cost.summary_price import pricing_model

        pricing_model(model, self._context().model)
        self._session.price_as = model

    @remote(of_file=True)
    def save_table(self, path: str) -> FileExportedEvent:
        """Write the known rows as CSV in the order of the table, as the command line does."""
        from core.analysis.compare.compare import CSV_COLUMNS, csv_cells, flat_row, ranked_rows
        from core.analysis.context import csv_bytes
        from core.analysis.cost.summary_price import priced_row

        context = self._context()
        priced = [priced_row(row, context.price_as) for row in self._rows.results.values()]
        rows, name = ranked_rows(priced, context.scope), context.conversation.document.name
        lines = [csv_cells(flat_row(name, row, context.mark)) for row in rows]
        return context.save_table(path, csv_bytes(CSV_COLUMNS, lines))

    def _context(self) -> AnalysisContext:
        """Return the context; results of other settings are forgotten."""
        from core.app.services.analysis_context import analysis_context

        context = analysis_context(self._session)
        self._rows.switch_to(context.key)
        self._comparisons.switch_to(context.key)
        return context

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
        self._cards.switch_to((context.key, self._session.view.profile))
        known = self._cards.results
        baseline = baseline_preview(context.input)
        cards = {one.name: known.get(one.name) or self._card(one, context) for one in STRATEGIES}
        page = StrategyCards(
            (),
            len(baseline.messages),
            baseline.before_tokens,
            context.mark,
            max(one.emulates.as_of for one in STRATEGIES if one.emulates),
            len(baseline.messages) > MAX_MESSAGES and not is_asked,
        )
        yield replace(page, cards=tuple(cards.values()))
        for name in () if page.is_capped else [name for name in cards if name not in known]:
            (row,) = compare_strategies(context.input, (name,))
            known[name] = cards[name] = _with_figures(cards[name], row)
            yield replace(page, cards=tuple(cards.values()))

    def _card(self, strategy: Strategy, context: AnalysisContext) -> StrategyCard:
        from core.analysis.model import BASELINE
        from core.presentation.preview_wording import strategy_details
        from core.settings.profile import OFFLINE
        from core.strategies.base import calls_model

        program = strategy.emulates.program if strategy.emulates and strategy.name != BASELINE else ""
        calls = "no model"
        if calls_model(strategy, context.values):
            writer = self._session.view.profile
            calls = "summary · free offline" if writer == OFFLINE else f"summary by {writer}"
        details = strategy_details(strategy)
        return StrategyCard(strategy.name, strategy.about, program, calls, details=details)


def _with_figures(card: StrategyCard, row: CompareRow) -> StrategyCard:

    if row.error:
        return replace(card, no_result=row.error)
    if row.no_op:
        return replace(card, no_result="nothing to do here")
    saved = 1 - row.tokens / row.before_tokens if row.before_tokens else 0.0
    calls = card.calls
    if row.calls and "summary" in calls:
        calls = f"1 {calls}" if row.calls == 1 else f"{row.calls} {calls.replace('summary', 'summaries')}"
    return replace(card, calls=calls, tokens=row.tokens, saved=saved, lost=row.lost)


_SECONDS = 0.15
"""Work between two pages; one point may take longer."""


class SweepService(Service):
    """``_points`` are by their values on ``_axes``; ``_before`` tokens of the source."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._points: ResultCache[SweepPoint] = ResultCache()
        self._axes: tuple[SettingAxis, ...] = ()
        self._before = 0

    @remote(latest=True, of_file=True)
    def sweep(self, vary: tuple[str, ...]) -> Generator[SweepPage, None, None]:
        """Yield the sweep so far, several times a second.

        ``vary`` are one or two settings ("KEY=FROM:TO:STEP", "KEY=A,B"); without any the first of the
        strategy.
        """
        from core.analysis.context import baseline_preview
        from core.analysis.model import SettingAxis
        from core.analysis.sweep import axis_combinations, parse_axes, sweep_points
        from core.app.services.analysis_context import analysis_context
        from core.presentation.compare.pages import first_vary, sweep_page
        from core.strategies.registry import find_strategy

        context, points = analysis_context(self._session), self._points
        strategy = find_strategy(context.values.text(STRATEGY))
        vary, problem = vary or first_vary(strategy, context.values), ""
        try:
            axes = parse_axes(vary, strategy) if vary else ()
        except InputError as error:
            axes, problem = (), str(error)
        combinations = axis_combinations(axes) if axes else ()
        if points.key != (key := (context.key, strategy.name, axes)):
            self._axes, self._before = axes, baseline_preview(context.input, checks=False).before_tokens
        points.switch_to(key)

        def page() -> SweepPage:
            known = [points.results[at] for at in combinations if at in points.results]
            request = strategy, context.values, vary, axes, known, len(combinations), self._before
            view = context.mark, context.model, context.prices, points.seconds(combinations)
            return sweep_page(*request, *view, problem)

        yield page()
        waiting = [at for at in combinations if at not in points.results]
        started = time.monotonic()
        for at in waiting:
            point_axes = [SettingAxis(axis.key, (value,)) for axis, value in zip(axes, at, strict=True)]
            points.compute(at, sweep_points(context.input, strategy.name, point_axes))
            if time.monotonic() - started > _SECONDS or at is waiting[-1]:
                yield page()
                started = time.monotonic()

    @remote(of_file=True)
    def save_table(self, path: str) -> FileExportedEvent:
        """Write the known points as CSV."""
        from core.analysis.cost.summary_price import priced_point
        from core.analysis.sweep import sweep_csv, sweep_result
        from core.app.services.analysis_context import analysis_context

        context = analysis_context(self._session)
        if not self._points.results:
            raise InputError("No value was tried yet.", "Open One setting first.")
        name = context.values.text(STRATEGY)
        points = [priced_point(point, context.price_as) for point in self._points.results.values()]
        return context.save_table(path, sweep_csv(sweep_result(context.input, name, self._axes, points)))
