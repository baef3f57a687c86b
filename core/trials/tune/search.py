"""Searches the settings of one strategy, coarse to fine, within a number of runs. Deterministic."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.settings.schema import Setting, SettingKind, SettingValue
from core.trials.trial import Trial
from core.trials.tune.model import Vector

_COARSE = 4  # values of a setting at first
_SAME_STEP = 3  # looks around the best candidate before the step is halved


@dataclass(frozen=True, slots=True)
class Score:
    """How a candidate did on the choosing sessions: the share of needed names kept, and its size in
    the unit of the budget."""

    share: float
    size: float


Scores: TypeAlias = Mapping[Trial, Score]
Search: TypeAlias = Generator[tuple[Trial, ...], Scores, None]


def rank(score: Score | None, budget: float) -> tuple[bool, float, float]:
    """Return a key, largest for the best score: within the budget by what is kept, above it by
    size."""
    if score is None:
        return False, float("-inf"), 0.0
    fits = score.size <= budget
    return fits, score.share if fits else -score.size, -score.size


def search(
    strategy: str, settings: Sequence[Setting], budget: float, runs: int
) -> Search:
    """Yield batches of candidates and take their scores, until nothing better is near or ``runs``
    candidates were tried."""
    values = {one.key: one.tuned_values for one in settings}
    known: dict[Trial, Score | None] = {}

    def fresh(vectors: Iterator[Vector]) -> tuple[Trial, ...]:
        candidates = dict.fromkeys(Trial(strategy, vector) for vector in vectors)
        return tuple(one for one in candidates if one not in known)[
            : max(0, runs - len(known))
        ]

    def best() -> Trial:
        return max(known, key=lambda one: rank(known[one], budget))

    batch = fresh(iter([(), *_single_changes(settings)]))
    while batch:
        scores = yield batch
        known |= {one: scores.get(one) for one in batch}
        if len(known) == len(batch):
            batch = fresh(_combined(settings, known, budget, strategy))
        else:
            batch = ()
    step = max((len(one) for one in values.values()), default=0) // 4
    looks = 0
    while step and len(known) < runs:
        before = best()
        batch = fresh(_neighbours(before.settings, settings, step))
        if batch:
            scores = yield batch
            known |= {one: scores.get(one) for one in batch}
        looks += 1
        if best() == before or looks >= _SAME_STEP:
            step, looks = step // 2, 0


_SIZES = 6  # at which the defaults are looked at


def _is_size(setting: Setting) -> bool:
    """Return whether a setting says how much a strategy leaves."""
    return setting.tune is not None and setting.tune.is_size


def default_sizes(strategy: str, settings: Sequence[Setting]) -> tuple[Trial, ...]:
    """Return the defaults of a strategy, and the same at other sizes, if it has settings of its
    size: what a gain is measured against."""
    vectors = dict.fromkeys([_vector({}, settings)])
    for step in range(_SIZES):
        changes = {
            one.key: one.tuned_values[
                step * (len(one.tuned_values) - 1) // (_SIZES - 1)
            ]
            for one in settings
            if _is_size(one)
        }
        vectors[_vector(changes, settings)] = None
    return tuple(Trial(strategy, vector) for vector in vectors)


def only_size(candidate: Trial, settings: Sequence[Setting]) -> Trial:
    """Return the defaults at the size settings of a candidate."""
    sizes = {one.key for one in settings if _is_size(one)}
    changes = {key: value for key, value in candidate.settings if key in sizes}
    return Trial(candidate.strategy, _vector(changes, settings))


def _single_changes(settings: Sequence[Setting]) -> Iterator[Vector]:
    for setting in settings:
        values = setting.tuned_values
        if setting.kind in (SettingKind.FRACTION, SettingKind.WHOLE):
            indices = sorted(
                {
                    round(index * (len(values) - 1) / (_COARSE - 1))
                    for index in range(_COARSE)
                }
            )
            values = tuple(values[index] for index in indices)
        yield from (
            ((setting.key, value),) for value in values if value != setting.default
        )


def _combined(
    settings: Sequence[Setting],
    known: Mapping[Trial, Score | None],
    budget: float,
    strategy: str,
) -> Iterator[Vector]:
    """Yield what joins the best values of single settings: all of them, and all but one."""
    default = rank(known.get(Trial(strategy)), budget)
    best: dict[str, SettingValue] = {}
    for setting in settings:
        tried = [
            one
            for one in known
            if len(one.settings) == 1 and one.settings[0][0] == setting.key
        ]
        if tried:
            first = max(tried, key=lambda one: rank(known[one], budget))
            if rank(known[first], budget) > default:
                best[setting.key] = first.settings[0][1]
    if len(best) > 1:
        yield _vector(best, settings)
        for key in best if len(best) > 2 else ():
            yield _vector(
                {other: value for other, value in best.items() if other != key},
                settings,
            )


def _neighbours(
    vector: Vector, settings: Sequence[Setting], step: int
) -> Iterator[Vector]:
    """Yield vectors that differ in one setting, by ``step`` places of its values."""
    present = dict(vector)
    for setting in settings:
        values = setting.tuned_values
        value = present.get(setting.key, setting.default)
        index = _nearest(values, value)
        for other in (index - step, index + step):
            if 0 <= other < len(values):
                yield _vector({**present, setting.key: values[other]}, settings)


def _nearest(values: Sequence[SettingValue], value: SettingValue | None) -> int:
    if value in values:
        return values.index(value)
    numbers = [float(one) if isinstance(one, int | float) else 0.0 for one in values]
    if isinstance(value, int | float):
        wanted = float(value)
    else:
        wanted = 0.0
    return min(range(len(values)), key=lambda index: abs(numbers[index] - wanted))


def _vector(changes: Mapping[str, SettingValue], settings: Sequence[Setting]) -> Vector:
    return tuple(
        (one.key, changes[one.key])
        for one in settings
        if one.key in changes and changes[one.key] != one.default
    )
