"""A view of long plain text that never blocks: it inserts text in pieces and lays out visible
lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextDocumentLayout, QPlainTextEdit

from core.presentation.inspector_model import BodyBlock, MessageBody, MessageChanges
from core.presentation.model import FATES
from gui.widgets.theme import SECONDARY, current_theme, mono_font_for, resized_font

CHUNK_CHARS, MAX_LINE_CHARS = 4_000, 4_000
"""Characters inserted at once; longer lines are broken, because a line is always laid out as a
whole."""
BUDGET_S = 0.005
"""Seconds per turn of the event loop for inserting text."""
HEADING_STATE = 1
_MARGIN = 10
_EDITED, _PRUNED = FATES.index("edited"), FATES.index("pruned")


@dataclass(frozen=True, slots=True)
class TextRun:
    """Text in one format. ``heading`` draws a hairline above."""

    text: str
    format: QTextCharFormat
    heading: bool = False


def text_chunks(text: str) -> Iterator[str]:
    """Yield the text in short pieces, with lines longer than 4,000 characters broken."""
    column = 0
    for start in range(0, len(text), CHUNK_CHARS):
        chunk = text[start : start + CHUNK_CHARS]
        newline = chunk.find("\n")
        if column + (len(chunk) if newline < 0 else newline) > MAX_LINE_CHARS:
            space = MAX_LINE_CHARS - column
            chunk = f"{chunk[:space]}\n{chunk[space:]}"
        last = chunk.rfind("\n")
        column = column + len(chunk) if last < 0 else len(chunk) - last - 1
        yield chunk


def _run_chunks(runs: Sequence[TextRun]) -> Iterator[tuple[str, QTextCharFormat, bool]]:
    for run in runs:
        for number, chunk in enumerate(text_chunks(run.text)):
            yield chunk, run.format, run.heading and not number


class TextReader(QPlainTextEdit):
    """Read-only text. ``filled`` is emitted when the last piece is inserted."""

    filled = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "reader")
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._document: QTextDocument | None = None
        self._pending_chunks: Iterator[tuple[str, QTextCharFormat, bool]] = iter(())
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._fill)
        self._replace_document()

    @property
    def is_filling(self) -> bool:
        return self._timer.isActive()

    def set_wrapped(self, wrapped: bool) -> None:
        mode = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(mode.WidgetWidth if wrapped else mode.NoWrap)

    def show_runs(self, runs: Sequence[TextRun]) -> None:
        """Show these runs instead of the previous text, from the top."""
        self._pending_chunks = _run_chunks(runs)
        self._replace_document()
        self._timer.start()
        self._fill()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _replace_document(self) -> None:
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
        cursor, deadline = QTextCursor(self.document()), perf_counter() + BUDGET_S
        cursor.movePosition(QTextCursor.MoveOperation.End)
        for chunk, char_format, is_heading in self._pending_chunks:
            if is_heading:
                cursor.block().setUserState(HEADING_STATE)
            cursor.insertText(chunk, char_format)
            if perf_counter() > deadline:
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
            if block.userState() == HEADING_STATE and block.blockNumber():
                gap = self.blockBoundingGeometry(block.previous()).height() / 2
                painter.fillRect(
                    QRectF(0, top - gap, self.viewport().width(), 1), current_theme().hairline
                )
            block = block.next()
        painter.end()


_LABELLED_KINDS = ("call", "response")
"""Kinds written before the title; the titles of the others already say the kind."""


def char_format(font: QFont, colour: QColor, background: QColor | None = None) -> QTextCharFormat:
    result = QTextCharFormat()
    result.setFont(font)
    result.setForeground(colour)
    if background is not None:
        result.setBackground(background)
    return result


def block_runs(body: MessageBody, font: QFont) -> list[TextRun]:
    """Return all blocks with their headings, separated by empty lines."""
    runs: list[TextRun] = []
    for number, block in enumerate(body.blocks):
        if number:
            runs.append(TextRun("\n\n", char_format(font, current_theme().text)))
        parts = _heading(block, font) + _text(block, font)
        if number and parts:
            parts[0] = replace(parts[0], heading=True)
        runs += parts
    return runs


def _heading(block: BodyBlock, font: QFont) -> list[TextRun]:
    theme, small_font, runs = current_theme(), resized_font(font, SECONDARY), []
    if block.kind in _LABELLED_KINDS:
        runs.append(TextRun(f"{block.kind}  ", char_format(small_font, theme.text3)))
    if block.error:
        runs.append(
            TextRun("error  ", char_format(resized_font(font, SECONDARY, bold=True), theme.error))
        )
    if block.kind == "media":
        runs.append(
            TextRun(f" {block.title} ", char_format(small_font, theme.text2, theme.selection))
        )
    elif block.title:
        is_name = block.kind in _LABELLED_KINDS
        title_font = mono_font_for(font, bold=True) if is_name else small_font
        runs.append(
            TextRun(block.title, char_format(title_font, theme.text if is_name else theme.text3))
        )
    if runs and block.text:
        runs.append(TextRun("\n", char_format(small_font, theme.text)))
    return runs


def _text(block: BodyBlock, font: QFont) -> list[TextRun]:
    if not block.text:
        return []
    colour = current_theme().text3 if block.kind == "thinking" else current_theme().text
    return [TextRun(block.text, char_format(mono_font_for(font) if block.mono else font, colour))]


def text_runs(body: MessageBody, font: QFont) -> list[TextRun]:
    """Return the texts of all blocks, headed by the tool's name where a tool was called or
    answers."""
    runs: list[TextRun] = []
    for block in body.blocks:
        if parts := _tool_name(block, font) + _text(block, font):
            runs += (
                [TextRun("\n\n", char_format(font, current_theme().text)), *parts]
                if runs
                else parts
            )
    return runs or block_runs(body, font)


def _tool_name(block: BodyBlock, font: QFont) -> list[TextRun]:
    name = block.title.partition(" · ")[0] if block.kind in _LABELLED_KINDS and block.text else ""
    return (
        [TextRun(f"{name}\n", char_format(mono_font_for(font, bold=True), current_theme().text))]
        if name
        else []
    )


_CHANGE_MARKS = {
    "added": "+ ",
    "removed": "− ",
    "found": "✓ ",
    "reworded": "~ ",
    "gone": "✕ ",
    "nearest": "    ",
}
"""What stands before a line of what changed."""


def change_runs(changes: MessageChanges, font: QFont) -> list[TextRun]:
    """Return what became of a message: lines that went and came, or what the summary holds of
    it."""
    theme, runs, mono = current_theme(), list[TextRun](), mono_font_for(font)
    inks = {"note": theme.text2, "same": theme.text2, "nearest": theme.text2}
    grounds = {"added": theme.fate_tint[_EDITED], "removed": theme.fate_tint[_PRUNED]}
    marks = {"found": theme.ok, "reworded": theme.warn, "gone": theme.error}
    for number, line in enumerate(changes.lines):
        face = mono if line.kind in ("added", "removed", "same") else font
        if line.kind == "head":
            face = resized_font(font, SECONDARY, bold=True)
        look = char_format(face, inks.get(line.kind, theme.text), grounds.get(line.kind))
        end = "\n" if number < len(changes.lines) - 1 else ""
        if line.kind == "head" and number:  # the empty line has room for the hairline
            runs.append(TextRun("\n", look))
        mark, text = _CHANGE_MARKS.get(line.kind, ""), f"{line.text}{end}"
        if mark:
            ink, ground = marks.get(line.kind, theme.text), grounds.get(line.kind)
            runs.append(TextRun(mark, char_format(face, ink, ground)))
        runs += (
            _found_runs(text, line.found, look)
            if line.found
            else [TextRun(text, look, line.kind == "head")]
        )
    return runs


def _found_runs(
    text: str, found: Sequence[tuple[int, int]], look: QTextCharFormat
) -> Iterator[TextRun]:
    """Yield a text with what was found again underlined."""
    marked, at = QTextCharFormat(look), 0
    marked.setFontUnderline(True)
    marked.setForeground(current_theme().text)
    for start, end in found:
        yield from (TextRun(text[at:start], look),) if start > at else ()
        yield TextRun(text[start:end], marked)
        at = end
    yield TextRun(text[at:], look)


def raw_runs(raw: str, font: QFont) -> list[TextRun]:
    """Return the JSON of a message in the code font."""
    return [TextRun(raw, char_format(mono_font_for(font), current_theme().text2))]
