"""Tasks in the real window: compare results, replay the session, sweep a setting."""

import csv
import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.settings.schema import LIMIT, STRATEGY
from core.strategies.registry import COMPACTION_STRATEGIES, STRATEGIES
from gui.compare.one_setting_tab import OneSettingTab
from gui.compare.over_time_tab import OverTimeTab
from gui.compare.strategies_tab import StrategiesTab
from gui.view_switching import COMPARE, REPLAY, SWEEP
from gui.window_content import WindowContent
from tests.core.cli.running_cli import SESSION
from tests.core.trials.test_tune_command import chat
from tests.gui.window_space import open_tab
from tests.journeys.walks import open_transcript, settle
from tests.support.narrowing import known
from tests.support.two_models import two_models

CONTROL = Qt.KeyboardModifier.ControlModifier


def test_what_to_choose_for_a_session(
    qtbot: QtBot,
    space: WindowContent,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    transcript = tmp_path / "long.json"
    transcript.write_text(json.dumps(chat(40)))
    open_transcript(qtbot, space, transcript)
    space.backend.set_value(LIMIT, 1_000)
    settle(qtbot, space)
    QTest.keyClick(space.window, Qt.Key.Key_2, CONTROL)
    settle(qtbot, space)
    view = open_tab(qtbot, space, COMPARE, StrategiesTab)
    page = known(view.page)
    assert page.is_over
    lines = {row.name: row for row in page.rows}
    assert lines["none"].losses.gone == 0
    own = [row for row in page.rows if row.kind == "strategy"]
    assert len(own) >= 6
    assert not any(row.error for row in own)
    assert view.plots.front
    a, b = view.marked
    settle(qtbot, space)
    pair = known(view.pair.losses)
    assert (pair.a, pair.b) == (a, b)
    path = tmp_path / "table.csv"
    monkeypatch.setattr(
        "gui.compare.analysis_tab.QFileDialog.getSaveFileName",
        lambda *_: (str(path), ""),
    )
    view.csv_action.trigger()
    settle(qtbot, space)
    with path.open(newline="", encoding="utf-8-sig") as file:
        assert {row["name"] for row in csv.DictReader(file)} == set(lines)
    view.pair.open_button.click()
    beside = settle(qtbot, space)
    assert space.window.pages.currentWidget() is space.page
    assert f"{len(beside.result.rows)} message" in beside.result.heading
    assert (
        space.bar.notices[0].title
        == f"Before is the result of {a}, after is that of {b}."
    )
    space.commands.follow("compare", "")
    settle(qtbot, space)
    view.table.select(b)
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert settle(qtbot, space).strategy == space.toolbar.strategy.currentData() == b
    assert space.window.pages.currentWidget() is space.page


def test_a_session_is_replayed_and_a_turn_opened(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    space.backend.set_value(LIMIT, 5_000)
    settle(qtbot, space)
    view = open_tab(qtbot, space, REPLAY, OverTimeTab)
    view.choose_names(
        tuple(strategy.name for strategy in STRATEGIES if strategy.emulates is None)
    )
    settle(qtbot, space)
    page = known(view.page)
    assert page.is_over
    assert page.result.limit == 5_000
    track, run = next(
        (one, run)
        for one in page.result.tracks
        for run in one.compactions
        if not run.error
    )
    view.table.select(track.name)
    view.go_to(run.turn)
    assert track.sizes[run.turn - 1] == run.after
    view.controls.inspect_button.click()
    screen = settle(qtbot, space)
    assert f"{track.name} at request {run.turn}" in screen.result.heading
    assert sum(screen.result.rows.tokens) < sum(screen.source.rows.tokens)


def test_a_setting_is_swept_and_its_point_used(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    view = open_tab(qtbot, space, SWEEP, OneSettingTab)
    page = known(view.page)
    assert page.is_over
    assert len(page.points) == len(page.axes[0].values)
    view.table.select(view.table.names[0])
    key, value = page.axes[0].key, page.points[0].trial.setting_values[0]
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    screen = settle(qtbot, space)
    controls = [one for group in space.page.tuning.groups for one in group.controls]
    assert next(one.value for one in controls if one.key == key) == value
    assert sum(screen.result.rows.tokens) == page.points[0].sizes.tokens
    space.backend.set_value(STRATEGY, COMPACTION_STRATEGIES[1])
    settle(qtbot, space)
    space.page_controller.show_view(SWEEP)
    settle(qtbot, space)
    assert known(view.page).strategy == space.toolbar.strategy.currentData()


def test_a_setting_that_changes_compares_anew(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    view = open_tab(qtbot, space, COMPARE, StrategiesTab)
    assert view.page is not None
    before = {row.name: row.sizes.tokens for row in view.page.rows}
    space.backend.set_value(LIMIT, 22_000)
    settle(qtbot, space)
    after = {row.name: row.sizes.tokens for row in view.page.rows}
    assert view.page.is_over
    assert before != after


def test_the_summaries_of_two_models_are_compared(
    qtbot: QtBot, space: WindowContent
) -> None:
    with two_models() as servers:
        open_transcript(qtbot, space, Path(SESSION))
        view = open_tab(qtbot, space, COMPARE, StrategiesTab)
        view.choose_names(("none", "middle-out"))
        settle(qtbot, space)
        for name in ("first", "second", "offline"):  # tick two, untick the last
            tick(view, name)
            settle(qtbot, space)
        names = {"none", "middle-out · first", "middle-out · second"}
        assert set(view.table.names) == names
        view.table.select("middle-out · second")
        QTest.keyClick(view.table, Qt.Key.Key_Return)
        screen = settle(qtbot, space)
        assert "written by second" in screen.result.heading
        assert [len(server.log) for server in servers] == [1, 1]


def tick(view: StrategiesTab, name: str) -> None:
    """Tick a choice with the mouse in the menu of the button Strategies."""
    menu = known(view.names_button.menu())
    menu.popup(view.names_button.mapToGlobal(QPoint()))
    action = next(one for one in menu.actions() if one.text() == name)
    QTest.mouseClick(
        menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center()
    )
    menu.close()
