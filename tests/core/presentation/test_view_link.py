"""Links between the messages of both lists."""

from __future__ import annotations

import pytest

from core.presentation.lists.row_wording import (
    adjacent_change,
    counterpart_message,
    merge_runs,
)
from core.presentation.model import FateRun

KEPT, EDITED, PRUNED, SUMMARISED = range(4)
RUNS = (
    FateRun(KEPT, (0, 83), (0, 83)),
    FateRun(SUMMARISED, (83, 328), (83, 85)),
    FateRun(PRUNED, (328, 330), (85, 85)),
    FateRun(KEPT, (330, 412), (85, 167)),
)


@pytest.mark.parametrize(
    ("side", "message", "goal"),
    [("before", 7, 7), ("before", 200, 83), ("before", 329, -1), ("before", 331, 86), ("after", 84, 83),
     ("after", 85, 330), ("after", 500, -1)],
)  # fmt: skip
def test_what_stands_for_a_message_on_the_other_side(side: str, message: int, goal: int) -> None:
    assert counterpart_message(RUNS, side, message) == goal


def test_too_many_runs_are_merged_with_the_fate_of_most() -> None:
    runs = tuple(FateRun(at % 2, (at * 10, at * 10 + 10), (at * 10, at * 10 + 10)) for at in range(9))
    few = merge_runs(runs, 3)
    assert [run.fate for run in few] == [KEPT, EDITED, KEPT]
    assert few[1] == FateRun(EDITED, (30, 60), (30, 60))
    assert merge_runs(runs, 9) == runs


@pytest.mark.parametrize(
    ("side", "message", "step", "start", "number"),
    [
        ("before", 0, 1, 83, 1),
        ("before", 83, 1, 328, 2),
        ("before", 411, -1, 328, 2),
        ("before", 200, -1, 83, 1),  # inside a change: back to its start
        ("after", 84, 1, 328, 2),
        ("after", 90, -1, 328, 2),
    ],
)
def test_from_change_to_change(side: str, message: int, step: int, start: int, number: int) -> None:
    found = adjacent_change(RUNS, side, message, step)
    assert found is not None
    assert (found.run.before[0], found.number, found.total) == (start, number, 2)
