"""Renders a page of the help: styled Markdown, pictures, links."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QPoint, Qt, QUrl, Signal
from PySide6.QtGui import (
    QFont,
    QImage,
    QPagedPaintDevice,
    QResizeEvent,
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
from PySide6.QtWidgets import QTextBrowser

from core.common.paths import RESOURCES
from core.presentation.help_pages import HelpPage, heading_anchor
from gui.language import tr
from gui.widgets.theme import current_theme, mono_font, resized_font, theme

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
        document.setMarkdown(self._page.text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
        cursor = QTextCursor(document)
        cursor.beginEditBlock()  # otherwise the page is laid out again for every piece
        block = document.begin()
        while block.isValid():
            self._style(block)
            block = block.next()
        tables = [
            frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable)
        ]
        for table in tables:
            self._style_table(table)
        cursor.endEditBlock()

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
            shape.setLineHeight(_LEADING, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        if is_code:
            shape.setBottomMargin(0 if _is_code(block.next()) else _GAP)
            shape.setBackground(self._theme.surface2)
            shape.setLeftMargin(8)
            shape.setNonBreakableLines(False)
        cursor.setBlockFormat(shape)
        for start, length, text_format in _fragments(block):
            cursor.setPosition(start)
            cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(self._format(text_format, level, is_code))

    def _format(self, original: QTextCharFormat, level: int, is_code: bool) -> QTextCharFormat:
        text_format = QTextCharFormat()
        size = _HEADINGS.get(level, 13) if level else 13
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
            table.cellAt(0, column).firstCursorPosition() for column in range(table.columns())
        ]
        if not any(head.block().text() for head in header_cells):
            table.removeRows(0, 1)  # Markdown requires a head even where a table has none
        shape = table.format()
        if header_cells[0].block().text() == tr("Keys"):  # one such table for each menu
            percent = QTextLength.Type.PercentageLength
            shape.setColumnWidthConstraints([QTextLength(percent, share) for share in _KEY_COLUMNS])
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
            if block.blockFormat().headingLevel() and heading_anchor(block.text()) == heading:
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
            self.verticalScrollBar().setValue(0)  # including the margin above the first line

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Pictures of the help, no wider than the page; nothing else is ever loaded."""
        file = _PICTURES / QUrl(name).fileName()
        if kind != QTextDocument.ResourceType.ImageResource.value or not file.is_file():
            return None
        image = QImage(str(file))
        max_width = max(200, self.viewport().width() - 2 * _MARGIN)
        return image.scaledToWidth(max_width, _SMOOTH) if image.width() > max_width else image

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
    fragments, iterator = [], block.begin()
    while not iterator.atEnd():
        piece = iterator.fragment()
        fragments.append((piece.position(), piece.length(), piece.charFormat()))
        iterator += 1
    return fragments
