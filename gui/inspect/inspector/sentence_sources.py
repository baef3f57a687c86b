"""Shows the sources of a summary's sentence under its text."""

from __future__ import annotations

from bisect import bisect_right

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QTextEdit, QWidget

from core.presentation.inspector_model import (
    SentenceRow,
    SummaryPage,
    TextSpan,
)
from gui.inspect.inspector.find_bar import utf16_text
from gui.inspect.inspector.text_view import TextReader
from gui.language import tr
from gui.widgets.text_labels import SpanText
from gui.widgets.theme import SECONDARY, Theme, theme

_PAD = 12


class SentenceSelector(QWidget):
    """Follows the cursor of a reader that shows a summary. A click or the arrow keys choose a sentence."""

    chosen = Signal(object)  # source messages, the best first; none if no sentence is chosen
    link_activated = Signal(str)

    def __init__(self, reader: TextReader) -> None:
        super().__init__()
        self._reader, self._theme = reader, theme("light")
        self._page: SummaryPage | None = None
        self._sentence_spans: list[
            tuple[int, int, int]
        ] = []  # start and end in UTF-16 units, number of the sentence
        self._current = -1
        self._origin_label = SpanText(SECONDARY, "text2")
        row = QHBoxLayout(self)
        row.setContentsMargins(_PAD, 6, _PAD, 6)
        row.addWidget(self._origin_label)
        self._origin_label.link_activated.connect(self.link_activated)
        reader.filled.connect(self._locate_sentences)
        reader.cursorPositionChanged.connect(self._on_cursor_moved)
        self.hide()

    @property
    def current(self) -> SentenceRow | None:
        return None if self._page is None or self._current < 0 else self._page.sentences[self._current]

    @property
    def text(self) -> str:
        return self._origin_label.text

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._highlight_current()

    def show_page(self, page: SummaryPage | None) -> None:
        """Link the sentences of the shown summary; None if the text is no summary."""
        is_same = page is not None and page == self._page
        self._page = page if page is not None and page.sentences else None
        self.setVisible(self._page is not None)
        if not is_same:
            self._locate_sentences()
        self._choose(self._current if is_same else -1)

    def choose(self, number: int) -> None:
        """Choose a sentence by its number, and scroll to it."""
        span = next((candidate for candidate in self._sentence_spans if candidate[2] == number), None)
        if span is not None:
            cursor = QTextCursor(self._reader.document())
            for position in (span[1], span[0]):  # all of it, and the beginning in any case
                cursor.setPosition(position)
                self._reader.setTextCursor(cursor)
                self._reader.ensureCursorVisible()
        self._choose(number)

    def _locate_sentences(self) -> None:
        self._sentence_spans = []
        if self._page is None or self._reader.is_filling:
            return
        text, position = utf16_text(self._reader.toPlainText()), 0
        for number, row in enumerate(self._page.sentences):
            sentence = utf16_text(row.text)
            start = text.find(sentence, position)
            if start >= 0:
                position = start + len(sentence)
                self._sentence_spans.append((start, position, number))
        self._highlight_current()

    def _on_cursor_moved(self) -> None:
        if self._page is None or self._reader.is_filling or not self._sentence_spans:
            return
        position = self._reader.textCursor().position()
        if not position and not self._reader.hasFocus():
            return  # the text changed; the user did not move
        span = self._sentence_spans[max(0, bisect_right(self._sentence_spans, (position, 1 << 31, 0)) - 1)]
        self._choose(span[2] if span[0] <= position <= span[1] else -1)

    def _choose(self, number: int) -> None:
        page = self._page
        self._current = number if page is not None and 0 <= number < len(page.sentences) else -1
        row = self.current
        if page is not None:
            hint = TextSpan(f"{page.verdict_text} {tr('Click one to see where it comes from.')}")
            self._origin_label.set_spans(
                (hint,) if row is None else row.origin_text, row.tone if row and row.tone else "text2"
            )
        self._highlight_current()
        self.chosen.emit(() if row is None else row.sources)

    def _highlight_current(self) -> None:
        span = next((candidate for candidate in self._sentence_spans if candidate[2] == self._current), None)
        if span is None:
            self._reader.setExtraSelections([])
            return
        mark, char_format = QTextEdit.ExtraSelection(), QTextCharFormat()
        char_format.setBackground(self._theme.selection)
        cursor = QTextCursor(self._reader.document())
        cursor.setPosition(span[0])
        cursor.setPosition(span[1], QTextCursor.MoveMode.KeepAnchor)
        mark.cursor, mark.format = cursor, char_format
        self._reader.setExtraSelections([mark])
