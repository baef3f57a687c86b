"""Links between the messages of both lists."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.presentation.lists.row_wording import (
    adjacent_change,
    change_words,
    counterpart_message,
    merge_runs,
    ribbon_badge,
    run_at,
    run_text,
    runs_between,
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


def test_a_run_that_went_nowhere_holds_no_result_message() -> None:
    assert run_at(RUNS, "before", 328) == 2
    assert run_at(RUNS, "after", 85) == 3
    assert run_at((), "after", 0) == -1


def test_runs_in_sight_include_those_that_close_to_a_point_there() -> None:
    assert list(runs_between(RUNS, "after", 84, 90)) == [1, 2, 3]
    assert list(runs_between(RUNS, "before", 0, 40)) == [0]


def test_too_many_runs_are_merged_with_the_fate_of_most() -> None:
    runs = tuple(FateRun(at % 2, (at * 10, at * 10 + 10), (at * 10, at * 10 + 10)) for at in range(9))
    few = merge_runs(runs, 3)
    assert [run.fate for run in few] == [KEPT, EDITED, KEPT]
    assert few[1] == FateRun(EDITED, (30, 60), (30, 60))
    assert merge_runs(runs, 9) == runs


def test_what_a_ribbon_says() -> None:
    assert ribbon_badge(RUNS[1]) == ("245", "→ 2")
    assert ribbon_badge(replace(RUNS[1], sources=250, results=1)) == ("250", "→ 1")
    assert run_text(RUNS[1]) == "245 summarised · #84–#328 → #84–#85"
    assert run_text(RUNS[2]) == "2 pruned · #329–#330"


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


def test_behind_the_last_change_there_is_none() -> None:
    assert adjacent_change(RUNS, "before", 328, 1) is None
    assert adjacent_change(RUNS, "before", 83, -1) is None
    assert adjacent_change((), "before", 0, 1) is None


def test_a_change_is_said_in_words() -> None:
    found = adjacent_change(RUNS, "before", 0, 1)
    assert found is not None
    assert change_words(found) == "245 summarised · #84–#328 → #84–#85 · change 1 of 2"
