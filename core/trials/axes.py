"""Trials of one strategy at many values of one or two settings, and at the values that bring its
result to a size that a person aims for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import product
from math import prod

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.common.csv_text import Cell, csv_bytes
from core.common.errors import FoldlineError, InputError
from core.losses.evidence import MustStatus
from core.settings.schema import (
    FILE_DEDUPE,
    LIMIT,
    MODE,
    MOST_PERCENT,
    PROFILE,
    READ_WRITE,
    RECENCY,
    RETENTION,
    STRATEGY,
    THRESHOLD,
    TOP_PRESERVE,
    Setting,
    SettingKind,
    SettingValue,
    Values,
    aim_size,
    aim_value,
    plain_number,
)
from core.settings_store.layers import expected_text, find_setting, parse_value
from core.strategies.base import Strategy
from core.strategies.helpers import trigger_fraction
from core.strategies.registry import find_strategy
from core.transcript.compaction import FateKind
from core.trials.run import recorded_number, result_of, run_trial, trial_preview
from core.trials.trial import Depth, Trial, TrialResult

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
            f"One setting or two can be varied at once, not {len(texts)}.",
            f"{_SYNTAX_HINT}",
        )
    axes = tuple(parse_axis(text, strategy) for text in texts)
    if len({axis.key for axis in axes}) < len(axes):
        raise InputError(
            f"{axes[0].key} is varied twice.",
            "Name two settings, or give one all its values.",
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
    is_range = ":" in values and setting.kind in (
        SettingKind.FRACTION,
        SettingKind.WHOLE,
    )
    if is_range:
        texts = list(_parse_range(setting, values))
    else:
        texts = [part.strip() for part in values.split(",")]
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
        raise InputError(
            "The strategy cannot be varied.",
            "Compare strategies with: foldline compare FILE -s A -s B.",
        )
    known = variable_keys(strategy)
    if setting.key not in known:
        raise InputError(
            f"The strategy {strategy.name} does not use {setting.key}.",
            f"It uses: {', '.join(known)}.",
        )


def _parse_range(setting: Setting, text: str) -> Iterator[str]:
    """Yield the values from first to last, both included if the step meets them."""
    parts = [part.strip() for part in text.split(":")]
    if len(parts) != 3:
        raise InputError(f"{setting.key}={text} is not a range.", _SYNTAX_HINT)
    first, last, step = (_parse_number(setting, part) for part in parts)
    if step <= 0:
        raise InputError(
            f"The step of {setting.key}={text} must be above 0.", _SYNTAX_HINT
        )
    if first > last:
        raise InputError(
            f"{setting.key}={text} runs backwards.", "Write the smaller value first."
        )
    if (last - first) / step >= MAX_POINTS:
        raise InputError(
            f"{setting.key}={text} has more than {MAX_POINTS:,} values.",
            "Take a larger step.",
        )
    while first <= last:
        yield format(first, "f")
        first += step


def _parse_number(setting: Setting, text: str) -> Decimal:
    if setting.bounds.takes_tokens and (aim := aim_value(text)) is not None:
        return Decimal(str(aim))
    is_percent = text.endswith("%") and setting.kind is SettingKind.FRACTION
    digits = text.removesuffix("%") if is_percent else text
    try:
        number = Decimal(plain_number(digits))
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
    if is_percent:
        return number / 100
    return number


@dataclass(frozen=True, slots=True)
class SettingAxis:
    """A setting and the values to try, in order."""

    key: str
    values: tuple[SettingValue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The results so far of ``strategy`` at the values of ``axes``, the last one varying fastest,
    priced, the best marked; the runs took ``seconds``. ``before`` is the history of ``scope`` as it
    is. ``problem`` says what is wrong with ``vary``."""

    source: AnalysisInput
    strategy: str
    axes: tuple[SettingAxis, ...]
    before: TrialResult
    results: tuple[TrialResult, ...] = ()
    vary: tuple[str, ...] = ()
    seconds: float = 0.0
    problem: str = ""

    @property
    def planned(self) -> int:
        return len(axis_trials(self.strategy, self.axes))


def axis_trials(strategy: str, axes: Sequence[SettingAxis]) -> tuple[Trial, ...]:
    """Return a trial for every combination of values, the last axis varying fastest; none without
    an axis."""
    if not axes:
        return ()
    keys = [axis.key for axis in axes]
    combinations = product(*(axis.values for axis in axes))
    return tuple(
        Trial(strategy, tuple(zip(keys, one, strict=True))) for one in combinations
    )


def run_trials(source: AnalysisInput, trials: Sequence[Trial]) -> Iterator[TrialResult]:
    """Yield the results of the trials. Runs are manual, as in the preview."""
    for index, trial in enumerate(trials):
        part = source.for_step(
            index, len(trials), f"point {index + 1:,} of {len(trials):,}"
        )
        yield run_trial(part, trial, Depth.LOSSES)
    source.options.progress(1.0, "Swept.")


