"""The view of a folder: its head has room in the smallest window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.view.compare_values import PricePick
from core.view.values import Choice
from gui.appearance import Appearance
from gui.folder.page import FolderView
from gui.language import speak
from gui.session import Session
from tests.gui.fake_desk import FakeDesk

PRICES = PricePick("", (Choice("", "each session's model"), Choice("b", "claude-haiku-4-5")))
"""What the picker offers once there are figures."""


@pytest.fixture(params=["en", "de"])
def view(request: pytest.FixtureRequest, qtbot: QtBot, qapp: QApplication) -> Iterator[FolderView]:
    appearance = Appearance(qapp, "light")
    appearance.complete()
    speak(qapp, request.param)
    made = FolderView(Session(make_desk=FakeDesk), appearance.theme)
    qtbot.addWidget(made)
    made.resize(900, 500)
    made.show()
    yield made
    speak(qapp, "en")


def test_all_that_stands_in_the_head_fits_into_the_smallest_window(view: FolderView) -> None:
    view.title.setText("1,234 files")
    view.price.show_pick(PRICES)
    view.go_on.show()
    assert view.row.minimumSize().width() <= 900
    assert view.csv.toolTip() == view.csv.accessibleName() != view.csv.text() == "CSV…"


def test_with_room_the_buttons_that_save_say_what_they_save(view: FolderView) -> None:
    view.resize(1400, 500)
    assert view.csv.text() == view.csv.toolTip()
    assert view.png.text() == view.png.toolTip()
