"""Runs one strategy at many values of one or two settings."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import product
from math import prod

from core.analysis.analysis_input import (
    AnalysisInput,
    Cell,
    baseline_preview,
    csv_bytes,
    with_setting,
    with_strategy,
)
from core.analysis.losses.losses_of import losses_of
from core.analysis.losses.model import MustStatus
from core.analysis.run_price import PricingModel
from core.common.errors import FoldlineError, InputError, did_you_mean
from core.preview.preview import compute_preview
from core.settings.aim import aim_value
from core.settings.keys import (
    FILE_DEDUPE,
    LIMIT,
    MODE,
    PROFILE,
    READ_WRITE,
    RECENCY,
    RETENTION,
    STRATEGY,
)
from core.settings.schema import Setting, SettingKind, SettingValue, Values
from core.settings_store.layers import expected_text, find_setting, parse_value
from core.strategies.base import Strategy
from core.strategies.registry import find_strategy
from core.transcript.compaction import FateKind
from core.trials.run import failed_row, judged, priced_row
from core.trials.trial import SettingAxis, SweepPoint, SweepResult, front_indices

MAX_POINTS = 400
"""Most runs of one sweep."""
MAX_AXES = 2
_MAX_DIGITS = 20  # on either side of the point: sums of such numbers are exact

_DENSITY = (READ_WRITE, FILE_DEDUPE, RECENCY, RETENTION)
_SYNTAX_HINT = "Write KEY=FROM:TO:STEP or KEY=A,B."


def parse_axes(texts: Sequence[str], strategy: Strategy) -> tuple[SettingAxis, ...]:
    """Return the axes of a sweep; raise InputError for a setting that cannot be varied."""
    if not 1 <= len(texts) <= MAX_AXES:
        raise InputError(
            f"A sweep varies one setting or two, not {len(texts)}.", f"{_SYNTAX_HINT} as --vary."
        )
    axes = tuple(parse_axis(text, strategy) for text in texts)
    if len({axis.key for axis in axes}) < len(axes):
        raise InputError(
            f"{axes[0].key} is varied twice.", "Name two settings, or give one all its values."
        )
    count = prod(len(axis.values) for axis in axes)
    if count > MAX_POINTS:
        raise InputError(
            f"That would be {count:,} runs; a sweep has at most {MAX_POINTS:,}.",
            "Take a larger step.",
        )
    return axes


def parse_axis(text: str, strategy: Strategy) -> SettingAxis:
    """Return one axis. A range includes its ends; fractions may be written as percent."""
    key, equals, values = text.partition("=")
    if not equals or not values.strip():
        raise InputError(f"{text} has no values.", _SYNTAX_HINT)
    setting = find_setting(key.strip())
    _check_setting(setting, strategy)
    is_range = ":" in values and setting.kind in (SettingKind.FRACTION, SettingKind.WHOLE)
    texts = (
        list(_parse_range(setting, values))
        if is_range
        else [part.strip() for part in values.split(",")]
    )
    parsed_values = tuple(dict.fromkeys(parse_value(setting, part) for part in texts))
    if len(parsed_values) < 2:
        raise InputError(f"{text} has only one value.", _SYNTAX_HINT)
    return SettingAxis(setting.key, parsed_values)


def variable_keys(strategy: Strategy) -> tuple[str, ...]:
    """Return the settings that can be varied: those that affect a manual run. The profile is not
    among them: the user agrees to it once for all points."""
    density = _DENSITY if strategy.optimize is not None else ()
    keys = (*strategy.options, *density, LIMIT, MODE)
    return tuple(dict.fromkeys(key for key in keys if key != PROFILE))


def _check_setting(setting: Setting, strategy: Strategy) -> None:
    if setting.key == STRATEGY:
        raise InputError("A sweep runs a single strategy.", "Use foldline compare for several.")
    known = variable_keys(strategy)
    if setting.key not in known:
        hint = f"{did_you_mean(setting.key, known)}It reads: {', '.join(known)}."
        raise InputError(f"{setting.key} changes nothing under {strategy.name}.", hint)


def _parse_range(setting: Setting, text: str) -> Iterator[str]:
    """Yield the values from first to last, both included if the step meets them."""
    parts = [part.strip() for part in text.split(":")]
    if len(parts) != 3:
        raise InputError(f"{setting.key}={text} is not a range.", _SYNTAX_HINT)
    first, last, step = (_parse_number(setting, part) for part in parts)
    if step <= 0:
        raise InputError(f"The step of {setting.key}={text} must be above 0.", _SYNTAX_HINT)
    if first > last:
        raise InputError(f"{setting.key}={text} runs backwards.", "Write the smaller value first.")
    if (last - first) / step >= MAX_POINTS:
        raise InputError(
            f"{setting.key}={text} has more than {MAX_POINTS:,} values.", "Take a larger step."
        )
    while first <= last:
        yield format(first, "f")
        first += step


def _parse_number(setting: Setting, text: str) -> Decimal:
    if setting.bounds.takes_tokens and (aim := aim_value(text)) is not None:
        return Decimal(str(aim))
    digits = text.replace(",", "").replace("_", "")
    is_percent = digits.endswith("%") and setting.kind is SettingKind.FRACTION
    try:
        number = Decimal(digits[:-1] if is_percent else digits)
    except InvalidOperation:
        raise InputError(
            f"{setting.key}: {text!r} is not a number.", expected_text(setting)
        ) from None
    is_in_range = number.is_finite() and abs(number.adjusted()) <= _MAX_DIGITS
    if not is_in_range or (
        setting.kind is SettingKind.WHOLE and number != number.to_integral_value()
    ):
        raise InputError(f"{setting.key} cannot be {text!r}.", expected_text(setting))
    if setting.kind is SettingKind.WHOLE:
        return number.quantize(Decimal(1))
    return number / 100 if is_percent else number


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep so far; its runs took ``seconds``. ``problem`` says what is wrong with ``vary``."""

    source: AnalysisInput
    vary: tuple[str, ...]
    result: SweepResult
    seconds: float
    problem: str = ""


