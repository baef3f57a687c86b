"""The Sweep view: the swept settings, curve and map, points by mouse and keys, using a point."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.app.rpc import call_of, is_call_of
from core.app.services.preview import PreviewService
from core.app.services.sweep import SweepService
from core.presentation.sweep.best_points import best_point_indices
from gui.sweep.page import SweepView
from gui.view_switching import SWEEP
from gui.widgets.colours import blend_colours, readable_text_colour
from gui.widgets.theme import THEME_NAMES, theme
from gui.workspace import Workspace
from tests.gui.analysis_space import settle, shown, space
from tests.gui.colour_maths import contrast
from tests.gui.fake_analysis import KEYS, sweep_page

__all__ = ["space"]

LEFT = Qt.MouseButton.LeftButton
FIRST = f"{KEYS[0].key}={KEYS[0].values}"
SECOND = f"{KEYS[1].key}={KEYS[1].values}"


def view_of(qtbot: QtBot, space: Workspace, path: str = "/tmp/retry-queue.jsonl") -> SweepView:
    view = shown(qtbot, space, SWEEP, path)
    assert isinstance(view, SweepView)
    return view


def sent_by(space: Workspace) -> list[Any]:
    sent: list[Any] = []
    space.session.started.connect(sent.append)
    return sent


def test_it_begins_with_the_first_setting_and_runs_it(qtbot: QtBot, space: Workspace) -> None:
    sent = sent_by(space)
    view = view_of(qtbot, space)
    assert sent.count(call_of(SweepService.sweep, ())) == 1
    assert view.axis_form.pickers[0].currentData() == KEYS[0].key
    assert view.axis_form.fields[0].text() == KEYS[0].values
    assert view.table.points.rowCount() == 5
    assert not view.plot.is_map
    assert view.colours.isHidden()


def test_values_are_written_and_enter_runs_them(qtbot: QtBot, space: Workspace) -> None:
    view, sent = view_of(qtbot, space), sent_by(space)
    field = view.axis_form.fields[0]
    field.selectAll()
    QTest.keyClicks(field, "0.2,0.3")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, space)
    assert call_of(SweepService.sweep, (f"{KEYS[0].key}=0.2,0.3",)) in sent


def test_a_bad_value_is_said_in_the_place_of_the_results(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    view.axis_form.fields[0].setText("bad")
    QTest.mouseClick(view.axis_form.run_button, LEFT)
    settle(qtbot, space)
    assert view.problem.text() == "It is no number."
    assert (view.problem.isVisible(), view.plot.isVisible(), view.legend.words) == (True, False, ())
    assert view.axis_form.fields[0].property("state") == "error"
    assert not view.is_empty


def test_two_settings_make_a_map(qtbot: QtBot, space: Workspace) -> None:
    view, sent = view_of(qtbot, space), sent_by(space)
    picker = view.axis_form.pickers[1]
    picker.setCurrentIndex(picker.findData(KEYS[1].key))
    picker.activated.emit(picker.currentIndex())
    settle(qtbot, space)
    assert call_of(SweepService.sweep, (FIRST, SECOND)) in sent
    assert view.plot.is_map
    assert view.colours.isVisible()
    assert view.table.points.rowCount() == 10
    QTest.mouseClick(view.plot, LEFT, pos=view.plot.cell((3, 1)).center().toPoint())
    assert view.point is not None
    assert view.point.axis_indices == (3, 1)
    view.plot.setFocus()
    QTest.keyClick(view.plot, Qt.Key.Key_Down)
    QTest.keyClick(view.plot, Qt.Key.Key_Left)
    assert view.point.axis_indices == (2, 0)
    pictures = []
    for button in view.metrics.buttons:
        QTest.mouseClick(button, LEFT)
        pictures.append(view.plot.grab().toImage())
    assert pictures[0] != pictures[1]


@pytest.mark.parametrize("name", THEME_NAMES)
def test_figures_are_readable_on_every_cell(name: str) -> None:
    shade = theme(name)
    for share in range(89):
        ground = blend_colours(shade.kind[1], shade.surface, share / 100)
        assert contrast(readable_text_colour(ground), ground) >= 4.5


def test_columns_are_whole_or_gone(qtbot: QtBot, space: Workspace) -> None:
    table = view_of(qtbot, space).table
    space.window.resize(1000, 700)
    two = sweep_page((FIRST, SECOND))
    many = replace(two, columns=(*two.columns, "summarised", "a title that is long", "cost", "kept", "gone"))
    many = replace(many, points=tuple(replace(one, cells=(*one.cells, *"12345")) for one in many.points))
    for page in (many, two):
        table.show_page(page)
        header, room = table.horizontalHeader(), table.viewport().width()
        shown = [at for at in range(len(page.columns)) if not table.isColumnHidden(at)]
        assert sum(map(header.sectionSize, shown)) <= room
        assert {0, 1} <= set(shown)
        assert (len(shown) < len(page.columns)) == (page is many)


def test_a_point_is_used_for_the_session(qtbot: QtBot, space: Workspace) -> None:
    view, sent = view_of(qtbot, space), sent_by(space)
    assert not view.use_button.isEnabled()
    view.plot.setFocus()
    QTest.keyClick(view.plot, Qt.Key.Key_Right)
    assert view.point is not None
    assert view.use_button.isEnabled()
    settings = view.point.settings
    QTest.mouseClick(view.use_button, LEFT)
    settle(qtbot, space)
    assert call_of(PreviewService.change, settings, False) in sent
    assert space.window.pages.currentWidget() is space.page


def test_enter_in_the_table_uses_the_point(qtbot: QtBot, space: Workspace) -> None:
    view, sent = view_of(qtbot, space), sent_by(space)
    view.table.select(2)
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    settle(qtbot, space)
    assert any(is_call_of(one, PreviewService.change) for one in sent)


def test_what_was_swept_is_kept_by_transcript(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    view.axis_form.fields[0].setText("0.2,0.3")
    QTest.mouseClick(view.axis_form.run_button, LEFT)
    settle(qtbot, space)
    view_of(qtbot, space, "/tmp/other.jsonl")
    assert view.axis_form.fields[0].text() == KEYS[0].values
    view_of(qtbot, space)
    assert view.axis_form.fields[0].text() == "0.2,0.3"


@pytest.mark.parametrize("name", ["dark", "high-contrast"])
def test_it_paints_in_every_theme_and_size(qtbot: QtBot, space: Workspace, name: str) -> None:
    view = view_of(qtbot, space)
    space.window.actions_by_id[f"theme-{name}"].trigger()
    QApplication.processEvents()
    for size in ((1280, 800), (900, 600)):
        space.window.resize(*size)
        assert not space.window.grab().isNull()
    assert all(part.accessibleName() or part is view.use_button for part in view.areas())


def test_the_best_points_are_those_that_none_beats() -> None:
    points = sweep_page((FIRST,)).points
    assert best_point_indices(points) == (0, 1, 2, 3, 4)
    twice = sweep_page((FIRST, SECOND)).points
    assert all(twice[place].axis_indices[1] == 0 for place in best_point_indices(twice))