COLUMNS = (
    "tokens",
    "messages",
    "gone",
    "said_word_for_word",
    "needed_share",
    "musts_word_for_word",
    "musts_in_part",
    "musts_gone",
    *FateKind,
    "calls",
    "cost",
    "best",
    "no_op",
    "error",
)
"""Columns after those of the varied settings."""


_MUST_COLUMNS = (MustStatus.WORD_FOR_WORD, MustStatus.IN_PART, MustStatus.GONE)


def sweep_csv(sweep: Sweep) -> bytes:
    """Return the CSV: values under the keys of their settings, then ``COLUMNS``; a run that failed
    has only its error."""
    keys = tuple(axis.key for axis in sweep.axes)
    return csv_bytes((*keys, *COLUMNS), map(_csv_row, sweep.results))


def _csv_row(result: TrialResult) -> tuple[Cell, ...]:
    values = tuple(
        str(value).lower() if isinstance(value, bool) else value
        for value in result.trial.setting_values
    )
    if result.error:
        return (*values, *(None,) * (len(COLUMNS) - 1), result.error)
    counts = (result.fate_count(kind) for kind in FateKind)
    if result.messages_word_for_word:
        said = result.messages_word_for_word[0]
    else:
        said = None
    kept = result.losses.gone, said, result.needed_share
    musts: tuple[Cell, ...] = (None,) * len(_MUST_COLUMNS)
    if result.losses.musts:
        musts = tuple(result.losses.count_musts(one) for one in _MUST_COLUMNS)
    sizes = result.sizes.tokens, result.sizes.messages
    ends = result.calls, result.summary_cost, int(result.on_front), result.no_op, None
    return (*values, *sizes, *kept, *musts, *counts, *ends)


_FINEST = 100  # parts into which the way from the wished values to the lowest is cut
MOST_TRIES = 12


def aim_tokens(source: AnalysisInput, aim: float) -> int:
    """Return in tokens an aim that is a share of the limit up to 1, or tokens above it. Raises
    InputError for a share where no limit is known, and for an aim of a few tokens."""
    limit: int | None = None
    if aim <= 1:
        limit = baseline_preview(source, checks=False).sizes.model_limit.tokens
    tokens = aim_size(aim, limit)
    if tokens is None:
        raise InputError("The limit of the model is not known.", "Aim for tokens: 20k.")
    if tokens <= MOST_PERCENT:
        raise InputError(
            f"An aim of {tokens:,} tokens is too small.", "Aim for 20k or 35 %."
        )
    return tokens


def aimed_result(
    source: AnalysisInput, strategy: str, aim: int, start: Values | None = None
) -> TrialResult:
    """Return the result of a strategy of at most ``aim`` tokens at the smallest change of its
    settings of size, else the smallest result that they give. The settings are those of its trial.

    A setting that takes tokens is set to the aim, or below where only that fits; the others stay
    where the result fits. What is recorded stays as it is. The search begins at ``start``, where
    the present settings are those that another aim found."""
    if recorded_number(strategy) is not None:
        return result_of(source, strategy)
    source = _keeping_no_tries(source)
    chosen, _ = _chosen_trial(source, strategy, aim, start)
    result = run_trial(source, chosen, Depth.ALL)  # its run is known from the search
    return replace(result, sizes=replace(result.sizes, aim=aim))


def aimed_results(
    source: AnalysisInput, names: Sequence[str], aim: int, start: Values
) -> Iterator[TrialResult]:
    """Yield the ``aimed_result`` of each name as it is computed."""
    for index, name in enumerate(names):
        step = source.for_step(
            index, len(names), f"{name} ({index + 1} of {len(names)})"
        )
        yield aimed_result(step, name, aim, start)


def aimed_trial(
    source: AnalysisInput, strategy: str, aim: int, start: Values | None = None
) -> tuple[Trial, float]:
    """Return the trial of ``aimed_result``, and its tokens: infinite where it fails."""
    return _chosen_trial(_keeping_no_tries(source), strategy, aim, start)


def _chosen_trial(
    source: AnalysisInput, strategy: str, aim: int, start: Values | None
) -> tuple[Trial, float]:
    sizes = dict[Trial, float]()
    trials = aimed_trials(source.values, strategy, aim, start)
    fitting = _first_within(source, trials, aim, sizes)
    if fitting is not None:
        return fitting, sizes[fitting]
    smallest = _smallest_for(source.values, strategy, aim, start)
    if smallest not in sizes:
        sizes[smallest] = _tokens(source, smallest)
    chosen = min((trials[0], smallest), key=sizes.__getitem__)
    return chosen, sizes[chosen]


