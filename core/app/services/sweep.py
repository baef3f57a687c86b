"""Runs the session's strategy over values of one or two of its settings."""

from __future__ import annotations

import time
from collections.abc import Generator, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.analysis.sweep.model import SettingAxis, SweepPoint
from core.app.rpc import remote
from core.common.errors import InputError
from core.presentation.sweep.model import SweepPage
from core.settings.keys import STRATEGY
from core.settings.schema import SettingValue

if TYPE_CHECKING:
    from core.app.events import FileExportedEvent
    from core.app.services.analysis_context import AnalysisContext
    from core.app.session import Session

_SECONDS = 0.15
"""Work between two pages; one point may take longer."""


@dataclass(slots=True)
class _KnownPoints:
    """The points that were computed for a key, by the values of the axes."""

    key: Hashable = None
    axes: tuple[SettingAxis, ...] = ()
    before: int = 0
    points: dict[tuple[SettingValue, ...], SweepPoint] = field(default_factory=dict)
    seconds: float = 0.0


class SweepService:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._known = _KnownPoints()

    @remote(latest=True, of_file=True)
    def sweep(self, vary: tuple[str, ...]) -> Generator[SweepPage, None, None]:
        """Yield the sweep so far, several times a second.

        ``vary`` are one or two settings ("KEY=FROM:TO:STEP", "KEY=A,B"); without any the first of the
        strategy.
        """
        from core.analysis.sweep.axes import parse_axes
        from core.analysis.sweep.sweep import axis_combinations
        from core.app.services.analysis_context import analysis_context
        from core.presentation.sweep.page import SweepProgress, first_vary, sweep_page
        from core.strategies.registry import find_strategy

        context = analysis_context(self._session)
        strategy = find_strategy(context.values.text(STRATEGY))
        vary, problem = vary or first_vary(strategy, context.values), ""
        try:
            axes = parse_axes(vary, strategy) if vary else ()
        except InputError as error:
            axes, problem = (), str(error)
        combinations = axis_combinations(axes) if axes else ()
        known = self._known_points(context, strategy.name, axes)

        def page() -> SweepPage:
            return sweep_page(
                SweepProgress(
                    strategy,
                    context.values,
                    vary,
                    axes,
                    tuple(known.points[at] for at in combinations if at in known.points),
                    len(combinations),
                    known.before,
                    context.mark,
                    known.seconds,
                    problem,
                    context.model,
                    context.prices,
                )
            )

        yield page()
        waiting = [at for at in combinations if at not in known.points]
        started = time.monotonic()
        for at in waiting:
            known.points[at] = _point(context, strategy.name, axes, at)
            if (seconds := time.monotonic() - started) > _SECONDS or at is waiting[-1]:
                known.seconds += seconds
                yield page()
                started = time.monotonic()

    @remote(of_file=True)
    def save_table(self, path: str) -> FileExportedEvent:
        """Write the known points as CSV."""
        from core.analysis.cost.summary_price import priced_point
        from core.analysis.sweep.sweep import sweep_csv, sweep_result
        from core.app.services.analysis_context import analysis_context

        context, known = analysis_context(self._session), self._known
        if not known.points:
            raise InputError("Nothing was swept yet.", "Open Sweep first.")
        name = context.values.text(STRATEGY)
        points = [priced_point(point, context.price_as) for point in known.points.values()]
        result = sweep_result(context.input, name, known.axes, points)
        return context.save_table(path, sweep_csv(result))

    def _known_points(
        self, context: AnalysisContext, name: str, axes: tuple[SettingAxis, ...]
    ) -> _KnownPoints:
        from core.analysis.context import baseline_preview

        key = (context.key, name, axes)
        if self._known.key != key:
            before = baseline_preview(context.input, checks=False).before_tokens
            self._known = _KnownPoints(key, axes, before)
        return self._known


def _point(
    context: AnalysisContext, name: str, axes: tuple[SettingAxis, ...], at: tuple[SettingValue, ...]
) -> SweepPoint:
    from core.analysis.sweep.sweep import sweep_points

    axis_values = [SettingAxis(axis.key, (value,)) for axis, value in zip(axes, at, strict=True)]
    (point,) = sweep_points(context.input, name, axis_values)
    return point
