"""Finds the best points of a sweep; fast, since the window calls it."""

from __future__ import annotations

from collections.abc import Sequence

from core.presentation.sweep.model import SweepPointRow


def best_places(points: Sequence[SweepPointRow]) -> tuple[int, ...]:
    """Return the indices of points that no other beats in tokens and fidelity."""
    known = [
        (index, one)
        for index, one in enumerate(points)
        if one.fidelity is not None and one.tokens is not None and not one.trouble
    ]
    return tuple(index for index, one in known if not any(_beats(other, one) for _, other in known))


def _beats(other: SweepPointRow, one: SweepPointRow) -> bool:
    mine, its = (one.tokens or 0, -(one.fidelity or 0)), (other.tokens or 0, -(other.fidelity or 0))
    return its != mine and its[0] <= mine[0] and its[1] <= mine[1]
