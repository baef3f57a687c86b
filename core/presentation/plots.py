"""Scales of plots: round steps, tick labels, label spacing. No pixels or colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_UNITS = ((1_000_000, "M"), (1_000, "k"))
_MAX_DECIMALS = 9

Labels = Callable[[Sequence[float]], Sequence[str]]
"""Formats all tick values of a scale at once, for a uniform precision."""


@dataclass(frozen=True, slots=True)
class AxisTick:
    value: float
    label: str


@dataclass(frozen=True, slots=True)
class PlotAxis:
    """A scale from ``low`` to ``high`` (low < high) with ascending ticks."""

    low: float
    high: float
    ticks: tuple[AxisTick, ...] = ()
    title: str = ""

    def fraction(self, value: float) -> float:
        """Return the position of a value: 0 at ``low``, 1 at ``high``."""
        return (value - self.low) / (self.high - self.low)


def plot_axis(
    low: float,
    high: float,
    labels: Labels,
    max_steps: int = 8,
    *,
    title: str = "",
    integers_only: bool = False,
    is_exact: bool = False,
) -> PlotAxis:
    """Return a scale with about ``max_steps`` round steps and round ends around ``low`` and
    ``high``, or with exactly these (``is_exact``). ``integers_only``: no step below 1."""
    if high <= low:
        high = low + (1.0 if is_exact else abs(low) or 1.0)
    size = round_step((high - low) / max(1, max_steps), integers_only=integers_only)
    if is_exact:
        first = math.ceil(low / size - 1e-9)
        last = math.floor(high / size + 1e-9)
    else:
        first = math.floor(low / size + 1e-9)
        last = max(first + 1, math.ceil(high / size - 1e-9))
        low = first * size
        high = last * size
    values = [number * size for number in range(first, last + 1)]
    return PlotAxis(low, high, tuple(map(AxisTick, values, labels(values))), title)


def short_labels(values: Sequence[float]) -> tuple[str, ...]:
    """Format in the unit of the largest, without rounding: 0, 500, 1,000 as 0, 0.5k, 1.0k."""
    top = max(map(abs, values), default=0.0)
    size, unit = next(((size, unit) for size, unit in _UNITS if top >= size), (1, ""))
    decimals = _decimals([value / size for value in values])
    return tuple(
        f"{value / size:.{decimals}f}{unit}" if value else "0" for value in values
    )


def whole_labels(values: Sequence[float]) -> tuple[str, ...]:
    return tuple(f"{value:,.0f}" for value in values)


def percent_labels(values: Sequence[float]) -> tuple[str, ...]:
    return tuple(f"{value:.0f} %" for value in values)


def _decimals(values: Sequence[float]) -> int:
    fitting = (
        decimals
        for decimals in range(_MAX_DECIMALS)
        if all(
            math.isclose(value, round(value, decimals), abs_tol=1e-9)
            for value in values
        )
    )
    return next(fitting, _MAX_DECIMALS)


def round_step(min_step: float, *, integers_only: bool = False) -> float:
    """Return the smallest round step (1, 2, 2.5 or 5 times a power of ten) of at least
    ``min_step``."""
    if integers_only:
        min_step = max(min_step, 1.0)
    if min_step <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(min_step))
    sizes = (power * size for size in _STEPS)
    return next(
        size
        for size in sizes
        if size >= min_step * (1 - 1e-9) and (not integers_only or size == int(size))
    )


def spread_apart(
    wanted_positions: Sequence[float], gap: float, low: float, high: float
) -> list[float]:
    """Return positions close to the wanted ones, ``gap`` apart, in order, within low and high. If
    space is short, they are evenly spaced."""
    order = sorted(
        range(len(wanted_positions)), key=lambda index: wanted_positions[index]
    )
    if len(order) > 1:
        gap = min(gap, max(0.0, high - low) / (len(order) - 1))
    # Sums and sizes of groups of close positions, less their gaps.
    blocks: list[tuple[float, int]] = []
    for number, index in enumerate(order):
        blocks.append((wanted_positions[index] - number * gap, 1))
        while (
            len(blocks) > 1
            and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]
        ):
            total, size = blocks.pop()
            blocks[-1] = blocks[-1][0] + total, blocks[-1][1] + size
    bases = [total / size for total, size in blocks for _ in range(size)]
    highest = high - gap * (len(order) - 1)
    positions = [0.0] * len(wanted_positions)
    for number, (index, base) in enumerate(zip(order, bases, strict=True)):
        positions[index] = max(low, min(base, highest)) + number * gap
    return positions
