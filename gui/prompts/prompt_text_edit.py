"""Prompt text with line numbers: the editor, and the base of the changes view."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontInfo, QPainter, QPaintEvent, QResizeEvent, QTextBlock, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from gui.prompts.highlighter import PromptHighlighter
from gui.widgets.theme import SECONDARY, Theme, mono_font, resized_font, theme

_LEFT, _RIGHT, _TOP, _END = 12, 14, 6, 6


class CodeGutter(QWidget):
    """The column left of the text; its view paints it."""

    def __init__(self, view: CodeView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self) -> QSize:
        return QSize(self._view.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._view.paint_gutter(event)


class CodeView(QPlainTextEdit):
    """Plain text in the code font, wrapped, with a gutter. ``gutter_texts`` are number and mark of a line."""

    text_typed = Signal()  # by the user, not by ``put_text``

    def __init__(self, name: str) -> None:
        super().__init__()
        self._theme = theme("light")
        self._is_putting = False
        self._last_text = ""  # highlighting emits textChanged too; only another text counts
        self._gutter = CodeGutter(self)
        self._marks = PromptHighlighter(self.document())
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "reader")
        self.document().setDocumentMargin(0)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.blockCountChanged.connect(self._fit_gutter)
        self.updateRequest.connect(self._on_update)
        self.textChanged.connect(self._on_text)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours; the code font follows the body's size."""
        self._theme = theme
        self._fit_font()
        self._marks.set_theme(theme)
        self._gutter.update()

    def _fit_font(self) -> None:
        parent = self.parentWidget()
        size = QFontInfo(
            resized_font(self.font() if parent is None else parent.font(), SECONDARY)
        ).pixelSize()
        self.setFont(mono_font(size=size))
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self._fit_gutter()

    @property
    def text(self) -> str:
        """The text; unlike ``toPlainText`` with its no-break spaces."""
        return self.document().toRawText().replace("\u2029", "\n")

    def put_text(self, text: str, *, undoable: bool = False) -> None:
        """Show another text. ``undoable``: as an edit of the differing part; the cursor stays."""
        self._is_putting = True
        if undoable:
            self._edit_to(text)
        elif text != self.text:
            self.setPlainText(text)
        self._is_putting, self._last_text = False, self.text

    def _edit_to(self, text: str) -> None:
        old_text = self.text
        prefix = 0
        for left, right in zip(old_text, text, strict=False):
            if left != right:
                break
            prefix += 1
        suffix, max_suffix = 0, min(len(old_text), len(text)) - prefix
        while suffix < max_suffix and old_text[-1 - suffix] == text[-1 - suffix]:
            suffix += 1
        cursor = self.textCursor()
        cursor.beginEditBlock()
        cursor.setPosition(_utf16_length(old_text[:prefix]))
        cursor.setPosition(_utf16_length(old_text[: len(old_text) - suffix]), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(text[prefix : len(text) - suffix])
        cursor.endEditBlock()
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def go_to_line(self, line: int) -> None:
        """Put the cursor on a line, from 1, and centre it."""
        block = self.document().findBlockByNumber(line - 1)
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
            self.centerCursor()
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def line(self) -> int:
        """The line of the cursor, from 1."""
        return self.textCursor().blockNumber() + 1

    # The gutter

    def gutter_texts(self, block: QTextBlock) -> tuple[str, str]:
        return str(block.blockNumber() + 1), ""

    def widest_number(self) -> int:
        return self.blockCount()

    def has_marks(self) -> bool:
        return False

    def gutter_width(self) -> int:
        """Return the gutter's width in pixels."""
        digits = max(2, len(str(self.widest_number()))) + (2 if self.has_marks() else 0)
        return _LEFT + _RIGHT + digits * self.fontMetrics().horizontalAdvance("0")

    def paint_gutter(self, event: QPaintEvent) -> None:
        """Paint number and mark beside each visible line, over the colour of the line."""
        painter = QPainter(self._gutter)
        painter.setFont(self.font())
        width, height = self._gutter.width(), self.fontMetrics().height()
        sign = self.fontMetrics().horizontalAdvance("00") if self.has_marks() else 0
        block = self.firstVisibleBlock()
        while block.isValid():
            rect = self.blockBoundingGeometry(block).translated(self.contentOffset()).toRect()
            if rect.top() > event.rect().bottom():
                break
            number, mark = self.gutter_texts(block)
            painter.fillRect(QRect(0, rect.top(), width, rect.height()), block.blockFormat().background())
            painter.setPen(self._theme.text3)
            right = Qt.AlignmentFlag.AlignRight
            painter.drawText(0, rect.top(), width - _RIGHT - sign, height, right, number)
            if mark:
                painter.setPen(self._theme.ok if mark == "+" else self._theme.error)
                painter.drawText(0, rect.top(), width - _RIGHT, height, right, mark)
            block = block.next()
        painter.end()

    def _fit_gutter(self) -> None:
        self.setViewportMargins(self.gutter_width(), _TOP, _END, 0)
        self._place_gutter()

    def _place_gutter(self) -> None:
        inside = self.contentsRect()
        top, height = inside.top() + _TOP, inside.height() - _TOP
        self._gutter.setGeometry(inside.left(), top, self.gutter_width(), height)

    def _on_update(self, rect: QRect, moved: int) -> None:
        if moved:
            self._gutter.scroll(0, moved)
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def _on_text(self) -> None:
        if not self._is_putting and (text := self.text) != self._last_text:
            self._last_text = text
            self.text_typed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_gutter()

    def set_editable(self, editable: bool) -> None:
        if self.isReadOnly() == editable:
            flag = Qt.TextInteractionFlag
            selectable = flag.TextSelectableByMouse | flag.TextSelectableByKeyboard
            self.setReadOnly(not editable)
            self.setTextInteractionFlags(flag.TextEditorInteraction if editable else selectable)


def _utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, as Qt counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
