"""Means and shares with their 95 % bootstrap intervals, by a fixed seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import mean
from typing import TypeVar

_RESAMPLES = 2_000
_TAIL = 0.025  # at each end: an interval of 95 %
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float

    @property
    def shows_a_difference(self) -> bool:
        return self.low > 0 or self.high < 0


def mean_interval(values: Sequence[float], seed: int = 1) -> Interval | None:
    """Return the mean of values, one a session; None below two."""
    return _interval(values, mean, seed)


def share_interval(counts: Sequence[tuple[int, int]]) -> Interval | None:
    """Return the share of the first of each pair in the second, over all pairs; None below two
    pairs, or where all seconds are 0."""
    some = [(part, whole) for part, whole in counts if whole]
    return _interval(some, _pooled_share)


def _pooled_share(counts: Sequence[tuple[int, int]]) -> float:
    return sum(part for part, _ in counts) / sum(whole for _, whole in counts)


def _interval(
    values: Sequence[_Value],
    figure: Callable[[Sequence[_Value]], float],
    seed: int = 1,
) -> Interval | None:
    if len(values) < 2:
        return None
    random = Random(seed)
    figures = sorted(
        figure(random.choices(values, k=len(values))) for _ in range(_RESAMPLES)
    )
    tail = int(_TAIL * _RESAMPLES)
    return Interval(figure(values), figures[tail], figures[-tail - 1])
