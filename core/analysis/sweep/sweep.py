"""Runs one strategy at many values of one or two settings (product.md section 3.5)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from core.analysis.compare.model import front_indices
from core.analysis.context import AnalysisInput, baseline_preview, with_strategy
from core.analysis.cost.summary_price import paid_dollars, unpaid_requests
from core.analysis.csv_text import Cell, csv_bytes
from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.fidelity.model import lost_count
from core.analysis.sweep.model import SettingAxis, SweepPoint, SweepResult
from core.common.errors import FoldlineError
from core.preview.preview import compute_preview
from core.settings.schema import EffectiveValue, SettingLayer, SettingValue, Values
from core.strategies.registry import find_strategy
from core.transcript.compaction import FateKind


def sweep_points(source: AnalysisInput, name: str, axes: Sequence[SettingAxis]) -> Iterator[SweepPoint]:
    """Yield a point per combination of values, in the order of ``axis_combinations``. Runs are manual, as in
    the preview. A failed run is a point with its error."""
    strategy, values = find_strategy(name), with_strategy(source.run_values, name)
    combinations = axis_combinations(axes)
    for index, combination in enumerate(combinations):
        part = source.part(index, len(combinations), f"point {index + 1:,} of {len(combinations):,}")
        options = replace(part.run_options(strategy), draft=False, checks=False)
        point_source = replace(source, values=values_at_point(values, axes, combination), options=options)
        yield _run_point(point_source, combination)
    source.options.progress(1.0, "Swept.")


def axis_combinations(axes: Sequence[SettingAxis]) -> tuple[tuple[SettingValue, ...], ...]:
    """Return the values of every point, the last axis varying fastest."""
    return tuple(product(*(axis.values for axis in axes)))


def values_at_point(
    values: Values, axes: Sequence[SettingAxis], axis_values: Sequence[SettingValue]
) -> Values:
    """Return the settings of a point."""
    changed = {
        axis.key: EffectiveValue(value, SettingLayer.SESSION)
        for axis, value in zip(axes, axis_values, strict=True)
    }
    return Values({**values.by_key, **changed})


def sweep_result(
    source: AnalysisInput, name: str, axes: Sequence[SettingAxis], points: Sequence[SweepPoint]
) -> SweepResult:
    """Combine the points with figures of the source, and mark the best ones."""
    preview = baseline_preview(source, checks=False)
    return SweepResult(
        find_strategy(name).name,
        tuple(axes),
        mark_front(points),
        (preview.before_tokens, len(preview.messages)),
        preview.history.scope,
        preview.count_method.mark,
        preview.window.model,
    )


def mark_front(points: Sequence[SweepPoint]) -> tuple[SweepPoint, ...]:
    """Mark the points that no other beats in tokens and facts lost; equal points are all marked."""
    front = front_indices(
        [None if point.no_op or point.lost is None else (point.tokens, -point.lost) for point in points]
    )
    return tuple(replace(point, on_front=index in front) for index, point in enumerate(points))


def _run_point(source: AnalysisInput, axis_values: tuple[SettingValue, ...]) -> SweepPoint:
    started = time.perf_counter()
    try:
        preview = compute_preview(source.conversation, source.values, source.options, source.stages)
    except FoldlineError as error:
        return SweepPoint(axis_values, 0, 0, seconds=time.perf_counter() - started, error=str(error))
    seconds = time.perf_counter() - started
    fidelity = fidelity_of(preview, source.stages, source.options.progress)
    compaction = preview.compaction
    return SweepPoint(
        axis_values,
        preview.after_tokens,
        len(compaction.messages),
        fidelity.weighted,
        Counter(fate.kind for fate in compaction.fates),
        len(compaction.calls),
        paid_dollars(compaction.calls),
        seconds,
        compaction.no_op.reason if compaction.no_op is not None else "",
        unpaid=unpaid_requests(compaction.calls),
        lost=lost_count(fidelity.scores),
    )


COLUMNS = ("tokens", "messages", "lost", "fidelity", *FateKind, "calls", "cost", "best", "no_op", "error")
"""Columns after those of the varied settings."""


def sweep_csv(result: SweepResult) -> bytes:
    """Return the CSV: axis values under their keys, then ``COLUMNS``; a failed point has only its error."""
    keys = tuple(axis.key for axis in result.axes)
    return csv_bytes((*keys, *COLUMNS), map(_row, result.points))


def _row(point: SweepPoint) -> tuple[Cell, ...]:
    axis_values = tuple(
        str(value).lower() if isinstance(value, bool) else value for value in point.axis_values
    )
    if point.error:
        return (*axis_values, *(None,) * (len(COLUMNS) - 1), point.error)
    fates = point.fates or {}
    counts = (fates.get(kind, 0) for kind in FateKind)
    is_best = int(point.on_front)
    sizes = point.tokens, point.messages, point.lost, point.fidelity
    return (*axis_values, *sizes, *counts, point.calls, point.cost, is_best, point.no_op, None)
