"""The tab Over time: lines, the playhead by mouse, keys and slider, compactions, playback, limits."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.app.rpc import call_of
from core.app.services.replay import ReplayService
from gui.compare.over_time_tab import OverTimeTab
from gui.view_switching import REPLAY
from gui.workspace import Workspace
from tests.gui.fake_analysis import TURNS, replay_page
from tests.gui.window_space import calls_from_now, open_file, open_tab, settle, shown_window

LEFT = Qt.MouseButton.LeftButton
view_of = partial(open_tab, name=REPLAY, kind=OverTimeTab)


def test_lines_come_one_by_one(qtbot: QtBot, space: Workspace) -> None:
    sent = calls_from_now(space)
    view = view_of(qtbot, space)
    assert sent.count(call_of(ReplayService.replay, (), 0)) == 1
    assert view.table.results.rowCount() == 4
    assert len(view.compactions.runs) == 6
    assert (view.state.name, view.state.turn) == ("middle-out", TURNS)  # the session's strategy
    assert view.limit_bar.isHidden()
    assert all(part.accessibleName() or part is view.controls.play for part in view.areas())


def test_playhead_and_slider_are_one_thing(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    view.controls.slider.setValue(40)
    assert view.state.turn == 40
    frame = view.replay_plot.frame()
    assert frame is not None
    at = frame.point_at(100, 10_000).toPoint()
    QTest.mousePress(view.replay_plot, LEFT, pos=at)
    assert view.controls.slider.value() == view.state.turn == 100
    QTest.mouseMove(view.replay_plot, frame.point_at(110, 10_000).toPoint())
    QTest.mouseRelease(view.replay_plot, LEFT, pos=at)
    assert view.state.turn == 110
    assert view.controls.turn_label.text() == f"request 110 of {TURNS}"
    assert view.table.results.title(1) == "≈ tokens at request 110"


def test_a_compaction_in_the_list_moves_the_playhead(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    rect = view.compactions.visualRect(view.compactions.model().index(1, 0))
    QTest.mouseClick(view.compactions.viewport(), LEFT, pos=rect.center())
    assert (view.state.turn, view.state.name) == (65, "one-shot")
    view.compactions.setFocus()
    QTest.keyClick(view.compactions, Qt.Key.Key_Down)
    assert (view.state.turn, view.state.name) == (66, "high-density")
    assert view.heading.text() == "high-density at request 66"
    assert dict(view.facts.texts)["Next compaction"] == "request 123"
    assert (
        view.compactions.model().index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole)
        == "request 65, one-shot: 124k → 64k tokens"
    )


def test_play_runs_to_the_end_and_begins_again(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    view.go_to(TURNS - 1)
    QTest.keyClick(view.replay_plot, Qt.Key.Key_Space)
    assert view.controls.play.text() == "Pause"
    assert view.controls.timer.interval() == 250  # 4 requests a second
    view.controls.timer.timeout.emit()
    view.controls.timer.timeout.emit()
    assert (view.state.turn, view.controls.play.text()) == (TURNS, "Play")
    QTest.mouseClick(view.controls.play, LEFT)
    assert (view.state.turn, view.controls.play.text()) == (1, "Pause")
    QTest.mouseClick(view.controls.play, LEFT)
    assert view.controls.play.text() == "Play"


def test_where_nothing_would_be_compacted_a_lower_limit_is_offered(qtbot: QtBot, space: Workspace) -> None:
    view, sent = view_of(qtbot, space), calls_from_now(space)
    view.show_page(replay_page(("none",), 1))
    assert view.limit_bar.text.text() == "Nothing would be compacted within 200,000."
    assert view.limit_bar.lower_button.text() == "Replay with a limit of 230k"
    view.limit_bar.lower_button.click()
    settle(qtbot, space)
    assert call_of(ReplayService.replay, (), 230_000) in sent
    assert view.limit_bar.text.text() == "This replay uses a limit of 230,000."
    view.limit_bar.back_button.click()
    settle(qtbot, space)
    assert view.state.limit == 0


def test_what_cannot_be_replayed_says_why(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "mute.json"
    path.write_text('{"messages": [{"role": "user", "content": "Fix the retry."}]}')
    with shown_window() as space:
        open_file(qtbot, space, path)
        view = view_of(qtbot, space)
        assert view.is_empty
        assert view.empty_label.text().startswith("No model answers")
