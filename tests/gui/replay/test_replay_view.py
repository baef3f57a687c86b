"""The Replay view: lines, the playhead by mouse, keys and slider, compactions, playback."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.app.rpc import call_of
from core.app.services.replay import ReplayService
from core.presentation.plots import spread_apart
from core.presentation.replay.model import ReplayCompactionMark
from core.presentation.replay.turn_wording import size_at, turn_facts
from gui.replay.compaction_list import shortened_size
from gui.replay.line_style import track_pen
from gui.replay.page import ReplayView
from gui.view_switching import REPLAY
from gui.widgets.theme import theme
from gui.workspace import Workspace
from tests.gui.analysis_space import settle, shown, space
from tests.gui.fake_analysis import TURNS, replay_page

__all__ = ["space"]

LEFT = Qt.MouseButton.LeftButton


def view_of(qtbot: QtBot, space: Workspace, path: str = "/tmp/retry-queue.jsonl") -> ReplayView:
    view = shown(qtbot, space, REPLAY, path)
    assert isinstance(view, ReplayView)
    return view


def test_lines_come_one_by_one(qtbot: QtBot, space: Workspace) -> None:
    sent: list[Any] = []
    space.session.started.connect(sent.append)
    view = view_of(qtbot, space)
    assert sent.count(call_of(ReplayService.replay, ())) == 1
    assert view.table.line_model.rowCount() == 4
    assert view.compactions.compactions.rowCount() == 6
    assert view.line == "middle-out"  # the session's strategy
    assert view.turn == TURNS


def test_playhead_and_slider_are_one_thing(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    view.controls.slider.setValue(40)
    assert view.turn == 40
    frame = view.plot.frame()
    assert frame is not None
    at = frame.point_at(100, 10_000).toPoint()
    QTest.mousePress(view.plot, LEFT, pos=at)
    assert view.controls.slider.value() == view.turn == 100
    QTest.mouseMove(view.plot, frame.point_at(110, 10_000).toPoint())
    QTest.mouseRelease(view.plot, LEFT, pos=at)
    assert view.turn == 110
    assert view.controls.turn_label.text() == f"turn 110 of {TURNS}"
    header = view.table.line_model.headerData(1, Qt.Orientation.Horizontal)
    assert str(header).endswith("110")


def test_keys_move_the_playhead(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    view.plot.setFocus()
    for key, turn in (
        (Qt.Key.Key_Home, 1),
        (Qt.Key.Key_Right, 2),
        (Qt.Key.Key_End, TURNS),
        (Qt.Key.Key_Left, TURNS - 1),
    ):
        QTest.keyClick(view.plot, key)
        assert view.turn == turn
    QTest.keyClick(view.plot, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert view.turn == TURNS - 11


def test_buttons_step_to_turns_and_compactions(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    view.go_to(100)
    QTest.mouseClick(view.controls.previous_compaction, LEFT)
    assert view.turn == 64
    QTest.mouseClick(view.controls.next_compaction, LEFT)
    assert view.turn == 121
    QTest.mouseClick(view.controls.previous_turn, LEFT)
    assert view.turn == 120
    QTest.mouseClick(view.controls.next_turn, LEFT)
    assert view.turn == 121


def test_a_compaction_in_the_list_moves_the_playhead(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    rect = view.compactions.visualRect(view.compactions.compactions.index(1, 0))
    QTest.mouseClick(view.compactions.viewport(), LEFT, pos=rect.center())
    assert (view.turn, view.line) == (65, "one-shot")
    view.compactions.setFocus()
    QTest.keyClick(view.compactions, Qt.Key.Key_Down)
    assert (view.turn, view.line) == (66, "high-density")


def test_a_click_on_a_line_chooses_it(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    frame, page = view.plot.frame(), view.page
    assert frame is not None
    assert page is not None
    line = page.lines[0]
    at = frame.point_at(80, line.sizes[79]).toPoint()
    QTest.mouseClick(view.plot, LEFT, pos=at)
    assert view.line == "none"


def test_play_runs_to_the_end_and_begins_anew(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    view.go_to(TURNS - 1)
    view.plot.setFocus()
    QTest.keyClick(view.plot, Qt.Key.Key_Space)
    assert view.controls.play.text() == "Pause"
    assert view._tick.interval() == 250  # 4 turns a second
    view._on_tick()
    view._on_tick()
    assert (view.turn, view.controls.play.text()) == (TURNS, "Play")
    QTest.mouseClick(view.controls.play, LEFT)
    assert (view.turn, view.controls.play.text()) == (1, "Pause")
    QTest.mouseClick(view.controls.play, LEFT)
    assert view.controls.play.text() == "Play"


def test_a_turn_opens_in_inspect(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    sent: list[Any] = []
    space.session.started.connect(sent.append)
    view.go_to(117)
    QTest.mouseClick(view.controls.open_turn, LEFT)
    settle(qtbot, space)
    assert call_of(ReplayService.open_turn, "middle-out", 117) in sent
    assert space.window.pages.currentWidget() is space.page


def test_what_cannot_be_replayed_says_why(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space, "/tmp/mute.jsonl")
    assert view.is_empty
    assert view.empty_label.text().startswith("No model answers")


def test_turn_and_line_are_kept_by_transcript(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    view.go_to(30)
    view_of(qtbot, space, "/tmp/other.jsonl")
    assert view.turn == TURNS
    view_of(qtbot, space)
    assert view.turn == 30


@pytest.mark.parametrize("name", ["dark", "high-contrast"])
def test_it_paints_in_every_theme_and_size(qtbot: QtBot, space: Workspace, name: str) -> None:
    view = view_of(qtbot, space)
    space.window.actions_by_id[f"theme-{name}"].trigger()
    QApplication.processEvents()
    for size in ((1280, 800), (900, 600)):
        space.window.resize(*size)
        assert not space.window.grab().isNull()
    assert all(part.accessibleName() or part is view.controls.play for part in view.areas())


def test_lines_differ_by_dash_as_well_as_hue() -> None:
    looks = [track_pen(theme("light"), place) for place in range(7)]
    assert len({tuple(one.dashPattern()) for one in looks}) == 7
    assert len({one.color().name() for one in looks}) == 7


def test_labels_keep_apart_and_near() -> None:
    assert spread_apart([10, 50], 14, 0, 100) == [10, 50]
    assert spread_apart([50, 50, 50], 10, 0, 100) == [40, 50, 60]
    assert spread_apart([98, 99], 10, 0, 100) == [90, 100]
    close = spread_apart([0.0] * 30, 10, 0, 100)
    assert close[0] == 0
    assert close[-1] <= 100.001


def test_what_is_said_at_a_turn() -> None:
    page = replay_page()
    line = page.lines[1]
    assert size_at(line, 1) == "1,900"
    assert size_at(line, 999) == "–"
    facts = {fact.label: fact.value for fact in turn_facts(page, line.name, 70)}
    assert facts == {"Requests since the last compaction": "6", "Next compaction": "turn 121"}
    last = {fact.label: fact.value for fact in turn_facts(page, "none", 80)}
    assert last["Next trigger, at this pace"] == "≈ turn 90"


def test_the_figures_under_the_pointer_are_a_tooltip(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    frame = view.plot.frame()
    assert frame is not None
    assert view.plot.line_at(frame.point_at(80, view.page.lines[0].sizes[79])) == "none"  # type: ignore[union-attr]
    assert view.plot.line_at(QPoint(400, 60).toPointF()) == ""


def test_sizes_in_the_list_of_compactions_are_whole(qapp: QApplication) -> None:
    metrics = QFontMetrics(qapp.font())
    mark = ReplayCompactionMark(31, 1, 51_000, 29_900, "— context compacted (51k → 30k tokens) —")
    short = "51k → 30k"
    for form in (mark.text, f"{short} tokens", short):
        assert shortened_size(mark, metrics, metrics.horizontalAdvance(form) + 1) == form
