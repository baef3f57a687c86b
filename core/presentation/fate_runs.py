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
        result_indices = [
            result_index for result_index in columns.result_index[start:end] if result_index >= 0
        ]
        if result_indices:
            result_start, after_end = min(result_indices), max(result_indices) + 1
            while after_end < len(columns.origin) and columns.origin[after_end] < 0:
                after_end += 1
        else:
            result_start = after_end = result_end
        runs.append(FateRun(columns.fates[start], (start, end), (result_start, after_end)))
        result_end = after_end
        start = end
    return tuple(runs)


def _run_end(columns: PreviewColumns, start: int) -> int:
    end = start + 1
    while end < columns.length and columns.fates[end] == columns.fates[start] and _is_same_run(columns, end):
        end += 1
    return end


def _is_same_run(columns: PreviewColumns, index: int) -> bool:
    """Return whether a message went to the place of its predecessor, or right after it."""
    previous, current = columns.result_index[index - 1], columns.result_index[index]
    if previous < 0 or current < 0:
        return previous == current
    return current in (previous, previous + 1)
