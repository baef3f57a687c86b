"""The tabs Over time and One setting: lines, playhead, compactions, limits; varied settings, map,
points."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.app.rpc import call_of
from core.app.services.compare import ReplayService, SweepService
from core.app.services.preview import PreviewService
from core.losses.evidence import MustMark, MustStatus
from core.presentation.compare.results import GONE, sweep_indices
from core.trials.trial import TrialLosses
from gui.compare.one_setting_tab import OneSettingTab
from gui.compare.over_time_tab import OverTimeTab
from gui.view_switching import REPLAY, SWEEP
from gui.window_content import WindowContent
from tests.gui.fake_analysis import KEYS, TURNS, replay_page
from tests.gui.window_space import (
    SMALL,
    calls_from_now,
    open_file,
    open_tab,
    settle,
    shown_window,
)

LEFT = Qt.MouseButton.LeftButton
over_time_of = partial(open_tab, name=REPLAY, kind=OverTimeTab)


def test_lines_come_one_by_one(qtbot: QtBot, space: WindowContent) -> None:
    sent = calls_from_now(space)
    view = over_time_of(qtbot, space)
    assert sent.count(call_of(ReplayService.replay, (), 0)) == 1
    assert view.table.results.rowCount() == 4
    assert len(view.compactions.runs) == 6
    assert (view.state.name, view.state.turn) == (
        "middle-out",
        TURNS,
    )  # the session's strategy
    assert view.limit_bar.isHidden()
    assert all(
        part.accessibleName() or part is view.controls.play for part in view.areas()
    )


def test_what_was_paid_stands_beside_the_lines(
    qtbot: QtBot, space: WindowContent
) -> None:
    view = over_time_of(qtbot, space)
    assert view.page is not None
    assert view.paid_heading.isHidden()  # this file reports nothing
    view.show_page(replace(view.page, paid=(("cost", "≈ $1.09"),) * 9))
    assert not view.paid_heading.isHidden()
    lines = view.paid_text.text().splitlines()
    assert (lines[0], len(lines)) == ("cost: ≈ $1.09", 9)
    assert "foldline inspect" in lines[-1]


def test_playhead_and_slider_are_one_thing(qtbot: QtBot, space: WindowContent) -> None:
    view = over_time_of(qtbot, space)
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


def test_a_compaction_in_the_list_moves_the_playhead(
    qtbot: QtBot, space: WindowContent
) -> None:
    view = over_time_of(qtbot, space)
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


def test_play_runs_to_the_end_and_begins_again(
    qtbot: QtBot, space: WindowContent
) -> None:
    view = over_time_of(qtbot, space)
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


def test_where_nothing_would_be_compacted_a_lower_limit_is_offered(
    qtbot: QtBot, space: WindowContent
) -> None:
    view, sent = over_time_of(qtbot, space), calls_from_now(space)
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
        view = over_time_of(qtbot, space)
        assert view.is_empty
        assert view.empty_label.text().startswith("No model answers")


one_setting_of = partial(open_tab, name=SWEEP, kind=OneSettingTab)


def place_of(view: OneSettingTab) -> tuple[int, ...]:
    assert view.page is not None
    assert view.point is not None
    return sweep_indices(view.page, view.point)


def test_it_begins_with_the_first_setting_and_runs_it(
    qtbot: QtBot, space: WindowContent
) -> None:
    sent = calls_from_now(space)
    view = one_setting_of(qtbot, space)
    assert sent.count(call_of(SweepService.sweep, ())) == 1
    assert view.choices[0].picker.currentData() == KEYS[0].key
    assert [field.text() for field in view.choices[0].fields] == [
        "10 %",
        "50 %",
        "10 %",
    ]
    assert len(view.table.names) == 5
    assert not view.setting_plot.is_map
    assert view.colours.isHidden()
    assert all(
        part.accessibleName() or part is view.use_button for part in view.areas()
    )


def test_a_range_is_written_and_enter_runs_it(
    qtbot: QtBot, space: WindowContent
) -> None:
    view, sent = one_setting_of(qtbot, space), calls_from_now(space)
    field = view.choices[0].fields[0]
    field.selectAll()
    QTest.keyClicks(field, "20 %")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, space)
    assert call_of(SweepService.sweep, (f"{KEYS[0].key}=20 %:50 %:10 %",)) in sent


def test_a_bad_value_is_said_in_the_place_of_the_results(
    qtbot: QtBot, space: WindowContent
) -> None:
    view = one_setting_of(qtbot, space)
    view.choices[0].fields[0].setText("bad")
    QTest.mouseClick(view.run_button, LEFT)
    settle(qtbot, space)
    assert view.problem.text() == "It is no number."
    assert (
        view.problem.isVisible(),
        view.setting_plot.isVisible(),
        view.legend.words,
    ) == (
        True,
        False,
        (),
    )
    assert view.choices[0].fields[0].property("state") == "error"
    assert not view.is_empty


def test_two_settings_make_a_map(qtbot: QtBot, space: WindowContent) -> None:
    view, sent = one_setting_of(qtbot, space), calls_from_now(space)
    picker = view.choices[1].picker
    picker.setCurrentIndex(picker.findData(KEYS[1].key))
    picker.activated.emit(picker.currentIndex())
    settle(qtbot, space)
    assert call_of(SweepService.sweep, (KEYS[0].vary, KEYS[1].vary)) in sent
    assert not view.choices[1].fields[0].isVisible()  # its values are few
    assert view.setting_plot.is_map
    assert view.colours.isVisible()
    assert len(view.table.names) == 10
    QTest.mouseClick(
        view.setting_plot, LEFT, pos=view.setting_plot.cell((3, 1)).center().toPoint()
    )
    assert place_of(view) == (3, 1)
    view.setting_plot.setFocus()
    QTest.keyClick(view.setting_plot, Qt.Key.Key_Down)
    QTest.keyClick(view.setting_plot, Qt.Key.Key_Left)
    assert place_of(view) == (2, 0)
    pictures = []
    for button in view.metrics.buttons:
        QTest.mouseClick(button, LEFT)
        pictures.append(view.setting_plot.grab().toImage())
    assert pictures[0] != pictures[1]


def test_a_value_is_used_for_the_session(qtbot: QtBot, space: WindowContent) -> None:
    view, sent = one_setting_of(qtbot, space), calls_from_now(space)
    assert not view.use_button.isEnabled()
    view.setting_plot.setFocus()
    QTest.keyClick(view.setting_plot, Qt.Key.Key_Right)
    assert view.use_button.isEnabled()
    assert view.point is not None
    settings = ((KEYS[0].key, view.point.trial.setting_values[0]),)
    QTest.mouseClick(view.use_button, LEFT)
    settle(qtbot, space)
    assert call_of(PreviewService.change, settings, False) in sent
    assert space.window.pages.currentWidget() is space.page


def test_what_was_varied_is_kept_by_transcript(
    qtbot: QtBot, space: WindowContent, tmp_path: Path
) -> None:
    view = one_setting_of(qtbot, space)
    view.choices[0].fields[1].setText("30 %")
    QTest.mouseClick(view.run_button, LEFT)
    settle(qtbot, space)
    open_file(qtbot, space)
    one_setting_of(qtbot, space)
    assert view.choices[0].fields[1].text() == "50 %"
    open_file(qtbot, space, tmp_path / SMALL.name)
    one_setting_of(qtbot, space)
    assert view.choices[0].fields[1].text() == "30 %"


def test_the_value_that_keeps_every_must_is_offered(
    qtbot: QtBot, space: WindowContent
) -> None:
    view, sent = one_setting_of(qtbot, space), calls_from_now(space)
    assert view.keeping_box.isHidden()
    page = view.page
    assert page is not None
    statuses = (MustStatus.GONE,) * 3 + (MustStatus.WORD_FOR_WORD,) * 2
    points = [
        replace(point, losses=TrialLosses(musts=(MustMark("Ask", status),)))
        for point, status in zip(page.points, statuses, strict=True)
    ]
    curves = view.setting_plot.frame(GONE).box
    view.show_page(replace(page, points=tuple(points)))
    assert view.keeping.text() == "It stands from Keep Top 40%"
    assert [must.text for must in view.setting_plot.musts] == ["Ask"]
    assert view.setting_plot.frame(GONE).box.bottom() < curves.bottom()  # a row below
    assert "0 of 1 must;" in view.setting_plot.accessibleDescription()
    QTest.mouseClick(view.keeping_button, LEFT)
    settle(qtbot, space)
    assert (
        call_of(
            PreviewService.change, ((KEYS[0].key, page.axes[0].settings[3]),), False
        )
        in sent
    )
