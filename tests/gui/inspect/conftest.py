"""Lists in a window."""

from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from core.presentation.screen_model import Screen
from gui.inspect.lists.aligned_list import AlignedList
from gui.widgets.theme import body_font


@pytest.fixture
def show_lists(qtbot: QtBot) -> Iterator[Callable[..., AlignedList]]:
    opened: list[AlignedList] = []

    def open_lists(screen: Screen, width: int = 978, height: int = 700) -> AlignedList:
        lists = AlignedList()
        opened.append(lists)
        qtbot.addWidget(lists)
        lists.setFont(body_font())
        lists.resize(width, height)
        lists.show()
        qtbot.waitExposed(lists)
        lists.set_rows(screen.source.rows)
        lists.set_screen(screen)
        return lists

    yield open_lists
    opened.clear()
