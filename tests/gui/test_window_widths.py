"""What the window says stays whole at the usual widths, text sizes and fonts."""

import pytest
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from gui.inspect.verdict_line import CellButton
from gui.widgets import theme
from gui.window_content import WindowContent

STEPS = {100: 0, 125: 2, 150: 3}
"""Text sizes in percent, and how often one zooms in to reach them."""
FAMILIES = ("sans-serif", "monospace")
"""The family of plain text that FONTS names, and a wide one."""


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    natural, name = theme.body_font, str(request.param)

    def other(zoom: float = 1.0) -> QFont:
        font = natural(zoom)
        font.setFamily(name)
        return font

    monkeypatch.setattr(theme, "body_font", other)
    return name


def shown(space: WindowContent, width: int, percent: int) -> None:
    appearance = space.window.appearance
    appearance.zoom_by(0)
    if STEPS[percent]:
        appearance.zoom_by(STEPS[percent])
    space.window.resize(width, 800)
    for _ in range(5):  # docks and toolbar are laid out a turn later
        QApplication.processEvents()
    assert appearance.zoom == percent / 100


def is_cut(cell: CellButton) -> bool:
    return cell.width_of(cell.visible_phrases()) > cell.width()


@pytest.mark.parametrize("percent", STEPS)
@pytest.mark.parametrize("width", [1024, 1280, 1440])
def test_no_verdict_tab_or_segment_is_elided(
    qtbot: QtBot, opened: WindowContent, family: str, width: int, percent: int
) -> None:
    opened.page.inspector.tabs.show_count("losses", "88")
    shown(opened, width, percent)
    assert not [
        cell.accessibleName() for cell in opened.page.verdict.cells if is_cut(cell)
    ]
    tabs = opened.page.inspector.tabs
    for place in range(tabs.count()):
        tabs.setCurrentIndex(place)
        QApplication.processEvents()
        assert tabs.tabBar().width() >= tabs.tabBar().sizeHint().width()
        segments = [
            button
            for button in opened.window.findChildren(QPushButton)
            if button.property("role") == "segment" and button.isVisible()
        ]
        assert segments
        assert not [
            one.text() for one in segments if one.width() < one.sizeHint().width()
        ]


@pytest.mark.parametrize("percent", STEPS)
def test_the_window_can_be_1024_wide(
    opened: WindowContent, family: str, percent: int
) -> None:
    shown(opened, 1024, percent)
    assert opened.window.minimumSizeHint().width() <= 1024
    assert opened.window.width() == 1024


def test_counts_of_tabs_become_dots_where_padding_is_not_enough(
    opened: WindowContent,
) -> None:
    tabs = opened.page.inspector.tabs
    tabs.show_count("losses", "88")
    shown(opened, 1440, 100)
    badge = tabs.badges["losses"]
    assert badge.text() == "88"
    docks = opened.page.dock_area
    tabs.resize(tabs.minimumWidth(), tabs.height())
    assert badge.text() == "•"
    assert tabs.tabBar().sizeHint().width() <= tabs.minimumWidth()
    tabs.resize(docks.inspector.size())
    assert badge.text() == "88"
