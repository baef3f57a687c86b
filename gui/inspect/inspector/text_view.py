"""A view of long plain text that never blocks: it inserts text in pieces and lays out visible
lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer, Signal
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
from PySide6.QtWidgets import (
    QFrame,
    QPlainTextDocumentLayout,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from core.presentation.inspector_model import (
    BodyBlock,
    MessageBody,
    MessageChanges,
    SentenceRow,
    SummaryPage,
    TextSpan,
)
from core.presentation.model import EDITED, PRUNED
from gui.inspect.lists.row_parts import match_colour
from gui.language import tr
from gui.widgets.text_labels import SpanText
from gui.widgets.theme import SECONDARY, current_theme, mono_font_for, resized_font
from gui.widgets.view_layout import row_of

CHUNK_CHARS, MAX_LINE_CHARS = 4_000, 4_000
"""Characters inserted at once; longer lines are broken, because a line is always laid out as a
whole."""
BUDGET_S = 0.005
"""Seconds per turn of the event loop for inserting text."""
HEADING_STATE = 1
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
    for start in range(0, len(text), CHUNK_CHARS):
        chunk = text[start : start + CHUNK_CHARS]
        newline = chunk.find("\n")
        # Qt lays out a line as a whole: a long one stops the window for seconds.
        if column + (len(chunk) if newline < 0 else newline) > MAX_LINE_CHARS:
            space = MAX_LINE_CHARS - column
            chunk = f"{chunk[:space]}\n{chunk[space:]}"
        last = chunk.rfind("\n")
        if last < 0:
            column = column + len(chunk)
        else:
            column = len(chunk) - last - 1
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
        # Tab leaves the text; nothing can be written here.
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "reader")
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._document: QTextDocument | None = None
        self._pending_chunks: Iterator[tuple[str, QTextCharFormat, bool]] = iter(())
        # An interval of 0 lets events pass between two pieces.
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
        # The first piece at once, so that a short text does not flicker.
        self._timer.start()
        self._fill()
        # Filling moves the cursor of the document, and the view with it.
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _replace_document(self) -> None:
        """Use a new document: emptying a long one takes as long as filling it."""
        old = self._document
        document = QTextDocument(self)
        # QPlainTextEdit works with this layout only and warns of others.
        document.setDocumentLayout(QPlainTextDocumentLayout(document))
        # Each inserted piece would be kept for an undo.
        document.setUndoRedoEnabled(False)
        document.setDefaultFont(self.font())
        document.setDocumentMargin(_MARGIN)
        option = document.defaultTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(option)
        self.setDocument(document)
        self._document = document
        # Probably a paint under way may still use the old document.
        if old is not None:
            old.deleteLater()

    def _fill(self) -> None:
        cursor = QTextCursor(self.document())
        deadline = perf_counter() + BUDGET_S
        cursor.movePosition(QTextCursor.MoveOperation.End)
        for chunk, char_format, is_heading in self._pending_chunks:
            if is_heading:
                cursor.block().setUserState(HEADING_STATE)
            cursor.insertText(chunk, char_format)
            # Checked after each piece: one piece takes less than the budget.
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
            top = (
                self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
            )
            if top > self.viewport().height():
                break
            # The first heading has nothing above it to be parted from.
            if block.userState() == HEADING_STATE and block.blockNumber():
                gap = self.blockBoundingGeometry(block.previous()).height() / 2
                painter.fillRect(
                    QRectF(0, top - gap, self.viewport().width(), 1),
                    current_theme().hairline,
                )
            block = block.next()
        painter.end()


_LABELLED_KINDS = ("call", "response")
"""Kinds written before the title; the titles of the others already say the kind."""


def char_format(
    font: QFont, colour: QColor, background: QColor | None = None
) -> QTextCharFormat:
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
    theme = current_theme()
    small_font = resized_font(font, SECONDARY)
    runs = []
    if block.kind in _LABELLED_KINDS:
        runs.append(TextRun(f"{block.kind}  ", char_format(small_font, theme.text3)))
    if block.error:
        runs.append(
            TextRun(
                "error  ",
                char_format(resized_font(font, SECONDARY, bold=True), theme.error),
            )
        )
    if block.kind == "media":
        runs.append(
            TextRun(
                f" {block.title} ",
                char_format(small_font, theme.text2, theme.selection),
            )
        )
    elif block.title:
        is_name = block.kind in _LABELLED_KINDS
        if is_name:
            title_font = mono_font_for(font, bold=True)
        else:
            title_font = small_font
        runs.append(
            TextRun(
                block.title,
                char_format(title_font, theme.text if is_name else theme.text3),
            )
        )
    if runs and block.text:
        runs.append(TextRun("\n", char_format(small_font, theme.text)))
    return runs


def _text(block: BodyBlock, font: QFont) -> list[TextRun]:
    if not block.text:
        return []
    if block.kind == "thinking":
        colour = current_theme().text3
    else:
        colour = current_theme().text
    return [
        TextRun(
            block.text, char_format(mono_font_for(font) if block.mono else font, colour)
        )
    ]


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
    if block.kind in _LABELLED_KINDS and block.text:
        name = block.name
    else:
        name = ""
    if name:
        return [
            TextRun(
                f"{name}\n",
                char_format(mono_font_for(font, bold=True), current_theme().text),
            )
        ]
    return []


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
    theme = current_theme()
    runs = list[TextRun]()
    mono = mono_font_for(font)
    inks = {"note": theme.text2, "same": theme.text2, "nearest": theme.text2}
    grounds = {"added": theme.fate_tint[EDITED], "removed": theme.fate_tint[PRUNED]}
    marks = {"found": theme.ok, "reworded": theme.warn, "gone": theme.error}
    for number, line in enumerate(changes.lines):
        face = mono if line.kind in ("added", "removed", "same") else font
        if line.kind == "head":
            face = resized_font(font, SECONDARY, bold=True)
        look = char_format(
            face, inks.get(line.kind, theme.text), grounds.get(line.kind)
        )
        end = "\n" if number < len(changes.lines) - 1 else ""
        if line.kind == "head" and number:  # the empty line has room for the hairline
            runs.append(TextRun("\n", look))
        mark = _CHANGE_MARKS.get(line.kind, "")
        text = f"{line.text}{end}"
        if mark:
            ink = marks.get(line.kind, theme.text)
            ground = grounds.get(line.kind)
            runs.append(TextRun(mark, char_format(face, ink, ground)))
        runs += (
            _found_runs(text, line.matches, look)
            if line.matches
            else [TextRun(text, look, line.kind == "head")]
        )
    return runs


def _found_runs(
    text: str, matches: Sequence[tuple[int, int]], look: QTextCharFormat
) -> Iterator[TextRun]:
    """Yield a text with what was found again underlined."""
    marked = QTextCharFormat(look)
    at = 0
    marked.setFontUnderline(True)
    marked.setForeground(current_theme().text)
    for start, end in matches:
        yield from (TextRun(text[at:start], look),) if start > at else ()
        yield TextRun(text[start:end], marked)
        at = end
    yield TextRun(text[at:], look)


def raw_runs(raw: str, font: QFont) -> list[TextRun]:
    """Return the JSON of a message in the code font."""
    return [TextRun(raw, char_format(mono_font_for(font), current_theme().text2))]


_MAX_MARKS = 300
"""The most marked matches."""
_ASTRAL_CHARACTER = re.compile("[\U00010000-\U0010ffff]")


def utf16_text(text: str) -> str:
    """Return the text with one character per UTF-16 unit, as QTextDocument counts positions."""
    # Most texts are ASCII, where both counts agree.
    if text.isascii():
        return text
    return _ASTRAL_CHARACTER.sub(_surrogate_pair, text)


def _surrogate_pair(match: re.Match[str]) -> str:
    code = ord(match.group()) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def find_positions(text: str, needle: str) -> list[int]:
    """Return the positions of ``needle`` in ``text``, in UTF-16 units, ignoring case."""
    if not needle:
        return []
    return [
        match.start()
        for match in re.finditer(
            re.escape(utf16_text(needle)), utf16_text(text), re.IGNORECASE
        )
    ]


class MatchMarks(QObject):
    """Marks what is looked for in a reader, and brings the first match into sight."""

    def __init__(self, reader: TextReader) -> None:
        super().__init__(reader)
        self._reader, self._needle = reader, ""
        self.positions: Sequence[int] = ()
        reader.filled.connect(self._mark)

    def show(self, needle: str) -> None:
        """Mark a text, whatever its case; "" marks nothing."""
        if needle != self._needle:
            self._needle = needle
            self._mark()

    def _mark(self) -> None:
        had_matches = bool(self.positions)
        self.positions = find_positions(self._reader.toPlainText(), self._needle)
        # Extra selections are shared: what else is marked would vanish.
        if not self.positions and not had_matches:
            return  # what else is marked stays
        width = len(utf16_text(self._needle))
        colour = match_colour(current_theme())
        # Qt paints all of them with each paint; hundreds are enough to see.
        shown = self.positions[:_MAX_MARKS]
        spans = [_selection(self._reader, place, place + width) for place in shown]
        self._reader.setExtraSelections([_mark(span, colour) for span in spans])
        if self.positions:
            first = QTextCursor(self._reader.document())
            first.setPosition(self.positions[0])
            self._reader.setTextCursor(first)
            self._reader.ensureCursorVisible()


class SentenceSelector(QWidget):
    """Follows the cursor of a reader that shows a summary. A click or the arrow keys choose a
    sentence."""

    chosen = Signal(
        object
    )  # source messages, the best first; none if no sentence is chosen
    link_activated = Signal(str)

    def __init__(self, reader: TextReader) -> None:
        super().__init__()
        self._reader = reader
        self.page: SummaryPage | None = None
        self.sentence_spans: list[
            tuple[int, int, int]
        ] = []  # start, end in UTF-16 units; number
        self._current = -1
        self._is_marked = False
        self.origin_label = SpanText(SECONDARY, "text2")
        self.setLayout(row_of(self.origin_label, margins=(12, 6, 12, 6)))
        self.origin_label.link_activated.connect(self.link_activated)
        reader.filled.connect(self._locate_sentences)
        reader.cursorPositionChanged.connect(self._on_cursor_moved)
        self.hide()

    @property
    def current(self) -> SentenceRow | None:
        if self.page is None or self._current < 0:
            return None
        return self.page.sentences[self._current]

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self._current >= 0:
            self._highlight_current()

    def show_page(self, page: SummaryPage | None) -> None:
        """Link the sentences of the shown summary; None if the text is no summary."""
        is_same = page is not None and page == self.page
        self.page = page if page is not None and page.sentences else None
        self.setVisible(self.page is not None)
        if not is_same:
            self._locate_sentences()
        self._choose(self._current if is_same else -1)

    def choose(self, number: int) -> None:
        """Choose a sentence by its number, and scroll to it."""
        span = next(
            (candidate for candidate in self.sentence_spans if candidate[2] == number),
            None,
        )
        if span is not None:
            cursor = QTextCursor(self._reader.document())
            # First the end, then the beginning: both are in sight where they fit.
            for position in (
                span[1],
                span[0],
            ):  # all of it, and the beginning in any case
                cursor.setPosition(position)
                self._reader.setTextCursor(cursor)
                self._reader.ensureCursorVisible()
        self._choose(number)

    def _locate_sentences(self) -> None:
        self.sentence_spans = []
        if self.page is None or self._reader.is_filling:
            return
        text = utf16_text(self._reader.toPlainText())
        position = 0
        for number, row in enumerate(self.page.sentences):
            sentence = utf16_text(row.text)
            start = text.find(sentence, position)
            if start >= 0:
                position = start + len(sentence)
                self.sentence_spans.append((start, position, number))
        self._highlight_current()

    def _on_cursor_moved(self) -> None:
        if self.page is None or self._reader.is_filling or not self.sentence_spans:
            return
        position = self._reader.textCursor().position()
        if not position and not self._reader.hasFocus():
            return  # the text changed; the user did not move
        span = self.sentence_spans[
            max(0, bisect_right(self.sentence_spans, (position, 1 << 31, 0)) - 1)
        ]
        self._choose(span[2] if span[0] <= position <= span[1] else -1)

    def _choose(self, number: int) -> None:
        page = self.page
        self._current = (
            number if page is not None and 0 <= number < len(page.sentences) else -1
        )
        row = self.current
        if page is not None:
            hint = TextSpan(
                f"{page.verdict_text} {tr('Click one to see where it comes from.')}"
            )
            self.origin_label.set_spans(
                (hint,) if row is None else row.origin_text,
                row.tone if row and row.tone else "text2",
            )
        self._highlight_current()
        self.chosen.emit(() if row is None else row.sources)

    def _highlight_current(self) -> None:
        span = next(
            (
                candidate
                for candidate in self.sentence_spans
                if candidate[2] == self._current
            ),
            None,
        )
        if span is None:
            if self._is_marked:  # what is looked for stays marked
                self._reader.setExtraSelections([])
            self._is_marked = False
            return
        self._is_marked = True
        cursor = _selection(self._reader, span[0], span[1])
        self._reader.setExtraSelections([_mark(cursor, current_theme().selection)])


def _selection(reader: QPlainTextEdit, start: int, end: int) -> QTextCursor:
    cursor = QTextCursor(reader.document())
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def _mark(cursor: QTextCursor, background: QColor) -> QTextEdit.ExtraSelection:
    mark = QTextEdit.ExtraSelection()
    char_format = QTextCharFormat()
    char_format.setBackground(background)
    mark.cursor, mark.format = cursor, char_format
    return mark
