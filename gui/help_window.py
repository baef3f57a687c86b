"""The help window: a list of pages with a search field, the page beside them; all keys as a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QBuffer, QEvent, QMarginsF, QPoint, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QFont,
    QImage,
    QKeySequence,
    QPagedPaintDevice,
    QPageSize,
    QPdfWriter,
    QResizeEvent,
    QShortcut,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLineEdit,
    QTextBrowser,
    QWidget,
)

from core.common.atomic_file import write_same_type
from core.common.errors import InputError
from core.common.paths import RESOURCES
from core.presentation.help_pages import (
    GROUPS,
    HelpPage,
    find_in_help,
    heading_anchor,
    help_pages,
    link_target,
)
from gui.actions import ACTIONS
from gui.language import tr
from gui.widgets.basic_widgets import MENU_TITLES, push_button
from gui.widgets.side_dialog import SideDialog, SideList
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import current_theme, mono_font, resized_font, theme
from gui.widgets.view_layout import row_of

_MARGIN = 20
_SECTION, _GAP, _LEADING = 16, 8, 115
_HEADINGS = {1: 20, 2: 16, 3: 13}
_KEY_COLUMNS = 18, 26, 56
"""Shares in percent of the columns of tables of keys."""
_PICTURES = RESOURCES / "pictures"
_SMOOTH = Qt.TransformationMode.SmoothTransformation


class HelpText(QTextBrowser):
    """Shows a page. It follows no link itself: ``link_chosen`` emits the activated one."""

    link_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._page = HelpPage("", "", "", "")
        self._theme = current_theme()
        self.setOpenLinks(False)
        # a scroll bar that appears and disappears
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        # would change the width that the page's pictures were scaled to
        self.setProperty("role", "reader")
        self.document().setDocumentMargin(_MARGIN)
        self.anchorClicked.connect(self._on_link)

    def changeEvent(self, event: QEvent) -> None:
        """Render the page again in the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._theme = current_theme()
            self._fill()

    def show_page(self, page: HelpPage, heading: str = "") -> None:
        """Show a page from its beginning, or from one of its headings."""
        if page != self._page:
            self._page = page
            self._fill()
        self.setAccessibleName(page.title)
        self.verticalScrollBar().setValue(0)
        self.moveCursor(QTextCursor.MoveOperation.Start)
        if heading:
            self._scroll_to(heading)

    def mark(self, query: str) -> None:
        """Select the first occurrence of a word and scroll to it."""
        self.moveCursor(QTextCursor.MoveOperation.Start)
        words = query.split()
        if words:
            self.find(words[0])

    def print_page(self, paper: QPagedPaintDevice) -> None:
        self._theme = theme("light")
        self._fill()
        self.document().print_(paper)
        self._theme = current_theme()
        self._fill()

    def _fill(self) -> None:
        """Render the page again; the text at the top of the view stays there."""
        top = self.cursorForPosition(QPoint(0, 0)).position()
        self._set_document()
        self._scroll_to_position(top)

    def _set_document(self) -> None:
        document = self.document()
        document.clear()
        document.setDefaultFont(self.font())
        document.setMarkdown(
            self._page.text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub
        )
        cursor = QTextCursor(document)
        cursor.beginEditBlock()  # otherwise the page is laid out again for every piece
        block = document.begin()
        while block.isValid():
            self._style(block)
            block = block.next()
        tables = [
            frame
            for frame in document.rootFrame().childFrames()
            if isinstance(frame, QTextTable)
        ]
        for table in tables:
            self._style_table(table)
        cursor.endEditBlock()

    def _style_code(self, shape: QTextBlockFormat, *, is_last: bool) -> None:
        shape.setBottomMargin(_GAP if is_last else 0)
        shape.setBackground(self._theme.surface2)
        shape.setLeftMargin(8)
        shape.setNonBreakableLines(False)

    def _style(self, block: QTextBlock) -> None:
        """Apply the window's heading sizes, code font and ground, and link colour."""
        cursor = QTextCursor(block)
        shape = block.blockFormat()
        level = shape.headingLevel()
        is_code = _is_code(block)
        in_table = cursor.currentTable() is not None
        if level:
            shape.setTopMargin(0 if block.position() == 0 else _SECTION)
        if not (is_code or in_table):
            shape.setBottomMargin(_GAP if block.textList() is None else _GAP // 2)
        if not (is_code or in_table or _has_picture(block)):
            shape.setLineHeight(
                _LEADING, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
            )
        if is_code:
            self._style_code(shape, is_last=not _is_code(block.next()))
        cursor.setBlockFormat(shape)
        for start, length, text_format in _fragments(block):
            cursor.setPosition(start)
            cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(self._format(text_format, level, is_code))

    def _format(
        self, original: QTextCharFormat, level: int, is_code: bool
    ) -> QTextCharFormat:
        text_format = QTextCharFormat()
        if level:
            size = _HEADINGS.get(level, 13)
        else:
            size = 13
        if is_code or original.fontFixedPitch():
            text_format.setFont(self._scaled(mono_font(), 12))
        else:
            bold = bool(level) or original.fontWeight() > QFont.Weight.Medium
            font = self._scaled(self.font(), size)
            font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
            font.setItalic(original.fontItalic())
            text_format.setFont(font)
        if original.isAnchor():
            text_format.setForeground(self._theme.accent_text)
            text_format.setFontUnderline(True)
        else:
            text_format.setForeground(self._theme.text)
        return text_format

    def _scaled(self, font: QFont, size: int) -> QFont:
        """Return the font at one of the theme's sizes, with the zoom of the window."""
        result = QFont(font)
        result.setPixelSize(resized_font(self.font(), size).pixelSize())
        return result

    def _style_table(self, table: QTextTable) -> None:
        header_cells = [
            table.cellAt(0, column).firstCursorPosition()
            for column in range(table.columns())
        ]
        if not any(head.block().text() for head in header_cells):
            table.removeRows(
                0, 1
            )  # Markdown requires a head even where a table has none
        shape = table.format()
        if header_cells[0].block().text() == tr("Keys"):  # one such table for each menu
            percent = QTextLength.Type.PercentageLength
            shape.setColumnWidthConstraints(
                [QTextLength(percent, share) for share in _KEY_COLUMNS]
            )
        shape.setBorderBrush(self._theme.hairline)
        shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        shape.setBorderCollapse(True)
        shape.setBorder(1)
        shape.setCellPadding(4)
        shape.setCellSpacing(0)
        shape.setBottomMargin(8)
        shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        table.setFormat(shape)

    def _scroll_to(self, heading: str) -> None:
        block = self.document().begin()
        while block.isValid():
            if (
                block.blockFormat().headingLevel()
                and heading_anchor(block.text()) == heading
            ):
                self._scroll_to_position(block.position())
                return
            block = block.next()

    def _scroll_to_position(self, position: int) -> None:
        # coming from the end, the view stops as soon as the position is visible
        self.moveCursor(QTextCursor.MoveOperation.End)
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(position, self.document().characterCount() - 1))
        self.setTextCursor(cursor)
        if not position:
            self.verticalScrollBar().setValue(
                0
            )  # including the margin above the first line

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Pictures of the help, no wider than the page; nothing else is ever loaded."""
        file = _PICTURES / QUrl(name).fileName()
        if kind != QTextDocument.ResourceType.ImageResource.value or not file.is_file():
            return None
        image = QImage(str(file))
        max_width = max(200, self.viewport().width() - 2 * _MARGIN)
        if image.width() > max_width:
            return image.scaledToWidth(max_width, _SMOOTH)
        return image

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width() and "![" in self._page.text:
            self._fill()

    def _on_link(self, url: QUrl) -> None:
        self.link_chosen.emit(url.toString())


def _is_code(block: QTextBlock) -> bool:
    return block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence)


def _has_picture(block: QTextBlock) -> bool:
    return any(text_format.isImageFormat() for _, _, text_format in _fragments(block))


def _fragments(block: QTextBlock) -> list[tuple[int, int, QTextCharFormat]]:
    fragments = []
    iterator = block.begin()
    while not iterator.atEnd():
        piece = iterator.fragment()
        fragments.append((piece.position(), piece.length(), piece.charFormat()))
        iterator += 1
    return fragments


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
        self.page = ""
        self._history = list[str]()
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
        self.field = QLineEdit(placeholderText=tr("Search all pages"))
        self.list = SideList(tr("Pages"))
        self.text = HelpText()
        self.message = ElidedLabel("", "secondary")
        self.field.setAccessibleName(tr("Search all pages"))
        self.field.setClearButtonEnabled(True)
        self.side.addLayout(row_of(self.field, margins=(12, 0, 12, 0)))
        self.side.addWidget(self.list, 1)
        self.pane.addWidget(self.text, 1)
        self._back = push_button(tr("Back"))
        save = push_button(tr("Save as PDF…"))
        self._back.setToolTip(tr("Go to the page before (Alt+Left)."))
        save.setToolTip(tr("Write this page to a file that can be printed."))
        save.clicked.connect(self.save_dialog)
        self.foot.addWidget(self._back)
        self.foot.addWidget(self.message, 1)
        self.add_buttons(save)

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
            self.message.show_text(
                "" if self._row_pages else tr("No page holds these words.")
            )
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
        self.list.show_entries(
            entries, names.index(self.page) if self.page in names else -1
        )

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
        path, _ = QFileDialog.getSaveFileName(
            self, tr("Save as PDF"), name, "PDF (*.pdf)"
        )
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
    (
        "Enter Esc 0",
        "On the ruler: why the cut is there; put it back while it moves; show all",
    ),
    (
        "Enter O",
        "In Losses: the message with the fact, the one that holds it in the result",
    ),
    ("A B", "In Compare: mark the row as A or B; Enter opens it"),
    (
        "S R",
        "In Compare: sort by the next column (Shift: the one before); turn the order round",
    ),
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
    head = (
        f"| {tr('Keys')} | {tr('Action')} | {tr('What it does')} |",
        "| --- | --- | --- |",
    )
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
    lines += [
        "",
        f"## {tr('In one place')}",
        head[0].replace(tr("Action"), tr("Where")),
        head[1],
    ]
    lines += [
        f"| {_marked(keys)} | {place} | {tip_text} |"
        for keys, place, tip_text in map(_further_row, FURTHER_KEYS)
    ]
    return HelpPage(KEYS, tr("Keys"), GROUPS[0], "\n".join([*lines, ""]))


def _further_row(row: tuple[str, str]) -> tuple[str, str, str]:
    """Return keys, where they apply, and what they do."""
    keys = row[0]
    text = tr(row[1])
    place, colon, description = text.partition(":")
    if colon and place.count(" ") < 4:
        return (keys, place, description.strip())
    return (keys, "", text)


def native_keys(keys: tuple[str, ...]) -> str:
    return " · ".join(_names(keys))


def _names(keys: tuple[str, ...]) -> list[str]:
    return [
        QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) or key
        for key in keys
    ]


def _marked(keys: str) -> str:
    if "`" not in keys:
        return f"`{keys}`"
    return keys
