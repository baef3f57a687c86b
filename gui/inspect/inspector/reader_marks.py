"""What is marked in a reader: what is looked for, and the chosen sentence of a summary."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from core.presentation.inspector_model import SentenceRow, SummaryPage, TextSpan
from gui.inspect.inspector.text_view import TextReader
from gui.inspect.lists.row_parts import match_colour
from gui.language import tr
from gui.widgets.text_labels import SpanText
from gui.widgets.theme import SECONDARY, current_theme
from gui.widgets.view_layout import row_of

_MAX_MARKS = 300
"""The most marked matches."""
_ASTRAL_CHARACTER = re.compile("[\U00010000-\U0010ffff]")


def utf16_text(text: str) -> str:
    """Return the text with one character per UTF-16 unit, as QTextDocument counts positions."""
    return text if text.isascii() else _ASTRAL_CHARACTER.sub(_surrogate_pair, text)


def _surrogate_pair(match: re.Match[str]) -> str:
    code = ord(match.group()) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def find_positions(text: str, needle: str) -> list[int]:
    """Return the positions of ``needle`` in ``text``, in UTF-16 units, ignoring case."""
    if not needle:
        return []
    return [
        match.start()
        for match in re.finditer(re.escape(utf16_text(needle)), utf16_text(text), re.IGNORECASE)
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
        if not self.positions and not had_matches:
            return  # what else is marked stays
        width, colour = len(utf16_text(self._needle)), match_colour(current_theme())
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

    chosen = Signal(object)  # source messages, the best first; none if no sentence is chosen
    link_activated = Signal(str)

    def __init__(self, reader: TextReader) -> None:
        super().__init__()
        self._reader = reader
        self.page: SummaryPage | None = None
        self.sentence_spans: list[tuple[int, int, int]] = []  # start, end in UTF-16 units; number
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
        return (
            None if self.page is None or self._current < 0 else self.page.sentences[self._current]
        )

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
            (candidate for candidate in self.sentence_spans if candidate[2] == number), None
        )
        if span is not None:
            cursor = QTextCursor(self._reader.document())
            for position in (span[1], span[0]):  # all of it, and the beginning in any case
                cursor.setPosition(position)
                self._reader.setTextCursor(cursor)
                self._reader.ensureCursorVisible()
        self._choose(number)

    def _locate_sentences(self) -> None:
        self.sentence_spans = []
        if self.page is None or self._reader.is_filling:
            return
        text, position = utf16_text(self._reader.toPlainText()), 0
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
        self._current = number if page is not None and 0 <= number < len(page.sentences) else -1
        row = self.current
        if page is not None:
            hint = TextSpan(f"{page.verdict_text} {tr('Click one to see where it comes from.')}")
            self.origin_label.set_spans(
                (hint,) if row is None else row.origin_text,
                row.tone if row and row.tone else "text2",
            )
        self._highlight_current()
        self.chosen.emit(() if row is None else row.sources)

    def _highlight_current(self) -> None:
        span = next(
            (candidate for candidate in self.sentence_spans if candidate[2] == self._current), None
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
    mark, char_format = QTextEdit.ExtraSelection(), QTextCharFormat()
    char_format.setBackground(background)
    mark.cursor, mark.format = cursor, char_format
    return mark
