"""Tasks of a new user: samples of the start screen, help, list of keys."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from core.common.paths import bundled_samples
from core.presentation.help_pages import FIRST_PAGE
from gui.help_window import KEYS, HelpWindow
from gui.window_content import WindowContent
from tests.gui.window_space import shown_window
from tests.journeys.walks import LEFT, settle
from tests.support.narrowing import known

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def space(qapp: QApplication) -> Iterator[WindowContent]:
    with shown_window(samples=bundled_samples(), saves_state=False) as made:
        made.window.resize(1280, 800)
        yield made


def links(space: WindowContent) -> dict[str, QPushButton]:
    found = space.window.start.findChildren(QPushButton)
    return {one.text(): one for one in found if one.isVisibleTo(space.window)}


def shown(space: WindowContent) -> set[str]:
    return {
        one.text()
        for one in space.window.start.findChildren(QLabel)
        if one.isVisibleTo(space.window)
    }


def help_window(space: WindowContent) -> HelpWindow:
    [found] = space.window.findChildren(HelpWindow)
    assert found.isVisible()
    return found


def test_a_first_start_offers_three_samples_with_what_each_shows(
    qtbot: QtBot, space: WindowContent
) -> None:
    offered = bundled_samples()
    assert len(offered) == 3
    assert {one.about for one in offered} <= shown(space)
    QTest.mouseClick(links(space)[offered[-1].title], LEFT)
    settle(qtbot, space)
    assert known(space.file).path == str(offered[-1].path)


def test_the_tour_is_four_marks_over_the_first_sample(
    qtbot: QtBot, space: WindowContent
) -> None:
    space.window.actions_by_id["tour"].trigger()
    settle(qtbot, space)
    tour = known(space.tour)
    assert known(space.file).path == str(bundled_samples()[0].path)
    titles = []
    for _ in range(4):
        assert tour.isVisible()
        assert tour.next.hasFocus()
        assert space.window.rect().contains(tour.geometry())
        titles.append((tour.number, tour.title.text()))
        QTest.keyClick(tour.next, Qt.Key.Key_Space)
    assert [number for number, _ in titles] == [0, 1, 2, 3]
    assert (titles[1][1], tour.isVisible()) == ("Drag here", False)
    space.window.actions_by_id["tour"].trigger()
    QTest.keyClick(tour.next, Qt.Key.Key_Escape)
    assert not tour.isVisible()


def test_the_first_sample_begins_the_tour_once(
    qtbot: QtBot, space: WindowContent
) -> None:
    space.window.saves_state = True
    for expected in (True, False):
        space.open_path(str(bundled_samples()[0].path))
        settle(qtbot, space)
        assert (space.tour is not None and space.tour.isVisible()) is expected
        known(space.tour).end()


def test_f1_opens_the_help_and_another_key_the_keys(space: WindowContent) -> None:
    QTest.keyClick(space.window, Qt.Key.Key_F1)
    found = help_window(space)
    assert (found.page, found.isModal()) == (FIRST_PAGE, False)
    QTest.keyClick(space.window, Qt.Key.Key_F1, CONTROL)
    assert help_window(space) is found
    assert found.page == KEYS
    QTest.keyClick(found, Qt.Key.Key_Escape)
    assert not found.isVisible()
    QTest.keyClick(space.window, Qt.Key.Key_F1)
    assert found.page == KEYS  # where one was
    before = found.text.grab().toImage().pixelColor(4, 4)
    space.window.appearance.choose("dark")
    QApplication.processEvents()
    assert found.text.grab().toImage().pixelColor(4, 4) != before
    space.window.appearance.choose("light")
