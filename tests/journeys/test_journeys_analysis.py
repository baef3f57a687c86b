"""Tasks in the real window: compare results, replay the session, sweep a setting."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.presentation.compare.model import DONE
from core.settings.keys import LIMIT, STRATEGY
from gui.compare.page import CompareView
from gui.replay.page import ReplayView
from gui.sweep.page import SweepView
from gui.view_switching import COMPARE, REPLAY, SWEEP
from gui.workspace import Workspace
from tests.journeys.walks import open_transcript, settle

CONTROL = Qt.KeyboardModifier.ControlModifier


def test_what_to_choose_for_a_session(
    qtbot: QtBot, space: Workspace, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compare, mark two, open a lost fact and the pair, return, take the row, save the table."""
    open_transcript(qtbot, space, transcript)
    space.session.set_value(LIMIT, 22_000)
    settle(qtbot, space)
    QTest.keyClick(space.window, Qt.Key.Key_2, CONTROL)
    settle(qtbot, space)
    view = space.views.view(COMPARE)
    assert isinstance(view, CompareView)
    page = view.page
    assert page is not None
    assert page.is_over
    lines = {line.name: line for line in page.lines}
    assert lines["none"].fidelity == 1.0
    own = [line for line in page.lines if line.rank == 2]
    assert len(own) >= 6
    assert all(line.state == DONE for line in own)
    assert page.front
    a, b = view.marked
    settle(qtbot, space)
    pair = view.pair.page
    assert pair is not None
    assert (pair.a, pair.b) == (a, b)
    path = tmp_path / "table.csv"
    monkeypatch.setattr("gui.widgets.table_saving.QFileDialog.getSaveFileName", lambda *_: (str(path), ""))
    view.csv_button.click()
    settle(qtbot, space)
    with path.open(newline="", encoding="utf-8-sig") as file:
        assert {row["name"] for row in csv.DictReader(file)} == set(lines)
    view.pair.open_button.click()
    beside = settle(qtbot, space)
    assert space.window.pages.currentWidget() is space.page
    assert f"{len(beside.after)} message" in beside.after_heading
    assert space.bar.notices[0].title == f"Before is the result of {a}, after is that of {b}."
    space.commands.follow("compare", "")
    settle(qtbot, space)
    view.open_row(b)
    assert settle(qtbot, space).strategy == b
    assert space.window.pages.currentWidget() is space.page


def test_a_session_is_replayed_and_a_turn_opened(qtbot: QtBot, space: Workspace, transcript: Path) -> None:
    open_transcript(qtbot, space, transcript)
    space.session.set_value(LIMIT, 8_000)
    settle(qtbot, space)
    QTest.keyClick(space.window, Qt.Key.Key_3, CONTROL)
    settle(qtbot, space)
    view = space.views.view(REPLAY)
    assert isinstance(view, ReplayView)
    page = view.page
    assert page is not None
    assert page.is_over
    assert page.limit == 8_000
    assert page.marks
    mark = next(one for one in page.marks if not one.failed)
    name = page.lines[mark.line].name
    view.table.select(name)
    view.go_to(mark.turn)
    assert page.lines[mark.line].sizes[mark.turn - 1] == mark.after
    view.controls.open_turn.click()
    screen = settle(qtbot, space)
    assert f"{name} at turn {mark.turn}" in screen.after_heading
    assert sum(screen.after.tokens) < sum(screen.before.tokens)


def test_a_setting_is_swept_and_its_point_used(qtbot: QtBot, space: Workspace, transcript: Path) -> None:
    open_transcript(qtbot, space, transcript)
    QTest.keyClick(space.window, Qt.Key.Key_4, CONTROL)
    settle(qtbot, space)
    view = space.views.view(SWEEP)
    assert isinstance(view, SweepView)
    page = view.page
    assert page is not None
    assert page.is_over
    assert len(page.points) == len(page.axes[0].values)
    view.table.select(0)
    key, value = page.points[0].settings[0]
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    screen = settle(qtbot, space)
    controls = [one for group in space.page.tuning.groups for one in group.controls]
    assert next(one.value for one in controls if one.key == key) == value
    assert sum(screen.after.tokens) == page.points[0].tokens
    space.session.set_value(STRATEGY, next(one.value for one in space.opened.strategies[1:2]))  # type: ignore[union-attr]
    settle(qtbot, space)
    QTest.keyClick(space.window, Qt.Key.Key_4, CONTROL)
    settle(qtbot, space)
    assert view.page is not None
    assert view.page.strategy == space.toolbar.strategy.currentData()


def test_a_setting_that_changes_compares_anew(qtbot: QtBot, space: Workspace, transcript: Path) -> None:
    open_transcript(qtbot, space, transcript)
    space.show_view(COMPARE)
    settle(qtbot, space)
    view = space.views.view(COMPARE)
    assert isinstance(view, CompareView)
    assert view.page is not None
    before = {line.name: line.cells[1].text for line in view.page.lines}
    space.session.set_value(LIMIT, 22_000)
    settle(qtbot, space)
    after = {line.name: line.cells[1].text for line in view.page.lines}
    assert view.page.is_over
    assert before != after