def _keeping_no_tries(source: AnalysisInput) -> AnalysisInput:
    """Return the same source with a copy of its results: those of tries are dropped with it."""
    stages = replace(source.stages, results=dict(source.stages.results))
    return replace(source, stages=stages)


def has_size(strategy: str) -> bool:
    """Return whether a strategy has a setting of how much it leaves."""
    return bool(_size_settings(strategy))


def aimed_trials(
    values: Values, strategy: str, aim: int, start: Values | None = None
) -> tuple[Trial, ...]:
    """Return the trials that a search may choose from, from the largest to the smallest."""
    settings = _sizes(values, strategy, start)
    steps = (tuple(_changes(settings, aim, part)) for part in range(_FINEST, -1, -1))
    return tuple(dict.fromkeys(Trial(strategy, changes) for changes in steps))


def _smallest_for(
    values: Values, strategy: str, aim: int, start: Values | None
) -> Trial:
    """Return the trial that leaves least and still has the aim as its target: out of reach, a
    target below it only takes away what the strategy would keep."""
    changes = list[tuple[str, SettingValue]]()
    for one in _sizes(values, strategy, start):
        part = _FINEST if one.setting.bounds.takes_tokens else 0
        changes += _changes([one], aim, part)
    return Trial(strategy, tuple(changes))


@dataclass(frozen=True, slots=True)
class _Size:
    """A setting of size, its value now, and that from which a search lowers it."""

    setting: Setting
    present: float
    start: float


def _sizes(values: Values, strategy: str, start: Values | None) -> list[_Size]:
    start = start or values
    return [
        _Size(one, _present(values, strategy, one), _present(start, strategy, one))
        for one in _size_settings(strategy)
    ]


def _size_settings(strategy: str) -> tuple[Setting, ...]:
    """Return the settings of how much a strategy leaves. Top is none for a search of the best
    settings, which varies it by itself; here it shrinks with Bottom. Where there is none, a
    strategy that leaves a part of its trigger follows that."""
    settings = tuple(map(find_setting, find_strategy(strategy).options))
    sizes = tuple(one for one in settings if one.key == TOP_PRESERVE or one.is_size)
    return sizes or tuple(one for one in settings if one.key == THRESHOLD)


def _present(values: Values, strategy: str, setting: Setting) -> float:
    if setting.key == THRESHOLD:
        return trigger_fraction(find_strategy(strategy), values)
    return values.number(setting.key)


def _changes(
    sizes: Sequence[_Size], aim: int, part: int
) -> Iterator[tuple[str, SettingValue]]:
    """Yield what differs from the present values where a share has ``part`` hundredths of its
    value at the start, and a size in tokens as much of the aim."""
    for one in sizes:
        if one.setting.bounds.takes_tokens:
            value = float(max(_FEWEST_TOKENS, aim * part // _FINEST))
        elif part == _FINEST:
            value = one.start
        else:
            value = _lowered(one.setting, one.start, part)
        if value != one.present:
            yield one.setting.key, value


_FEWEST_TOKENS = MOST_PERCENT + 1
"""The smallest size in tokens: up to 100 a number is read as percent."""


def _lowered(setting: Setting, start: float, part: int) -> float:
    """Return ``part`` hundredths of a share as its editor would set it: in steps, within bounds."""
    bounds = setting.bounds
    lowest = (bounds.low or 0.0) + (bounds.step if bounds.low_open else 0.0)
    steps = round(start * part / _FINEST / bounds.step)
    return max(round(steps * bounds.step, 6), lowest)


def _first_within(
    source: AnalysisInput,
    trials: Sequence[Trial],
    aim: int,
    sizes: dict[Trial, float],
) -> Trial | None:
    """Return the first trial within the aim, as a search by halves finds it, else None; ``sizes``
    takes what was tried."""
    sizes[trials[0]] = _tokens(source, trials[0])
    if sizes[trials[0]] <= aim:
        return trials[0]
    too_large = 0
    fitting = len(trials) - 1
    sizes[trials[-1]] = _tokens(source, trials[-1])
    if sizes[trials[-1]] > aim:
        return None
    while fitting - too_large > 1 and len(sizes) < MOST_TRIES:
        middle = (too_large + fitting) // 2
        sizes[trials[middle]] = _tokens(source, trials[middle])
        if sizes[trials[middle]] <= aim:
            fitting = middle
        else:
            too_large = middle
    return trials[fitting]


def _tokens(source: AnalysisInput, trial: Trial) -> float:
    """Return the size of a result; a run that fails has none, and is never within the aim."""
    try:
        return trial_preview(source, trial, checks=False).sizes.after_tokens
    except FoldlineError:
        return math.inf
