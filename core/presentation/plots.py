"""Scales of plots: round steps, labels at ticks, labels that keep apart. Values only, no pixels' colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_UNITS = ((1_000_000, "M"), (1_000, "k"))
_MOST_PLACES = 9

Labels = Callable[[Sequence[float]], Sequence[str]]
"""How the values at the ticks of a scale read: all are given at once, so that they can be alike."""


@dataclass(frozen=True, slots=True)
class AxisTick:
    """A value at an axis and how it reads."""

    value: float
    label: str


@dataclass(frozen=True, slots=True)
class PlotAxis:
    """A scale from ``low`` to ``high`` (low < high) with its ticks, ascending."""

    low: float
    high: float
    ticks: tuple[AxisTick, ...] = ()
    title: str = ""

    def share(self, value: float) -> float:
        """Where a value lies, 0 at ``low`` and 1 at ``high``; beyond them outside of that."""
        return (value - self.low) / (self.high - self.low)


def plot_axis(
    low: float, high: float, labels: Labels, most: int = 8, *, title: str = "", whole: bool = False
) -> PlotAxis:
    """A scale with round ends that holds ``low`` and ``high``, in at most about ``most`` steps.

    ``whole``: no step is smaller than 1.
    """
    if high <= low:
        high = low + (abs(low) or 1.0)
    size = round_step((high - low) / max(1, most), whole=whole)
    first, last = math.floor(low / size + 1e-9), math.ceil(high / size - 1e-9)
    last = max(last, first + 1)
    return PlotAxis(first * size, last * size, _ticks(first, last, size, labels), title)


def exact_axis(
    low: float, high: float, labels: Labels, most: int = 8, *, title: str = "", whole: bool = False
) -> PlotAxis:
    """A scale from exactly ``low`` to ``high``; its ticks are the round values between."""
    if high <= low:
        high = low + 1.0
    size = round_step((high - low) / max(1, most), whole=whole)
    first, last = math.ceil(low / size - 1e-9), math.floor(high / size + 1e-9)
    return PlotAxis(low, high, _ticks(first, last, size, labels), title)


def _ticks(first: int, last: int, size: float, labels: Labels) -> tuple[AxisTick, ...]:
    values = [number * size for number in range(first, last + 1)]
    return tuple(map(AxisTick, values, labels(values)))


def short_labels(values: Sequence[float]) -> tuple[str, ...]:
    """Figures in the unit of the largest, none of them rounded: 0, 500, 1,000 as 0, 0.5k, 1.0k."""
    top = max(map(abs, values), default=0.0)
    size, unit = next(((size, unit) for size, unit in _UNITS if top >= size), (1, ""))
    places = _places([value / size for value in values])
    return tuple(f"{value / size:.{places}f}{unit}" if value else "0" for value in values)


def whole_labels(values: Sequence[float]) -> tuple[str, ...]:
    """Whole figures, all digits of them."""
    return tuple(f"{value:.0f}" for value in values)


def percent_labels(values: Sequence[float]) -> tuple[str, ...]:
    """Whole percents of values that are percents."""
    return tuple(f"{value:.0f} %" for value in values)


def _places(values: Sequence[float]) -> int:
    """The fewest decimal places that all the values have room in."""
    fitting = (
        places
        for places in range(_MOST_PLACES)
        if all(math.isclose(value, round(value, places), abs_tol=1e-9) for value in values)
    )
    return next(fitting, _MOST_PLACES)


def round_step(least: float, *, whole: bool = False) -> float:
    """The smallest round step (1, 2, 2.5 or 5 times a power of ten) that is not below ``least``."""
    least = max(least, 1.0) if whole else least
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    sizes = (power * one for one in _STEPS)
    return next(one for one in sizes if one >= least * (1 - 1e-9) and (not whole or one == int(one)))


def spread_apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places as near to the wanted ones as keeps them ``gap`` apart, in their order, within low and high.

    Where there is no room for all, they stand closer, evenly.
    """
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    if len(order) > 1:
        gap = min(gap, max(0.0, high - low) / (len(order) - 1))
    blocks: list[
        tuple[float, int]
    ] = []  # sums and sizes of places that would come too close, less their gaps
    for number, index in enumerate(order):
        blocks.append((wanted[index] - number * gap, 1))
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, size = blocks.pop()
            blocks[-1] = blocks[-1][0] + total, blocks[-1][1] + size
    bases = [total / size for total, size in blocks for _ in range(size)]
    roof = high - gap * (len(order) - 1)
    found = [0.0] * len(wanted)
    for number, (index, base) in enumerate(zip(order, bases, strict=True)):
        found[index] = max(low, min(base, roof)) + number * gap
    return found


def fidelity_axis(least: float, most: int, *, title: str = "") -> PlotAxis:
    """A scale of fidelity up to 1 that holds ``least``, its labels with as many places as they need."""
    low = min(0.9, max(0.0, least - 0.02))
    return plot_axis(low, 1.0, _score_labels, most, title=title)


def _score_labels(values: Sequence[float]) -> tuple[str, ...]:
    places = max(1, _places(values))
    return tuple(f"{value:.{places}f}" for value in values)
