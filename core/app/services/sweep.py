"""Sweep: a few points per command, so that nothing waits long."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.analysis.compare.row_computation import baseline_preview
from core.analysis.cost.summary_price import priced_point
from core.analysis.sweep.axes import parse_axes
from core.analysis.sweep.model import SettingAxis, SweepPoint
from core.analysis.sweep.sweep import axis_combinations, sweep_points, sweep_result
from core.analysis.sweep.sweep_csv import sweep_csv
from core.app.messages import Event
from core.app.services.analysis_commands import StartSweepCommand
from core.common.errors import InputError
from core.presentation.sweep.page import SweepProgress, first_vary, sweep_page
from core.settings.keys import STRATEGY
from core.settings.schema import SettingValue
from core.strategies.registry import find_strategy

if TYPE_CHECKING:
    from core.app.services.analysis_context import AnalysisContext

_SECONDS = 0.15
"""Work per command; one point may take longer."""


@dataclass(slots=True)
class _KnownPoints:
    """The points that were computed for a key, by the values of the axes."""

    key: Hashable = None
    axes: tuple[SettingAxis, ...] = ()
    points: dict[tuple[SettingValue, ...], SweepPoint] = field(default_factory=dict)
    before: int = 0
    seconds: float = 0.0


class SweepCommandHandler:
    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._known = _KnownPoints()

    def handle(self, command: StartSweepCommand, context: AnalysisContext) -> None:
        """Compute the next points; Cancelled passes through, and points so far stay known."""
        strategy = find_strategy(context.values.text(STRATEGY))
        vary, problem = command.vary or first_vary(strategy, context.values), ""
        try:
            axes = parse_axes(vary, strategy) if vary else ()
        except InputError as error:
            axes, problem = (), str(error)
        known = self._known
        if known.key != (context.key, strategy.name, axes):
            known = self._known = _KnownPoints((context.key, strategy.name, axes), axes)
            compare_context = replace(context.contest(), options=replace(context.options, checks=False))
            known.before = baseline_preview(compare_context).before_tokens
        combinations = axis_combinations(axes) if axes else ()
        if command.vary:
            self._run(known, strategy.name, combinations, context)
        runs = tuple(known.points[at] for at in combinations if at in known.points)
        self._emit(
            sweep_page(
                SweepProgress(
                    context.generation,
                    strategy,
                    context.values,
                    vary,
                    axes,
                    runs,
                    len(combinations),
                    known.before,
                    context.file.mark(context.options.model),
                    known.seconds,
                    problem,
                    context.model,
                    context.prices,
                )
            )
        )

    def _run(
        self,
        known: _KnownPoints,
        name: str,
        combinations: tuple[tuple[SettingValue, ...], ...],
        context: AnalysisContext,
    ) -> None:
        started = time.monotonic()
        for at in combinations:
            if at in known.points:
                continue
            one = [SettingAxis(axis.key, (value,)) for axis, value in zip(known.axes, at, strict=True)]
            for point in sweep_points(
                context.file.conversation, name, context.values, one, context.options, context.file.stages
            ):
                known.points[at] = point
            if time.monotonic() - started > _SECONDS:
                break
        known.seconds += time.monotonic() - started

    def table(self, context: AnalysisContext) -> bytes:
        known = self._known
        if not known.points:
            raise InputError("Nothing was swept yet.", "Open Sweep first.")
        name = find_strategy(context.values.text(STRATEGY)).name
        points = [priced_point(point, context.price_as) for point in known.points.values()]
        file, values = context.file, context.values
        result = sweep_result(
            file.conversation, name, values, known.axes, points, context.options, file.stages
        )
        return sweep_csv(result)
