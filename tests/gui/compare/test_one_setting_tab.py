"""The tab One setting: the varied settings, curve, bars and map, points by mouse and keys, using one."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.app.rpc import call_of
from core.app.services.compare import SweepService
from core.app.services.preview import PreviewService
from core.presentation.compare.results import sweep_indices
from gui.compare.one_setting_tab import OneSettingTab
from gui.view_switching import SWEEP
from gui.workspace import Workspace
from tests.gui.fake_analysis import KEYS
from tests.gui.window_space import SMALL, calls_from_now, open_file, open_tab, settle

LEFT = Qt.MouseButton.LeftButton
view_of = partial(open_tab, name=SWEEP, kind=OneSettingTab)


def place_of(view: OneSettingTab) -> tuple[int, ...]:
    assert view.page is not None
    assert view.point is not None
    return sweep_indices(view.page, view.point)


def test_it_begins_with_the_first_setting_and_runs_it(qtbot: QtBot, space: Workspace) -> None:
    sent = calls_from_now(space)
    view = view_of(qtbot, space)
    assert sent.count(call_of(SweepService.sweep, ())) == 1
    assert view.choices[0].picker.currentData() == KEYS[0].key
    assert [field.text() for field in view.choices[0].fields] == ["10 %", "50 %", "10 %"]
    assert len(view.table.names) == 5
    assert not view.setting_plot.is_map
    assert view.colours.isHidden()
    assert all(part.accessibleName() or part is view.use_button for part in view.areas())


def test_a_range_is_written_and_enter_runs_it(qtbot: QtBot, space: Workspace) -> None:
    view, sent = view_of(qtbot, space), calls_from_now(space)
    field = view.choices[0].fields[0]
    field.selectAll()
    QTest.keyClicks(field, "20 %")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, space)
    assert call_of(SweepService.sweep, (f"{KEYS[0].key}=20 %:50 %:10 %",)) in sent


def test_a_bad_value_is_said_in_the_place_of_the_results(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    view.choices[0].fields[0].setText("bad")
    QTest.mouseClick(view.run_button, LEFT)
    settle(qtbot, space)
    assert view.problem.text() == "It is no number."
    assert (view.problem.isVisible(), view.setting_plot.isVisible(), view.legend.words) == (True, False, ())
    assert view.choices[0].fields[0].property("state") == "error"
    assert not view.is_empty


def test_two_settings_make_a_map(qtbot: QtBot, space: Workspace) -> None:
    view, sent = view_of(qtbot, space), calls_from_now(space)
    picker = view.choices[1].picker
    picker.setCurrentIndex(picker.findData(KEYS[1].key))
    picker.activated.emit(picker.currentIndex())
    settle(qtbot, space)
    assert call_of(SweepService.sweep, (KEYS[0].vary, KEYS[1].vary)) in sent
    assert not view.choices[1].fields[0].isVisible()  # its values are few
    assert view.setting_plot.is_map
    assert view.colours.isVisible()
    assert len(view.table.names) == 10
    QTest.mouseClick(view.setting_plot, LEFT, pos=view.setting_plot.cell((3, 1)).center().toPoint())
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


def test_a_value_is_used_for_the_session(qtbot: QtBot, space: Workspace) -> None:
    view, sent = view_of(qtbot, space), calls_from_now(space)
    assert not view.use_button.isEnabled()
    view.setting_plot.setFocus()
    QTest.keyClick(view.setting_plot, Qt.Key.Key_Right)
    assert view.use_button.isEnabled()
    assert view.point is not None
    settings = ((KEYS[0].key, view.point.axis_values[0]),)
    QTest.mouseClick(view.use_button, LEFT)
    settle(qtbot, space)
    assert call_of(PreviewService.change, settings, False) in sent
    assert space.window.pages.currentWidget() is space.page


def test_what_was_varied_is_kept_by_transcript(qtbot: QtBot, space: Workspace, tmp_path: Path) -> None:
    view = view_of(qtbot, space)
    view.choices[0].fields[1].setText("30 %")
    QTest.mouseClick(view.run_button, LEFT)
    settle(qtbot, space)
    open_file(qtbot, space)
    view_of(qtbot, space)
    assert view.choices[0].fields[1].text() == "50 %"
    open_file(qtbot, space, tmp_path / SMALL.name)
    view_of(qtbot, space)
    assert view.choices[0].fields[1].text() == "30 %"
