"""The shapes between the two bars of the ruler: trapezoids from runs in the source to the
result."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from core.presentation.model import FateRun
from core.presentation.ruler.geometry import RulerRange, TokenBar

MIN_SHAPE_WIDTH = 26.0  # pixels below which neighbouring runs share one trapezoid


@dataclass(frozen=True, slots=True)
class RunShape:
    """A trapezoid: pixel ranges of its upper (source) and lower (result) side."""

    fate: int
    upper: tuple[float, float]
    lower: tuple[float, float]


@dataclass(frozen=True, slots=True)
class RunLane:
    """``fates`` are the source messages by fate, ``after`` prefix sums of the result."""

    runs: tuple[FateRun, ...]
    fates: TokenBar
    after: Sequence[int]


def run_shapes(lane: RunLane, view: RulerRange) -> list[RunShape]:
    """Return the trapezoids in view, left to right. Runs narrower than MIN_SHAPE_WIDTH join narrow
    neighbours and take the fate with most tokens. Runs out of view are skipped by bisection."""
    result: list[RunShape] = []
    i = min(_first_reaching(lane, view.start, 0, upper=upper) for upper in (True, False))
    while i < len(lane.runs):
        end = _group_end(lane, i, MIN_SHAPE_WIDTH / view.scale)
        shape = _shape(lane, i, end, view)
        if min(shape.upper[0], shape.lower[0]) > view.width:
            break
        if any(side[1] >= 0 and side[0] <= view.width for side in (shape.upper, shape.lower)):
            result.append(shape)
        elif shape.upper[0] > view.width or shape.lower[0] > view.width:
            end = max(end, _first_reaching(lane, view.start, end, upper=shape.upper[1] < 0))
        i = end
    return result


def _first_reaching(lane: RunLane, tokens: float, start: int, *, upper: bool) -> int:
    """Return the first run from ``start`` on whose side ends at or after ``tokens``."""

    def end_of(run: FateRun) -> float:
        return lane.fates.sums[run.before[1]] if upper else lane.after[run.after[1]]

    return bisect_left(lane.runs, tokens, start, key=end_of)


def _shape(lane: RunLane, i: int, end: int, view: RulerRange) -> RunShape:
    first_run, last_run = lane.runs[i], lane.runs[end - 1]
    low, high = first_run.before[0], last_run.before[1]
    fate = first_run.fate
    if end > i + 1:
        tokens = lane.fates.tokens_by_code(low, high)
        fate = tokens.index(max(tokens))
    upper = (view.x(lane.fates.sums[low]), view.x(lane.fates.sums[high]))
    lower = (view.x(lane.after[first_run.after[0]]), view.x(lane.after[last_run.after[1]]))
    return RunShape(fate, upper, lower)


def _group_end(lane: RunLane, i: int, min_tokens: float) -> int:
    """Return the run after the group that starts at ``i``, by bisection."""
    sums = lane.fates.sums
    message = bisect_left(sums, sums[lane.runs[i].before[0]] + min_tokens)
    j = max(i, bisect_left(lane.runs, message, i, key=lambda run: run.before[0]) - 1)
    if j == i:
        return i + 1
    low, high = lane.runs[j].before  # the first run that reaches the least width
    return j if sums[high] - sums[low] >= min_tokens else j + 1
