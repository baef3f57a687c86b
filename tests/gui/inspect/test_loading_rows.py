"""The page while a transcript is read: the list fills, the ruler grows, and the previous transcript can be
restored."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from core.app.events import ReadingProgressEvent, WorkingEvent
from core.presentation.model import RowsReadEvent
from gui.backend import BackendClient
from gui.file_opening import ReadingStrip
from gui.inspect.inspect_page import InspectPage
from gui.widgets.theme import body_font
from tests.gui.session_screen import session_screen

SCREEN = session_screen(messages=60)
ROWS = SCREEN.before
UNCOUNTED = replace(ROWS, tokens=array("q", [-1]) * len(ROWS))


@pytest.fixture
def page(qtbot: QtBot, qapp: QApplication) -> Iterator[InspectPage]:
    qapp.setFont(body_font())
    session = BackendClient()
    inspect_page = InspectPage(session)
    qtbot.addWidget(inspect_page)
    inspect_page.resize(1400, 800)
    inspect_page.show()
    yield inspect_page
    session.close()


def shown(page: InspectPage) -> array[int]:
    return page.lists.before.rows.tokens


def test_rows_are_shown_before_they_are_counted(page: InspectPage) -> None:
    page._loading.show_rows(RowsReadEvent(1, 0, UNCOUNTED))
    page._loading.show_rows(RowsReadEvent(1, 60, UNCOUNTED))
    assert list(shown(page)) == [-1] * 120
    assert page.lists.before.model.content.header_text == "120 messages so far"
    page._loading.show_rows(RowsReadEvent(1, 0, ROWS))
    assert list(shown(page)) == [*ROWS.tokens, *[-1] * 60]


def test_the_ruler_grows_to_the_right(qtbot: QtBot, page: InspectPage) -> None:
    page._loading.show_rows(RowsReadEvent(1, 0, UNCOUNTED))
    page._loading.show_rows(RowsReadEvent(1, 60, UNCOUNTED))
    page._loading.show_rows(RowsReadEvent(1, 0, ROWS))
    total = sum(ROWS.tokens)
    qtbot.waitUntil(lambda: page.ruler._view.total == 2 * total, timeout=20_000)


def test_a_preview_takes_the_place_of_what_was_filling(page: InspectPage) -> None:
    page._loading.show_rows(RowsReadEvent(1, 0, UNCOUNTED))
    page.begin()  # its title is known
    assert len(page.lists.before.rows) == 60
    page.show_screen(SCREEN)
    page.finish()
    assert page.lists.before.rows == ROWS
    assert len(page.lists.after.rows) == len(SCREEN.after)


def test_a_cancelled_reading_leaves_the_open_transcript(page: InspectPage) -> None:
    page.show_screen(SCREEN)
    page.finish()
    page._loading.show_rows(RowsReadEvent(9, 0, replace(UNCOUNTED)))
    assert shown(page)[0] == -1
    page._session.idle.emit()
    page.finish()
    assert page.lists.before.rows == ROWS
    assert page.preview is SCREEN


def test_once_all_is_read_there_is_nothing_to_stop(qtbot: QtBot) -> None:
    strip = ReadingStrip()
    qtbot.addWidget(strip)
    stop = next(one for one in strip.findChildren(QPushButton) if one.text().startswith("Stop here"))
    strip.begin("session.jsonl")
    strip.show_reading(ReadingProgressEvent(0.5, "reading line 20"))
    assert not stop.isHidden()
    strip.show_working(WorkingEvent("Counting tokens: message 3 of 40", 0.1))
    assert stop.isHidden()
    assert "Counting tokens: message 3 of 40" in [one.text() for one in strip.findChildren(QLabel)]
