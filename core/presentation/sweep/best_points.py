"""Finds the best points of a sweep; fast, since the window calls it."""

from __future__ import annotations

from collections.abc import Sequence

from core.presentation.sweep.model import SweepPointRow


def best_point_indices(points: Sequence[SweepPointRow]) -> tuple[int, ...]:
    """Return the indices of points that no other beats in tokens and fidelity."""
    complete_points = [
        (index, point)
        for index, point in enumerate(points)
        if point.fidelity is not None and point.tokens is not None and not point.trouble
    ]
    return tuple(
        index
        for index, point in complete_points
        if not any(_dominates(other_point, point) for _, other_point in complete_points)
    )


def _dominates(other: SweepPointRow, point: SweepPointRow) -> bool:
    point_values, other_values = (
        (point.tokens or 0, -(point.fidelity or 0)),
        (other.tokens or 0, -(other.fidelity or 0)),
    )
    return (
        other_values != point_values
        and other_values[0] <= point_values[0]
        and other_values[1] <= point_values[1]
    )
