"""Prompt text with line numbers: the editor, and its changes against the level below."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QRegularExpression, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from core.presentation.dialog_model import PromptDiffRow
from core.presentation.model import FATES
from core.settings.prompts.placeholders import PLACEHOLDERS
from gui.widgets.theme import blend_colours, current_theme, mono_font_for

_LEFT, _RIGHT, _TOP, _END = 12, 14, 6, 6
_TAG_COLOUR = FATES.index("summarised")
_MARKED = QRegularExpression(
    r"\{([a-z][a-z0-9_]*)\}|</?[A-Za-z][\w-]*[ \t]*/?>",
    QRegularExpression.PatternOption.UseUnicodePropertiesOption,
)
_SHARE = {True: 0.22, False: 0.13}
"""The share of the tone's colour in the ground of a changed line, in dark themes and in light
ones."""


class PromptHighlighter(QSyntaxHighlighter):
    """Highlights tags, placeholders and unknown placeholders."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._tag, self._placeholder, self._unknown = (
            QTextCharFormat(),
            QTextCharFormat(),
            QTextCharFormat(),
        )
        self._unknown.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)

    def follow_theme(self) -> None:
        theme = current_theme()
        self._tag.setForeground(theme.fate_text[_TAG_COLOUR])
        self._placeholder.setForeground(theme.accent_text)
        self._unknown.setForeground(theme.warn)
        self._unknown.setUnderlineColor(theme.warn)
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        matches = _MARKED.globalMatch(text)
        while matches.hasNext():
            match = matches.next()
            name = match.captured(1)
            marked = self._placeholder if name in PLACEHOLDERS else self._unknown
            self.setFormat(
                match.capturedStart(), match.capturedLength(), marked if name else self._tag
            )


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
    """Plain text in the code font, wrapped, with a gutter. ``gutter_texts`` are number and mark of
    a line."""

    text_typed = Signal()  # by the user, not by ``put_text``
    has_marks = False

    def __init__(self, name: str) -> None:
        super().__init__()
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
        self.follow_theme()

    def follow_theme(self) -> None:
        """Paint in the theme's colours; the code font follows the body's size."""
        parent = self.parentWidget()
        font = self.font() if parent is None else parent.font()
        self.setFont(mono_font_for(font))
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self._fit_gutter()
        self._marks.follow_theme()
        self._gutter.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.follow_theme()

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
        most = min(len(old_text), len(text))
        prefix = next((n for n in range(most) if old_text[n] != text[n]), most)
        suffix = next(
            (n for n in range(most - prefix) if old_text[-1 - n] != text[-1 - n]), most - prefix
        )
        cursor = self.textCursor()
        cursor.beginEditBlock()
        cursor.setPosition(_utf16_length(old_text[:prefix]))
        cursor.setPosition(
            _utf16_length(old_text[: len(old_text) - suffix]), QTextCursor.MoveMode.KeepAnchor
        )
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

    def gutter_texts(self, block: QTextBlock) -> tuple[str, str]:
        return str(block.blockNumber() + 1), ""

    def gutter_width(self) -> int:
        """Return the gutter's width in pixels."""
        digits = max(2, len(str(self.blockCount()))) + (2 if self.has_marks else 0)
        return _LEFT + _RIGHT + digits * self.fontMetrics().horizontalAdvance("0")

    def paint_gutter(self, event: QPaintEvent) -> None:
        """Paint number and mark beside each visible line, over the colour of the line."""
        painter, theme = QPainter(self._gutter), current_theme()
        painter.setFont(self.font())
        width, height = self._gutter.width(), self.fontMetrics().height()
        sign = self.fontMetrics().horizontalAdvance("00") if self.has_marks else 0
        block = self.firstVisibleBlock()
        while block.isValid():
            rect = self.blockBoundingGeometry(block).translated(self.contentOffset()).toRect()
            if rect.top() > event.rect().bottom():
                break
            number, mark = self.gutter_texts(block)
            painter.fillRect(
                QRect(0, rect.top(), width, rect.height()), block.blockFormat().background()
            )
            painter.setPen(theme.text3)
            right = Qt.AlignmentFlag.AlignRight
            painter.drawText(0, rect.top(), width - _RIGHT - sign, height, right, number)
            if mark:
                painter.setPen(theme.ok if mark == "+" else theme.error)
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


class ChangesView(CodeView):
    """Read-only; the gutter has the numbers of the new text and a sign at each changed line."""

    has_marks = True

    def __init__(self, name: str) -> None:
        self.lines: tuple[PromptDiffRow, ...] = ()
        super().__init__(name)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)

    def follow_theme(self) -> None:
        super().follow_theme()
        self._paint_backgrounds()

    def show_changes(self, lines: Sequence[PromptDiffRow]) -> None:
        if tuple(lines) != self.lines:
            self.lines = tuple(lines)
            scroll_position = self.verticalScrollBar().value()
            self.put_text("\n".join(line.text for line in self.lines))
            self._paint_backgrounds()
            self._fit_gutter()
            self.verticalScrollBar().setValue(scroll_position)

    def _paint_backgrounds(self) -> None:
        """Paint the grounds of changed lines, and removed lines paler. High contrast only has the
        signs."""
        theme = current_theme()
        share = 0.0 if theme.high_contrast else _SHARE[theme.dark]
        tones = {"+": theme.ok, "-": theme.error}
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        block = self.document().firstBlock()
        for line in self.lines:
            if line.mark in tones:
                background = blend_colours(tones[line.mark], theme.surface, share)
                _paint(block, background, theme.text2 if line.mark == "-" else theme.text)
            block = block.next()
        cursor.endEditBlock()

    def gutter_texts(self, block: QTextBlock) -> tuple[str, str]:
        if block.blockNumber() >= len(self.lines):
            return "", ""
        line = self.lines[block.blockNumber()]
        return line.number, {"+": "+", "-": "−"}.get(line.mark, "")


def _paint(block: QTextBlock, background: QColor, foreground: QColor) -> None:
    cursor = QTextCursor(block)
    block_format, text_format = QTextBlockFormat(), QTextCharFormat()
    block_format.setBackground(background)
    text_format.setForeground(foreground)
    cursor.setBlockFormat(block_format)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.setCharFormat(text_format)


def _utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, as Qt counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
