"""Runs a strategy at the settings that bring its result to a size that a person aims for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.common.errors import FoldlineError, InputError
from core.settings.schema import (
    MOST_PERCENT,
    THRESHOLD,
    TOP_PRESERVE,
    Setting,
    SettingValue,
    Values,
    aim_size,
)
from core.settings_store.layers import find_setting
from core.strategies.helpers import trigger_fraction
from core.strategies.registry import find_strategy
from core.trials.run import recorded_number, result_of, run_trial, trial_preview
from core.trials.trial import Depth, Trial, TrialResult

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


def aimed_result(source: AnalysisInput, strategy: str, aim: int) -> TrialResult:
    """Return the result of a strategy of at most ``aim`` tokens at the smallest change of its
    settings of size, else the smallest result that they give. The settings are those of its trial.

    A setting that takes tokens is set to the aim, or below where only that fits; the others stay
    where the result fits. What is recorded stays as it is."""
    if recorded_number(strategy) is not None:
        return result_of(source, strategy)
    source = _keeping_no_tries(source)
    chosen, _ = aimed_trial(source, strategy, aim)
    result = run_trial(source, chosen, Depth.ALL)
    return replace(result, sizes=replace(result.sizes, aim=aim))


def aimed_trial(source: AnalysisInput, strategy: str, aim: int) -> tuple[Trial, float]:
    """Return the trial of ``aimed_result``, and its tokens: infinite where it fails."""
    source = _keeping_no_tries(source)
    sizes = dict[Trial, float]()
    trials = aimed_trials(source.values, strategy, aim)
    fitting = _first_within(source, trials, aim, sizes)
    if fitting is not None:
        return fitting, sizes[fitting]
    smallest = _smallest_for(source.values, strategy, aim)
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


def aimed_trials(values: Values, strategy: str, aim: int) -> tuple[Trial, ...]:
    """Return the trials that a search may choose from, from the largest to the smallest."""
    settings = _present_sizes(values, strategy)
    steps = (tuple(_changes(settings, aim, part)) for part in range(_FINEST, -1, -1))
    return tuple(dict.fromkeys(Trial(strategy, changes) for changes in steps))


def _smallest_for(values: Values, strategy: str, aim: int) -> Trial:
    """Return the trial that leaves least and still has the aim as its target: out of reach, a
    target below it only takes away what the strategy would keep."""
    settings = _present_sizes(values, strategy)
    targets = [pair for pair in settings if pair[0].bounds.takes_tokens]
    others = [pair for pair in settings if not pair[0].bounds.takes_tokens]
    changed = {
        **dict(_changes(targets, aim, _FINEST)),
        **dict(_changes(others, aim, 0)),
    }
    keys = [one.key for one, _ in settings if one.key in changed]
    return Trial(strategy, tuple((key, changed[key]) for key in keys))


def _present_sizes(values: Values, strategy: str) -> list[tuple[Setting, float]]:
    return [(one, _present(values, strategy, one)) for one in _size_settings(strategy)]


def _size_settings(strategy: str) -> tuple[Setting, ...]:
    """Return the settings of how much a strategy leaves. Top is none for a search of the best
    settings, which varies it by itself; here it shrinks with Bottom. Where there is none, a
    strategy that leaves a part of its trigger follows that."""
    settings = tuple(map(find_setting, find_strategy(strategy).options))
    sizes = tuple(one for one in settings if one.key == TOP_PRESERVE or _is_size(one))
    return sizes or tuple(one for one in settings if one.key == THRESHOLD)


def _is_size(setting: Setting) -> bool:
    return setting.tune is not None and setting.tune.is_size


def _present(values: Values, strategy: str, setting: Setting) -> float:
    if setting.key == THRESHOLD:
        return trigger_fraction(find_strategy(strategy), values)
    return values.number(setting.key)


def _changes(
    settings: Sequence[tuple[Setting, float]], aim: int, part: int
) -> Iterator[tuple[str, SettingValue]]:
    """Yield what differs from the present values where a share has ``part`` hundredths of its
    present value, and a size in tokens as much of the aim."""
    for setting, present in settings:
        if setting.bounds.takes_tokens:
            value = float(max(_FEWEST_TOKENS, aim * part // _FINEST))
        elif part == _FINEST:
            value = present
        else:
            value = _lowered(setting, present, part)
        if value != present:
            yield setting.key, value


_FEWEST_TOKENS = MOST_PERCENT + 1
"""The smallest size in tokens: up to 100 a number is read as percent."""


def _lowered(setting: Setting, present: float, part: int) -> float:
    """Return ``part`` hundredths of a share as its editor would set it: in steps, within bounds."""
    bounds = setting.bounds
    lowest = (bounds.low or 0.0) + (bounds.step if bounds.low_open else 0.0)
    steps = round(present * part / _FINEST / bounds.step)
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
    too_large, fitting = 0, len(trials) - 1
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
