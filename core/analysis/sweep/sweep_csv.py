"""Exports a sweep as CSV, a row per point."""

from __future__ import annotations

from core.analysis.csv_text import Cell, csv_bytes
from core.analysis.sweep.model import SweepPoint, SweepResult
from core.transcript.compaction import FateKind

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
