"""Runs the session's strategy over values of one or two of its settings."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import TYPE_CHECKING

from core.app.rpc import Service, remote
from core.app.services.compare import ResultCache
from core.common.errors import InputError
from core.presentation.compare.model import SweepPage
from core.settings.keys import STRATEGY

if TYPE_CHECKING:
    from core.analysis.sweep.model import SettingAxis, SweepPoint
    from core.app.events import FileExportedEvent
    from core.app.session import Session

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
        from core.analysis.sweep.model import SettingAxis
        from core.analysis.sweep.sweep import axis_combinations, parse_axes, sweep_points
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
        from core.analysis.sweep.sweep import sweep_csv, sweep_result
        from core.app.services.analysis_context import analysis_context

        context = analysis_context(self._session)
        if not self._points.results:
            raise InputError("No value was tried yet.", "Open One setting first.")
        name = context.values.text(STRATEGY)
        points = [priced_point(point, context.price_as) for point in self._points.results.values()]
        return context.save_table(path, sweep_csv(sweep_result(context.input, name, self._axes, points)))
