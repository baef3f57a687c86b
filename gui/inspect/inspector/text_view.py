"""A view of long plain text that never blocks: it inserts text in pieces and lays out visible lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextDocumentLayout, QPlainTextEdit, QWidget

PIECE, LINE = 4_000, 4_000
"""Characters inserted at once; longer lines are broken, because a line is always laid out as a whole."""
BUDGET_S = 0.005
"""Seconds per turn of the event loop for inserting text."""
_HEADING = 1
_MARGIN = 10


@dataclass(frozen=True, slots=True)
class TextRun:
    """Text in one format. ``heading`` draws a hairline above."""

    text: str
    format: QTextCharFormat
    heading: bool = False


def text_chunks(text: str) -> Iterator[str]:
    """Yield the text in short pieces, with lines longer than 4,000 characters broken."""
    column = 0
    for start in range(0, len(text), PIECE):
        piece = text[start : start + PIECE]
        newline = piece.find("\n")
        if column + (len(piece) if newline < 0 else newline) > LINE:
            cut = LINE - column
            piece = f"{piece[:cut]}\n{piece[cut:]}"
        last = piece.rfind("\n")
        column = column + len(piece) if last < 0 else len(piece) - last - 1
        yield piece


def _stream(runs: Sequence[TextRun]) -> Iterator[tuple[str, QTextCharFormat, bool]]:
    for run in runs:
        for number, piece in enumerate(text_chunks(run.text)):
            yield piece, run.format, run.heading and not number


class TextReader(QPlainTextEdit):
    """Read-only text. ``filled`` is emitted when the last piece is inserted."""

    filled = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "reader")
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._hairline = QColor()
        self._document: QTextDocument | None = None
        self._stream: Iterator[tuple[str, QTextCharFormat, bool]] = iter(())
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._fill)
        self._renew()

    @property
    def is_filling(self) -> bool:
        return self._timer.isActive()

    def set_hairline(self, colour: QColor) -> None:
        self._hairline = colour
        self.viewport().update()

    def set_wrapped(self, wrapped: bool) -> None:
        mode = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(mode.WidgetWidth if wrapped else mode.NoWrap)

    def show_runs(self, runs: Sequence[TextRun]) -> None:
        """Show these runs instead of the previous text, from the top."""
        self._stream = _stream(runs)
        self._renew()
        self._timer.start()
        self._fill()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _renew(self) -> None:
        """Use a new document: emptying a long one takes as long as filling it."""
        old, document = self._document, QTextDocument(self)
        document.setDocumentLayout(QPlainTextDocumentLayout(document))
        document.setUndoRedoEnabled(False)
        document.setDefaultFont(self.font())
        document.setDocumentMargin(_MARGIN)
        option = document.defaultTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(option)
        self.setDocument(document)
        self._document = document
        if old is not None:
            old.deleteLater()

    def _fill(self) -> None:
        cursor, until = QTextCursor(self.document()), perf_counter() + BUDGET_S
        cursor.movePosition(QTextCursor.MoveOperation.End)
        for piece, look, is_heading in self._stream:
            if is_heading:
                cursor.block().setUserState(_HEADING)
            cursor.insertText(piece, look)
            if perf_counter() > until:
                return
        self._timer.stop()
        self.filled.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the text, and hairlines above the visible headings."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        block = self.firstVisibleBlock()
        while block.isValid():
            top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
            if top > self.viewport().height():
                break
            if block.userState() == _HEADING and block.blockNumber():
                gap = self._gap_above(block)
                painter.fillRect(QRectF(0, top - gap, self.viewport().width(), 1), self._hairline)
            block = block.next()
        painter.end()

    def _gap_above(self, block: QTextBlock) -> float:
        return self.blockBoundingGeometry(block.previous()).height() / 2
