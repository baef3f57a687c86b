"""The process pool returns a result for every job, even if its process dies."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from contextlib import closing

import pytest

from core.common.process_pool import JobFailure, ProcessPool, process_count
from tests.core.app.pool_jobs import die_at_one, double, fail_at_one


def done(work: Callable[[int], int], count: int, size: int = 2) -> dict[int, object]:
    return dict(ProcessPool(work, size).run(range(count)))


def test_every_job_is_done_by_one_of_the_processes() -> None:
    assert done(double, 7) == {number: 2 * number for number in range(7)}
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("size", [1, 2])
def test_a_process_that_dies_loses_its_job_alone(size: int) -> None:
    found = done(die_at_one, 4, size)
    assert found[1] == JobFailure("Its process ended unexpectedly (exit code 7).")
    assert [found[number] for number in (0, 2, 3)] == [0, 2, 3]


def test_a_job_that_raises_says_why() -> None:
    assert done(fail_at_one, 3) == {0: 0, 1: JobFailure("ValueError: no ones here"), 2: 2}


def test_whoever_stops_early_leaves_no_process_behind() -> None:
    with closing(ProcessPool(double, 2).run(range(50))) as results:
        next(results)
        assert multiprocessing.active_children()
    assert multiprocessing.active_children() == []


def test_there_is_at_least_one_core() -> None:
    assert process_count() >= 1
