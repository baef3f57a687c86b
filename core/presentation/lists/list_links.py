"""Maps messages of one list to the other, between source and result."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from core.presentation.model import FATES, FateRun

_KEPT = FATES.index("kept")


def _before_start(run: FateRun) -> int:
    return run.before[0]


def _after_start(run: FateRun) -> int:
    return run.after[0]


def span_of(run: FateRun, side: str) -> tuple[int, int]:
    """Return the messages [start, end) of a run on ``side`` "before" or "after"."""
    return run.before if side == "before" else run.after


def other_side(side: str) -> str:
    return "after" if side == "before" else "before"


def run_at(runs: Sequence[FateRun], side: str, message: int) -> int:
    """Return the index of the run that holds a message of a side, -1 if none."""
    key = _before_start if side == "before" else _after_start
    index = bisect_right(runs, message, key=key) - 1
    while index >= 0:
        start, end = span_of(runs[index], side)
        if start <= message < end:
            return index
        if end > start:
            return -1
        index -= 1
    return -1


def runs_between(runs: Sequence[FateRun], side: str, start: int, end: int) -> range:
    """Return the indices of the runs that touch messages [start, end), empty runs included."""
    key = _before_start if side == "before" else _after_start
    first = max(bisect_right(runs, start, key=key) - 1, 0)
    while first > 0 and span_of(runs[first], side)[0] >= start:
        first -= 1
    return range(first, bisect_right(runs, end, lo=first, key=key))


def counterpart_message(runs: Sequence[FateRun], side: str, message: int) -> int:
    """Return the message on the other side, -1 for none. Runs of equal length map one to one, others to their
    first message."""
    index = run_at(runs, side, message)
    if index < 0:
        return -1
    start, end = span_of(runs[index], side)
    goal_start, goal_end = span_of(runs[index], other_side(side))
    if goal_end == goal_start:
        return -1
    return goal_start + (message - start if goal_end - goal_start == end - start else 0)


def merge_runs(runs: Sequence[FateRun], max_runs: int) -> tuple[FateRun, ...]:
    """Join adjacent runs into at most ``max_runs``, with the fate of most of their messages."""
    size = -(-len(runs) // max_runs) if max_runs else len(runs)
    if size <= 1:
        return tuple(runs)
    return tuple(_merged_run(runs[start : start + size]) for start in range(0, len(runs), size))


def _merged_run(runs: Sequence[FateRun]) -> FateRun:
    weights: dict[int, int] = {}
    for run in runs:
        size = max(run.before[1] - run.before[0], run.after[1] - run.after[0])
        weights[run.fate] = weights.get(run.fate, 0) + size
    fate = max(weights, key=weights.__getitem__)
    return FateRun(fate, (runs[0].before[0], runs[-1].before[1]), (runs[0].after[0], runs[-1].after[1]))


@dataclass(frozen=True, slots=True)
class ChangedRun:
    """A run with a fate other than kept, the ``number``-th (from 1) of ``total``."""

    run: FateRun
    number: int
    total: int


def adjacent_change(runs: Sequence[FateRun], side: str, message: int, step: int) -> ChangedRun | None:
    """Return the next (``step`` 1) or previous (-1) change from a message, or None. Inside a change, its own
    start counts as the previous one."""
    changed = [run for run in runs if run.fate != _KEPT]
    key = _before_start if side == "before" else _after_start
    if step > 0:
        index = bisect_right(changed, message, key=key)
    else:
        index = bisect_left(changed, message, key=key) - 1
    return ChangedRun(changed[index], index + 1, len(changed)) if 0 <= index < len(changed) else None
