"""Runs one strategy at many values of one or two settings (product.md section 3.5)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from core.analysis.compare.row_computation import BASELINE, OptionsFactory, offline_values, with_strategy
from core.analysis.cost.summary_price import paid_dollars, unpaid_requests
from core.analysis.csv_text import Cell, csv_bytes
from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.sweep.model import SettingAxis, SweepPoint, SweepResult
from core.common.errors import FoldlineError
from core.preview.options import PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.settings.schema import SettingValue
from core.settings.values import EffectiveValue, SettingLayer, Values
from core.strategies.registry import find_strategy
from core.transcript.compaction import FateKind
from core.transcript.model import Conversation, Progress


def sweep_points(
    conversation: Conversation,
    name: str,
    values: Values,
    axes: Sequence[SettingAxis],
    options: PreviewOptions | None = None,
    stages: StageCache | None = None,
    options_for: OptionsFactory | None = None,
) -> Iterator[SweepPoint]:
    """Yield a point per combination of values, in the order of ``axis_combinations``. Runs are manual, as in
    the preview. Summaries are offline unless ``ask.choose`` or ``options_for`` is set. A failed run is a
    point with its error. ``ask.progress`` is called between points and within them, and may raise
    Cancelled."""
    options, stages = options or PreviewOptions(), stages or StageCache()
    base_values = with_strategy(
        values if options.summariser_factory or options_for else offline_values(values), name
    )
    combinations = axis_combinations(axes)
    for index, combination in enumerate(combinations):
        point_options = replace(
            options,
            progress=_point_progress(options.progress, index, len(combinations)),
            draft=False,
            checks=False,
        )
        point_options.progress(0.0, "")
        run_options = options_for(find_strategy(name), point_options) if options_for else point_options
        yield _run_point(
            conversation, values_at_point(base_values, axes, combination), combination, run_options, stages
        )
    options.progress(1.0, "Swept.")


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
    conversation: Conversation,
    name: str,
    values: Values,
    axes: Sequence[SettingAxis],
    points: Sequence[SweepPoint],
    options: PreviewOptions | None = None,
    stages: StageCache | None = None,
) -> SweepResult:
    """Combine the points with figures of the source, and mark the best ones."""
    options, stages = options or PreviewOptions(), stages or StageCache()
    source_options = PreviewOptions(options.scope, options.model, draft=True, progress=options.progress)
    preview = compute_preview(
        conversation, with_strategy(offline_values(values), BASELINE), source_options, stages
    )
    source_size = preview.before_tokens, len(preview.messages)
    return SweepResult(
        find_strategy(name).name,
        tuple(axes),
        mark_front(points),
        source_size,
        preview.history.scope,
        preview.count_method.mark,
        preview.window.model,
    )


def mark_front(points: Sequence[SweepPoint]) -> tuple[SweepPoint, ...]:
    """Mark the points that no other beats; equal points are all marked."""
    ranked = [point for point in points if not point.error and not point.no_op and point.fidelity is not None]
    front = {point.axis_values for point in ranked if not any(_beats(rival, point) for rival in ranked)}
    return tuple(replace(point, on_front=point.axis_values in front) for point in points)


def _beats(other: SweepPoint, point: SweepPoint) -> bool:
    """Return whether ``other`` is at least as good in tokens and fidelity, and better in one."""
    gain = (other.fidelity or 0.0) - (point.fidelity or 0.0)
    return other.tokens <= point.tokens and gain >= 0 and (other.tokens < point.tokens or gain > 0)


def _run_point(
    conversation: Conversation,
    values: Values,
    axis_values: tuple[SettingValue, ...],
    options: PreviewOptions,
    stages: StageCache,
) -> SweepPoint:
    started = time.perf_counter()
    try:
        preview = compute_preview(conversation, values, options, stages)
    except FoldlineError as error:
        return SweepPoint(axis_values, 0, 0, seconds=time.perf_counter() - started, error=str(error))
    seconds = time.perf_counter() - started
    fidelity = fidelity_of(preview, stages, options.progress)
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
    )


def _point_progress(progress: Progress, index: int, count: int) -> Progress:
    """Map one point's progress to that of all; its stages each begin at 0."""
    highest = 0.0

    def report(fraction: float, text: str) -> None:
        nonlocal highest
        highest = max(highest, min(1.0, fraction))
        progress((index + highest) / count, f"point {index + 1:,} of {count:,}")

    return report


COLUMNS = ("tokens", "messages", "fidelity", *FateKind, "calls", "cost", "best", "no_op", "error")
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
    sizes = point.tokens, point.messages, point.fidelity
    return (*axis_values, *sizes, *counts, point.calls, point.cost, is_best, point.no_op, None)
