"""Shows the sources of a summary's sentence under its text."""

from __future__ import annotations

from bisect import bisect_right

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QTextEdit, QWidget

from core.presentation.model import TextSpan
from core.presentation.summary_check.model import SentenceRow, SummaryPage
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
        self._places: list[tuple[int, int, int]] = []  # start and end in UTF-16 units, number of the sentence
        self._current = -1
        self._says = SpanText(SECONDARY, "text2")
        row = QHBoxLayout(self)
        row.setContentsMargins(_PAD, 6, _PAD, 6)
        row.addWidget(self._says)
        self._says.link_activated.connect(self.link_activated)
        reader.filled.connect(self._find)
        reader.cursorPositionChanged.connect(self._on_moved)
        self.hide()

    @property
    def current(self) -> SentenceRow | None:
        return None if self._page is None or self._current < 0 else self._page.sentences[self._current]

    @property
    def text(self) -> str:
        return self._says.text

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._says.set_theme(theme)
        self._mark()

    def show_page(self, page: SummaryPage | None) -> None:
        """Link the sentences of the shown summary; None if the text is no summary."""
        is_same = page is not None and page == self._page
        self._page = page if page is not None and page.sentences else None
        self.setVisible(self._page is not None)
        if not is_same:
            self._find()
        self._choose(self._current if is_same else -1)

    def choose(self, number: int) -> None:
        """Choose a sentence by its number, and scroll to it."""
        place = next((one for one in self._places if one[2] == number), None)
        if place is not None:
            cursor = QTextCursor(self._reader.document())
            for at in (place[1], place[0]):  # all of it, and the beginning in any case
                cursor.setPosition(at)
                self._reader.setTextCursor(cursor)
                self._reader.ensureCursorVisible()
        self._choose(number)

    def _find(self) -> None:
        self._places = []
        if self._page is None or self._reader.is_filling:
            return
        text, at = utf16_text(self._reader.toPlainText()), 0
        for number, row in enumerate(self._page.sentences):
            sentence = utf16_text(row.text)
            start = text.find(sentence, at)
            if start >= 0:
                at = start + len(sentence)
                self._places.append((start, at, number))
        self._mark()

    def _on_moved(self) -> None:
        if self._page is None or self._reader.is_filling or not self._places:
            return
        at = self._reader.textCursor().position()
        if not at and not self._reader.hasFocus():
            return  # the text changed; the user did not move
        place = self._places[max(0, bisect_right(self._places, (at, 1 << 31, 0)) - 1)]
        self._choose(place[2] if place[0] <= at <= place[1] else -1)

    def _choose(self, number: int) -> None:
        page = self._page
        self._current = number if page is not None and 0 <= number < len(page.sentences) else -1
        row = self.current
        if page is not None:
            hint = TextSpan(f"{page.verdict_text} {tr('Click one to see where it comes from.')}")
            self._says.set_spans(
                (hint,) if row is None else row.origin_text, row.tone if row and row.tone else "text2"
            )
        self._mark()
        self.chosen.emit(() if row is None else row.sources)

    def _mark(self) -> None:
        place = next((one for one in self._places if one[2] == self._current), None)
        if place is None:
            self._reader.setExtraSelections([])
            return
        mark, look = QTextEdit.ExtraSelection(), QTextCharFormat()
        look.setBackground(self._theme.selection)
        cursor = QTextCursor(self._reader.document())
        cursor.setPosition(place[0])
        cursor.setPosition(place[1], QTextCursor.MoveMode.KeepAnchor)
        mark.cursor, mark.format = cursor, look
        self._reader.setExtraSelections([mark])