def sweep_points(
    source: AnalysisInput, name: str, axes: Sequence[SettingAxis], first: int = 0
) -> Iterator[SweepPoint]:
    """Yield a point per combination of values, in the order of ``axis_combinations``, from index
    ``first``. Runs are manual, as in the preview. A failed run is a point with its error."""
    strategy, values = find_strategy(name), with_strategy(source.run_values, name)
    combinations = axis_combinations(axes)
    for index, combination in enumerate(combinations[first:], first):
        part = source.part(
            index, len(combinations), f"point {index + 1:,} of {len(combinations):,}"
        )
        options = replace(part.run_options(strategy), provisional=False, checks=False)
        point_source = replace(
            source, values=values_at_point(values, axes, combination), options=options
        )
        yield _run_point(point_source, combination)
    source.options.progress(1.0, "Swept.")


def axis_combinations(axes: Sequence[SettingAxis]) -> tuple[tuple[SettingValue, ...], ...]:
    """Return the values of every point, the last axis varying fastest; none without an axis."""
    return tuple(product(*(axis.values for axis in axes))) if axes else ()


def values_at_point(
    values: Values, axes: Sequence[SettingAxis], axis_values: Sequence[SettingValue]
) -> Values:
    for axis, value in zip(axes, axis_values, strict=True):
        values = with_setting(values, axis.key, value)
    return values


def sweep_without_points(
    source: AnalysisInput, name: str, axes: Sequence[SettingAxis]
) -> SweepResult:
    preview = baseline_preview(source, checks=False)
    return SweepResult(
        strategy=find_strategy(name).name,
        axes=tuple(axes),
        points=(),
        before=(preview.sizes.before_tokens, len(preview.messages)),
        scope=preview.source.history.scope,
        mark=preview.sizes.count_method.mark,
        model=preview.sizes.model_limit.model,
    )


def with_points(
    result: SweepResult, points: Iterable[SweepPoint], price: PricingModel
) -> SweepResult:
    """Return the sweep with these points, priced, the best ones marked."""
    return replace(
        result, points=mark_front([replace(one, row=priced_row(one.row, price)) for one in points])
    )


def mark_front(points: Sequence[SweepPoint]) -> tuple[SweepPoint, ...]:
    """Mark the points that no other beats in tokens and in what is kept of what later turns needed;
    equal points are all marked, and none where nobody knows what was needed or a must is gone."""
    front = front_indices(
        [
            None
            if point.no_op
            or point.needed_share is None
            or point.row.kept.count_musts(MustStatus.GONE)
            else (point.tokens, point.needed_share)
            for point in points
        ]
    )
    return tuple(replace(point, on_front=index in front) for index, point in enumerate(points))


def _run_point(source: AnalysisInput, axis_values: tuple[SettingValue, ...]) -> SweepPoint:
    started = time.perf_counter()
    try:
        preview = compute_preview(source.conversation, source.values, source.options, source.stages)
    except FoldlineError as error:
        baseline = baseline_preview(source, checks=False)
        row = failed_row(baseline, source.values.text(STRATEGY), "strategy", str(error))
        return SweepPoint(
            axis_values=axis_values, row=replace(row, seconds=time.perf_counter() - started)
        )
    seconds = time.perf_counter() - started
    losses = losses_of(preview, source.stages, source.options.progress)
    return SweepPoint(
        axis_values=axis_values,
        row=replace(judged(source, preview, losses), seconds=seconds),
        fates=Counter(fate.kind for fate in preview.result.compaction.fates),
    )


COLUMNS = (
    "tokens",
    "messages",
    "gone",
    "said_word_for_word",
    "needed_share",
    *FateKind,
    "calls",
    "cost",
    "best",
    "no_op",
    "error",
)
"""Columns after those of the varied settings."""


def sweep_csv(result: SweepResult) -> bytes:
    """Return the CSV: axis values under their keys, then ``COLUMNS``; a failed point has only its
    error."""
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
    said = point.said[0] if point.said else None
    sizes = point.tokens, point.messages, point.gone, said, point.needed_share
    return (*axis_values, *sizes, *counts, point.calls, point.cost, is_best, point.no_op, None)
