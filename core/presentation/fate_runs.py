"""Groups adjacent source messages of one fate into runs."""

from __future__ import annotations

from core.presentation.model import FateRun
from core.presentation.preview_columns import PreviewColumns


def fate_runs(columns: PreviewColumns) -> tuple[FateRun, ...]:
    """Return all runs in source order; a run without a result has an empty range there. A summarised run
    includes inserted messages right after its summary: "245 → 2"."""
    runs: list[FateRun] = []
    start, result_end = 0, 0
    while start < columns.length:
        end = _run_end(columns, start)
        places = [place for place in columns.result_index[start:end] if place >= 0]
        if places:
            first, last = min(places), max(places) + 1
            while last < len(columns.origin) and columns.origin[last] < 0:
                last += 1
        else:
            first = last = result_end
        runs.append(FateRun(columns.fates[start], (start, end), (first, last)))
        result_end = last
        start = end
    return tuple(runs)


def _run_end(columns: PreviewColumns, start: int) -> int:
    end = start + 1
    while end < columns.length and columns.fates[end] == columns.fates[start] and _joined(columns, end):
        end += 1
    return end


def _joined(columns: PreviewColumns, index: int) -> bool:
    """Return whether a message went to the place of its predecessor, or right after it."""
    previous, current = columns.result_index[index - 1], columns.result_index[index]
    if previous < 0 or current < 0:
        return previous == current
    return current in (previous, previous + 1)
