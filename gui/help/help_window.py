"""The help window: a list of pages with a search field, the page beside them; all keys as a
page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QMarginsF, QTimer
from PySide6.QtGui import QKeySequence, QPageSize, QPdfWriter, QShortcut
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QWidget

from core.common.atomic_file import write_same_type
from core.common.errors import InputError
from core.presentation.help_pages import GROUPS, HelpPage, find_in_help, help_pages, link_target
from gui.actions import ACTIONS
from gui.help.help_text import HelpText
from gui.language import tr
from gui.widgets.basic_widgets import MENU_TITLES, push_button
from gui.widgets.side_dialog import SideDialog, SideList
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.view_layout import row_of

_TYPING_PAUSE_MS = 150
"""Pause in milliseconds after the last key before the list is filtered."""


class HelpWindow(SideDialog):
    """The window of the help. It opens no web page; it copies their addresses."""

    def __init__(self, parent: QWidget, pages: Sequence[HelpPage]) -> None:
        super().__init__(parent, tr("Help"), side_letters=46, size=(1160, 760))
        self._pages = {page.name: page for page in pages}
        self._row_pages: list[
            HelpPage | None
        ] = []  # the page of each row of the list; None for a heading
        self.page, self._history = "", list[str]()
        self._lay_out()
        self._search_timer = QTimer(self, singleShot=True, interval=_TYPING_PAUSE_MS)
        self._search_timer.timeout.connect(self.search)
        self.field.textChanged.connect(self._search_timer.start)
        self.field.returnPressed.connect(self._on_enter)
        self.list.chosen.connect(self._on_row)
        self.text.link_chosen.connect(self.follow)
        self._back.clicked.connect(self.back)
        self.search()

    def _lay_out(self) -> None:
        for keys, slot in (("Alt+Left", self.back), ("Ctrl+F", self._to_field)):
            QShortcut(QKeySequence(keys), self).activated.connect(slot)
        self.field, self.list = (
            QLineEdit(placeholderText=tr("Search all pages")),
            SideList(tr("Pages")),
        )
        self.text, self.message = HelpText(), ElidedLabel("", "secondary")
        self.field.setAccessibleName(tr("Search all pages"))
        self.field.setClearButtonEnabled(True)
        self.side.addLayout(row_of(self.field, margins=(12, 0, 12, 0)))
        self.side.addWidget(self.list, 1)
        self.pane.addWidget(self.text, 1)
        self._back, save, close = (
            push_button(text) for text in (tr("Back"), tr("Save as PDF…"), tr("Close"))
        )
        self._back.setToolTip(tr("Go to the page before (Alt+Left)."))
        save.setToolTip(tr("Write this page to a file that can be printed."))
        save.clicked.connect(self.save_dialog)
        close.clicked.connect(self.close)
        self.foot.addWidget(self._back)
        self.foot.addWidget(self.message, 1)
        for button in (save, close):
            self.foot.addWidget(button)

    def show_page(self, name: str, heading: str = "") -> None:
        """Show a page, from one of its headings; an unknown name changes nothing."""
        if name not in self._pages:
            return
        if self.page and name != self.page:
            self._history.append(self.page)
        self._show(name, heading)

    def _show(self, name: str, heading: str = "") -> None:
        self.page = name
        self._back.setEnabled(bool(self._history))
        self.message.show_text("")
        self.text.show_page(self._pages[name], heading)
        rows = [
            row
            for row, page in enumerate(self._row_pages)
            if page is not None and page.name == name
        ]
        self.list.show_current(rows[0] if rows else -1)

    def back(self) -> None:
        if self._history:
            self._show(self._history.pop())

    def follow(self, link: str) -> None:
        """Show a link's target; a web address is copied, never opened."""
        target = link_target(self.page, link)
        if target is not None and target[0] in self._pages:
            self.show_page(*target)
            return
        QApplication.clipboard().setText(link)
        self.message.show_text(tr("Copied, not opened: {link}").format(link=link))

    def search(self) -> None:
        """List all pages, or those that contain the words in the field."""
        query = self.field.text()
        pages = list(self._pages.values())
        if query.strip():
            self._row_pages = [*find_in_help(pages, query)]
            self.message.show_text("" if self._row_pages else tr("No page holds these words."))
        else:
            self._row_pages, group = [], ""
            for page in pages:
                self._row_pages += [None] if page.group != group else []
                self._row_pages.append(page)
                group = page.group
        following = [*self._row_pages[1:], None][: len(self._row_pages)]
        entries = []
        for one, next_page in zip(self._row_pages, following, strict=True):
            if one:
                entries.append((one.title, "", True))
            else:  # the heading of the group that follows
                entries.append((tr(next_page.group if next_page else ""), "", False))
        names = [page.name if page else "" for page in self._row_pages]
        self.list.show_entries(entries, names.index(self.page) if self.page in names else -1)

    def _on_row(self, row: int) -> None:
        page = self._row_pages[row]
        if page is not None:
            self.show_page(page.name)
            self.text.mark(self.field.text())

    def _on_enter(self) -> None:
        self._search_timer.stop()
        self.search()
        if self.field.text().strip() and self._row_pages:
            self.list.show_current(0)
            self._on_row(0)

    def _to_field(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def save_dialog(self) -> None:
        name = f"foldline-{Path(self.page).stem}.pdf"
        path, _ = QFileDialog.getSaveFileName(self, tr("Save as PDF"), name, "PDF (*.pdf)")
        if path:
            self.save(path)

    def save(self, path: str) -> None:
        """Save the page as a PDF in A4, in the colours of the light theme."""
        buffer = QBuffer()
        buffer.open(QBuffer.OpenModeFlag.WriteOnly)
        writer = QPdfWriter(buffer)
        writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
        writer.setPageMargins(QMarginsF(16, 16, 16, 16))
        writer.setTitle(self._pages[self.page].title)
        self.text.print_page(writer)
        try:
            write_same_type(Path(path), bytes(buffer.data().data()), "PDF")
        except InputError as error:
            self.message.show_text(str(error))
        else:
            self.message.show_text(tr("Saved: {path}").format(path=path))


def help_window_pages() -> tuple[HelpPage, ...]:
    """Return the pages of the help, with that of the keys at the end of the first group."""
    first, *others = pages = help_pages()
    begin = sum(page.group == first.group for page in pages)
    return (first, *others[: begin - 1], keys_page(), *others[begin - 1 :])


KEYS = "keys"
"""The name of the page; it has no file."""
FURTHER_KEYS = (
    ("← →", "Collapse, expand; on a ruler handle: next valid boundary (Shift: ten)"),
    ("Enter", "In the list: show a whole summary, and again less of it"),
    ("Alt+↑ Alt+↓", "In the list: move the cut of the row by a boundary"),
    ("Home End", "On a ruler handle: first and last valid boundary"),
    ("Enter Esc 0", "On the ruler: why the cut is there; put it back while it moves; show all"),
    ("Enter O", "In Losses: the message with the fact, the one that holds it in the result"),
    ("A B", "In Compare: mark the row as A or B; Enter opens it"),
    ("S R", "In Compare: sort by the next column (Shift: the one before); turn the order round"),
    ("← → Space", "In Over time: request by request (Shift: ten); play"),
    ("Home End", "In Over time: first and last request"),
    ("← → ↑ ↓", "In a plot: from point to point; Enter chooses it"),
    ("Esc", "On compared runs: back to the preview"),
    ("Ctrl+F", "In Settings, Sessions and Help: search"),
    ("Ctrl+S", "In the prompts window: save the text"),
    ("Alt+Left", "In Help: the page before"),
)
"""Keys that belong to no action."""


def keys_page() -> HelpPage:
    """Return all keys: menu by menu, then those of single widgets."""
    head = (f"| {tr('Keys')} | {tr('Action')} | {tr('What it does')} |", "| --- | --- | --- |")
    lines = [f"# {tr('Keys')}"]
    for menu in MENU_TITLES:
        rows = [
            (row.keys, tr(row.text), tr(row.tip))
            for row in ACTIONS
            if row.menu == menu and row.keys
        ]
        if rows:
            lines += ["", f"## {tr(menu)}", *head]
            lines += [
                f"| {' · '.join(map(_marked, _names(keys)))} | {text.rstrip('… ')} | {tip} |"
                for keys, text, tip in rows
            ]
    lines += ["", f"## {tr('In one place')}", head[0].replace(tr("Action"), tr("Where")), head[1]]
    lines += [
        f"| {_marked(keys)} | {place} | {tip_text} |"
        for keys, place, tip_text in map(_further_row, FURTHER_KEYS)
    ]
    return HelpPage(KEYS, tr("Keys"), GROUPS[0], "\n".join([*lines, ""]))


def _further_row(row: tuple[str, str]) -> tuple[str, str, str]:
    """Return keys, where they apply, and what they do."""
    keys, text = row[0], tr(row[1])
    place, colon, description = text.partition(":")
    return (
        (keys, place, description.strip()) if colon and place.count(" ") < 4 else (keys, "", text)
    )


def native_keys(keys: tuple[str, ...]) -> str:
    return " · ".join(_names(keys))


def _names(keys: tuple[str, ...]) -> list[str]:
    return [
        QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) or key for key in keys
    ]


def _marked(keys: str) -> str:
    return f"`{keys}`" if "`" not in keys else keys
