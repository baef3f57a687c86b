"""StepScheduler runs one step per turn, the newest iterator replaces others, and steps can be finished at
once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gui.widgets.event_loop_steps import StepScheduler


@pytest.fixture
def turns(qapp: object) -> Iterator[StepScheduler]:
    parent = QObject()
    yield StepScheduler(parent)
    parent.deleteLater()


def _steps(done: list[str], name: str) -> Iterator[None]:
    for number in range(3):
        done.append(f"{name}{number}")
        yield


def test_every_step_has_its_turn(turns: StepScheduler, qtbot: QtBot) -> None:
    done: list[str] = []
    turns.start(_steps(done, "a"))
    assert (done, turns.is_busy) == ([], True)
    qtbot.waitUntil(lambda: not turns.is_busy)
    assert done == ["a0", "a1", "a2"]


def test_the_newest_wins(turns: StepScheduler, qtbot: QtBot) -> None:
    done: list[str] = []
    turns.start(_steps(done, "a"))
    turns.start(_steps(done, "b"))
    qtbot.waitUntil(lambda: not turns.is_busy)
    assert done == ["b0", "b1", "b2"]


def test_what_is_left_can_be_hurried_or_dropped(turns: StepScheduler) -> None:
    done: list[str] = []
    turns.start(_steps(done, "a"))
    turns.finish()
    turns.start(_steps(done, "b"))
    turns.cancel()
    assert (done, turns.is_busy) == (["a0", "a1", "a2"], False)
