"""The popover "Size" of the status bar."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from core.llm.request_size import RequestSizing
from core.presentation.model import StatusPart
from core.presentation.preview_wording import size_page
from core.tokens.calibration import ReportedRequest, calibrate
from gui.inspect.status_bar import SizeButton, SizePopover, StatusBar
from gui.widgets.theme import theme

REQUESTS = [ReportedRequest(1_000 * step, 1_400 * step + 20_000, "m", number=step) for step in range(1, 30)]


@pytest.fixture
def bar(qtbot: QtBot) -> StatusBar:
    page = size_page(RequestSizing(1.4, 20_000, calibrate(REQUESTS)), (("This conversation", "≈62,000"),))
    status_bar = StatusBar(theme("light"))
    status_bar.show_parts((StatusPart("[ctx: 31%]"), StatusPart("≈62,000", sizes=page)))
    status_bar.show()
    qtbot.addWidget(status_bar)
    return status_bar


def popover(bar: StatusBar) -> SizePopover:
    (found_popover,) = bar.findChildren(SizePopover)
    return found_popover


def test_the_tokens_of_the_status_bar_open_it_by_pointer_and_key(bar: StatusBar) -> None:
    (part,) = bar.findChildren(SizeButton)
    QTest.mouseClick(part, Qt.MouseButton.LeftButton)
    first = popover(bar)
    first.close()
    QTest.keyClick(part, Qt.Key.Key_Space)
    assert [one for one in bar.findChildren(SizePopover) if one is not first]


def test_it_says_factor_hidden_tokens_requests_and_error(bar: StatusBar) -> None:
    bar.show_sizes()
    words = " ".join(one.text() for one in popover(bar).findChildren(QLabel))
    for expected in ("≈62,000", "×1.40", "20,000", "29 requests of 29", "0.0 %", "No silent clearing"):
        assert expected in words
    assert not popover(bar).grab().isNull()  # painted without an error


def test_a_file_without_reports_has_none(bar: StatusBar) -> None:
    bar.show_parts((StatusPart("≈62,000"),))
    assert bar.show_sizes() is None
