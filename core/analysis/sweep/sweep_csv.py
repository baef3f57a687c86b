"""A sweep as CSV: a row for every point."""

from __future__ import annotations

from core.analysis.csv_text import Cell, csv_bytes
from core.analysis.sweep.model import SweepPoint, SweepResult
from core.transcript.compaction import FateKind

COLUMNS = ("tokens", "messages", "fidelity", *FateKind, "calls", "cost", "best", "no_op", "error")
"""The columns behind those of the settings that were varied."""


def sweep_csv(found: SweepResult) -> bytes:
    """The values of the axes under their keys, then ``COLUMNS``; cells of a failed point are empty."""
    keys = tuple(axis.key for axis in found.axes)
    return csv_bytes((*keys, *COLUMNS), map(_row, found.points))


def _row(point: SweepPoint) -> tuple[Cell, ...]:
    at = tuple(str(value).lower() if isinstance(value, bool) else value for value in point.at)
    if point.error:
        return (*at, *(None,) * (len(COLUMNS) - 1), point.error)
    fates = point.fates or {}
    counts = (fates.get(kind, 0) for kind in FateKind)
    best = int(point.on_front)
    sizes = point.tokens, point.messages, point.fidelity
    return (*at, *sizes, *counts, point.calls, point.cost, best, point.no_op, None)
