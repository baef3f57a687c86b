"""Which page is visible, and the status bar with it."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from core.app.rpc import call_of
from core.app.services.preview import PreviewService
from gui.compare.analysis_tab import AnalysisTab
from gui.inspect.status_bar import GAP, MARGIN
from gui.view_switching import COMPARE, INSPECT, REPLAY, SWEEP
from gui.widgets.icons import ToneLabel
from gui.window_content import WindowContent
from tests.gui.fake_analysis import make_analysis_host
from tests.gui.session_screen import session_screen
from tests.gui.window_space import (
    calls_from_now,
    open_file,
    open_tab,
    settle,
    shown_window,
)


def status_texts(space: WindowContent) -> list[str]:
    labels = [one for one in space.status.findChildren(ToneLabel) if one.isVisible()]
    return [one.accessibleName() for one in sorted(labels, key=lambda one: one.x())]


def narrow(qtbot: QtBot, space: WindowContent, text: str) -> None:
    while text in status_texts(space):
        labels = [
            one for one in space.status.findChildren(ToneLabel) if one.isVisible()
        ]
        width = (
            2 * MARGIN - GAP - 1 + sum(one.sizeHint().width() + GAP for one in labels)
        )
        space.window.resize(width, 800)
        qtbot.waitUntil(lambda wanted=width: space.status.width() == wanted)  # type: ignore[misc]


def test_all_tabs_of_compare_are_in_sight_whichever_name_is_bold(qtbot: QtBot) -> None:
    with shown_window(make_analysis_host) as space:
        open_file(qtbot, space)
        space.window.resize(1280, 800)
        bar = space.views.tab_bar
        for name in (REPLAY, SWEEP, COMPARE):
            open_tab(qtbot, space, name, AnalysisTab)
            QApplication.processEvents()
            assert not [
                one for one in bar.findChildren(QToolButton) if one.isVisible()
            ]  # to scroll


def test_where_there_is_no_room_a_view_says_how_far_it_is_and_the_last_part_goes(
    qtbot: QtBot,
) -> None:
    with shown_window(make_analysis_host) as space:
        open_file(qtbot, space)
        for name in (COMPARE, REPLAY, SWEEP):
            space.window.resize(1600, 800)
            view = open_tab(qtbot, space, name, AnalysisTab)
            assert view.status is not None
            last = next(
                one for one in reversed(status_texts(space)) if one != view.status.text
            )
            narrow(qtbot, space, last)
            assert view.status.text in status_texts(space)
            assert last not in status_texts(space), name
            space.window.actions_by_id[INSPECT].trigger()
            assert status_texts(space)[-1] == last, name


@pytest.mark.parametrize("is_beside", [True, False])
def test_escape_leaves_two_results_that_stand_beside_each_other(
    qtbot: QtBot, opened: WindowContent, is_beside: bool
) -> None:
    opened.backend.screen.emit(
        replace(session_screen(), result_name="recorded 1" if is_beside else "")
    )
    opened.page.finish()
    sent = calls_from_now(opened)
    opened.page.lists.filter_bar.open_bar("error")
    settle(qtbot, opened)
    opened.page.lists.list.view.setFocus()
    QTest.keyClick(opened.page.lists.list.view, Qt.Key.Key_Escape)
    assert (
        opened.page.lists.filter_bar.isVisible(),
        call_of(PreviewService.change, (), False) in sent,
    ) == (
        False,
        False,
    )
    QTest.keyClick(opened.page.lists.list.view, Qt.Key.Key_Escape)
    assert (call_of(PreviewService.change, (), False) in sent) is is_beside


def test_a_file_is_closed_without_showing_tabs_of_compare(
    opened: WindowContent,
) -> None:
    views: list[str] = []
    opened.views.view_requested.connect(views.append)
    opened.close_file()
    assert views == []
