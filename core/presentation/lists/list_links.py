"""Where a message of one list stands in the other: identity between source and result."""

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
    """The messages [start, end) of a run on side "before" or "after"."""
    return run.before if side == "before" else run.after


def other_side(side: str) -> str:
    """The side that ``side`` is linked with."""
    return "after" if side == "before" else "before"


def run_at(runs: Sequence[FateRun], side: str, message: int) -> int:
    """Position in ``runs`` of the run that holds a message of a side; -1 if none does."""
    key = _before_start if side == "before" else _after_start
    place = bisect_right(runs, message, key=key) - 1
    while place >= 0:
        start, end = span_of(runs[place], side)
        if start <= message < end:
            return place
        if end > start:
            return -1
        place -= 1
    return -1


def runs_between(runs: Sequence[FateRun], side: str, start: int, end: int) -> range:
    """Positions of the runs that touch the messages [start, end) of a side, empty ones included."""
    key = _before_start if side == "before" else _after_start
    first = max(bisect_right(runs, start, key=key) - 1, 0)
    while first > 0 and span_of(runs[first], side)[0] >= start:
        first -= 1
    return range(first, bisect_right(runs, end, lo=first, key=key))


def counterpart_message(runs: Sequence[FateRun], side: str, message: int) -> int:
    """The message of the other side that stands for one of ``side``; -1 where nothing does.

    In runs of equal length message by message, else the first one they became or came from.
    """
    place = run_at(runs, side, message)
    if place < 0:
        return -1
    start, end = span_of(runs[place], side)
    goal_start, goal_end = span_of(runs[place], other_side(side))
    if goal_end == goal_start:
        return -1
    return goal_start + (message - start if goal_end - goal_start == end - start else 0)


def merge_runs(runs: Sequence[FateRun], most: int) -> tuple[FateRun, ...]:
    """At most ``most`` runs: neighbours joined, with the fate that most of their messages have."""
    size = -(-len(runs) // most) if most else len(runs)
    if size <= 1:
        return tuple(runs)
    return tuple(_joined(runs[start : start + size]) for start in range(0, len(runs), size))


def _joined(runs: Sequence[FateRun]) -> FateRun:
    weights: dict[int, int] = {}
    for run in runs:
        size = max(run.before[1] - run.before[0], run.after[1] - run.after[0])
        weights[run.fate] = weights.get(run.fate, 0) + size
    fate = max(weights, key=weights.__getitem__)
    return FateRun(fate, (runs[0].before[0], runs[-1].before[1]), (runs[0].after[0], runs[-1].after[1]))


@dataclass(frozen=True, slots=True)
class ChangedRun:
    """A run of a fate other than kept: the ``number``-th (from 1) of ``total``."""

    run: FateRun
    number: int
    total: int


def change_from(runs: Sequence[FateRun], side: str, message: int, step: int) -> ChangedRun | None:
    """The next (``step`` 1) or previous (-1) change from a message of a side on; None where there is none.

    A message inside a change, behind its start, has that start as its previous one.
    """
    changed = [run for run in runs if run.fate != _KEPT]
    key = _before_start if side == "before" else _after_start
    if step > 0:
        place = bisect_right(changed, message, key=key)
    else:
        place = bisect_left(changed, message, key=key) - 1
    return ChangedRun(changed[place], place + 1, len(changed)) if 0 <= place < len(changed) else None
