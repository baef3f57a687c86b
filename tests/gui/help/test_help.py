"""The help window: all pages, their links, the search, the list of keys, saving a PDF."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from core.presentation.help_pages import FIRST_PAGE, help_pages
from gui.actions import ACTIONS
from gui.help_window import FURTHER_KEYS, KEYS, HelpWindow, help_window_pages


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


def test_an_address_is_copied_and_not_opened(
    window: HelpWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "PySide6.QtGui.QDesktopServices.openUrl", lambda url: pytest.fail("opened")
    )
    window.show_page(FIRST_PAGE)
    window.text.anchorClicked.emit(QUrl("https://example.org/x"))
    assert window.page == FIRST_PAGE
    assert QApplication.clipboard().text() == "https://example.org/x"
    assert window.message.full_text == "Copied, not opened: https://example.org/x"


def test_the_search_lists_pages_that_hold_all_words(
    window: HelpWindow, qtbot: QtBot
) -> None:
    window.field.setText("Stale reads")
    qtbot.waitUntil(lambda: 0 < window.list.count() < 20)
    assert "Getting started" not in listed(window)
    window.field.setText("caliper zebra")
    window.search()
    assert listed(window) == []
    assert window.message.full_text == "No page holds these words."
    window.field.setText("put back")
    window.field.returnPressed.emit()
    assert window.text.textCursor().selectedText().lower() == "put"


def test_the_map_of_keys_has_every_key(window: HelpWindow) -> None:
    window.show_page(KEYS)
    text = window.text.toPlainText()
    for row in ACTIONS:
        assert all(key in text for key in row.keys), row.id
    assert all(keys in text for keys, _ in FURTHER_KEYS)
    window.field.setText("Other place")
    window.search()
    assert "Keys" in listed(window)


def test_pictures_fit_and_nothing_else_is_loaded(
    window: HelpWindow, tmp_path: Path
) -> None:
    window.show_page("reading-the-window.md")
    kind = QTextDocument.ResourceType.ImageResource.value
    picture = window.text.loadResource(kind, QUrl("../pictures/recorded.png"))
    assert isinstance(picture, QImage)
    assert 200 < picture.width() <= window.text.viewport().width()
    QImage(4, 4, QImage.Format.Format_RGB32).save(str(tmp_path / "secret.png"))
    assert (
        window.text.loadResource(kind, QUrl.fromLocalFile(str(tmp_path / "secret.png")))
        is None
    )
    assert window.text.loadResource(kind, QUrl("https://example.org/x.png")) is None


def test_a_page_becomes_a_file_to_print(window: HelpWindow, tmp_path: Path) -> None:
    window.show_page(KEYS)
    window.save(str(tmp_path / "keys.pdf"))
    assert (tmp_path / "keys.pdf").read_bytes().startswith(b"%PDF")
    assert window.message.full_text.startswith("Saved: ")
    window.save(str(tmp_path / "no" / "such" / "keys.pdf"))
    assert "does not exist" in window.message.full_text
    (tmp_path / "notes.md").write_text("mine")
    window.save(str(tmp_path / "notes.md"))
    assert "is not a PDF" in window.message.full_text
    assert (tmp_path / "notes.md").read_text() == "mine"
