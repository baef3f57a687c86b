"""The help window: all pages, their links, the search, the list of keys, saving a PDF."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QUrl
from PySide6.QtGui import QImage, QTextDocument, QTextTable
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from core.presentation.help_pages import FIRST_PAGE, help_pages
from gui.action_table import ACTIONS
from gui.arguments import VIEWS as NAMED
from gui.help.help_window import HelpWindow, help_window_pages
from gui.help.keys_page import FURTHER_KEYS, KEYS
from gui.screenshot_command import VIEWS
from gui.widgets.theme import apply_theme, theme


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[HelpWindow]:
    parent = QMainWindow()
    qtbot.addWidget(parent)
    help_window = HelpWindow(parent, help_window_pages())
    help_window.show()
    yield help_window
    parent.close()


def listed(window: HelpWindow) -> list[str]:
    return [window.list.item(row).text() for row in range(window.list.count())]


def test_every_page_can_be_chosen_and_is_shown(window: HelpWindow) -> None:
    titles = listed(window)
    for page in help_pages():
        window.list.setCurrentRow(titles.index(page.title))
        assert window.page == page.name
        shown = window.text.toPlainText()
        assert shown.startswith(page.title)
        assert "<!--" not in shown
        assert "](" not in shown.replace("[…](", "")


def test_links_lead_from_page_to_page_and_back(window: HelpWindow) -> None:
    window.show_page("command-line.md")
    window.follow("replay.md#sweep")
    assert window.page == "replay.md"
    assert window.text.textCursor().block().text().lower().startswith("sweep")
    window.follow("strategies/hybrid.md")
    window.follow("../modes.md")
    assert window.page == "modes.md"
    window.back()
    window.back()
    window.back()
    assert window.page == "command-line.md"


def test_the_place_in_a_page_stays_when_the_window_gets_another_size(
    window: HelpWindow, qapp: QApplication
) -> None:
    window.show_page(FIRST_PAGE)
    bar = window.text.verticalScrollBar()
    window.resize(window.width() - 100, window.height() - 200)
    assert bar.maximum() > 0
    assert bar.value() == 0
    window.show_page("replay.md", "sweep")
    apply_theme(qapp, theme("dark"))
    assert window.text.cursorForPosition(QPoint(0, 0)).block().text() == "Sweep"


def test_there_is_no_blank_under_a_picture(window: HelpWindow) -> None:
    window.show_page(FIRST_PAGE)
    block = window.text.document().begin()
    while not block.text().startswith("\ufffc"):
        block = block.next()
    image = block.begin().fragment().charFormat().toImageFormat()
    picture = window.text.loadResource(QTextDocument.ResourceType.ImageResource.value, image.name())
    assert block.layout().boundingRect().height() < picture.height() + 20


def test_an_address_is_copied_and_not_opened(window: HelpWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", lambda url: pytest.fail("opened"))
    window.show_page(FIRST_PAGE)
    window.text.anchorClicked.emit(QUrl("https://example.org/x"))
    assert window.page == FIRST_PAGE
    assert QApplication.clipboard().text() == "https://example.org/x"
    assert window.message_text == "Copied, not opened: https://example.org/x"


def test_the_search_lists_pages_that_hold_all_words(window: HelpWindow, qtbot: QtBot) -> None:
    window.field.setText("Stale reads")
    qtbot.waitUntil(lambda: 0 < window.list.count() < 20)
    assert "Getting started" not in listed(window)
    window.field.setText("caliper zebra")
    window.search()
    assert listed(window) == []
    assert window.message_text == "No page holds these words."
    window.field.setText("put back")
    window.field.returnPressed.emit()
    assert window.text.textCursor().selectedText().lower() == "put"


def test_the_map_of_keys_has_every_key(window: HelpWindow) -> None:
    window.show_page(KEYS)
    text = window.text.toPlainText()
    for row in ACTIONS:
        assert all(key in text for key in row.keys), row.id
    assert all(keys in text for keys, _ in FURTHER_KEYS)
    window.field.setText("ribbon")
    window.search()
    assert "Keys" in listed(window)


def test_pictures_fit_and_nothing_else_is_loaded(window: HelpWindow, tmp_path: Path) -> None:
    window.show_page("reading-the-window.md")
    kind = QTextDocument.ResourceType.ImageResource.value
    picture = window.text.loadResource(kind, QUrl("../pictures/recorded.png"))
    assert isinstance(picture, QImage)
    assert 200 < picture.width() <= window.text.viewport().width()
    QImage(4, 4, QImage.Format.Format_RGB32).save(str(tmp_path / "secret.png"))
    assert window.text.loadResource(kind, QUrl.fromLocalFile(str(tmp_path / "secret.png"))) is None
    assert window.text.loadResource(kind, QUrl("https://example.org/x.png")) is None


def test_a_page_becomes_a_file_to_print(window: HelpWindow, tmp_path: Path) -> None:
    window.show_page(KEYS)
    window.save(str(tmp_path / "keys.pdf"))
    assert (tmp_path / "keys.pdf").read_bytes().startswith(b"%PDF")
    assert window.message_text.startswith("Saved: ")
    window.save(str(tmp_path / "no" / "such" / "keys.pdf"))
    assert "does not exist" in window.message_text
    (tmp_path / "notes.md").write_text("mine")
    window.save(str(tmp_path / "notes.md"))
    assert "is no PDF" in window.message_text
    assert (tmp_path / "notes.md").read_text() == "mine"


def test_pictures_of_views_are_offered_by_their_names() -> None:
    assert sorted(view.name for view in VIEWS) == sorted(NAMED)


def test_columns_of_the_map_of_keys_stand_below_each_other(window: HelpWindow) -> None:
    window.show_page(KEYS)
    frames = window.text.document().rootFrame().childFrames()
    tables = [one for one in frames if isinstance(one, QTextTable)]
    heads = [one.cellAt(0, 0).firstCursorPosition().block().text() for one in tables]
    widths = {
        tuple(one.rawValue() for one in table.format().columnWidthConstraints())
        for table, head in zip(tables, heads, strict=True)
        if head == heads[0]
    }
    assert heads.count(heads[0]) > 3
    assert len(widths) == 1
    assert len(*widths) == 3
