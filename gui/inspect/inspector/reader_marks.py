"""What is marked in a reader: the matches of a find bar, and the chosen sentence of a summary."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from core.presentation.inspector_model import SentenceRow, SummaryPage, TextSpan
from gui.inspect.inspector.text_view import TextReader
from gui.language import tr
from gui.widgets.events import is_enter
from gui.widgets.icons import GlyphButton
from gui.widgets.text_labels import ElidedLabel, SpanText, set_style_property
from gui.widgets.theme import SECONDARY, current_theme
from gui.widgets.view_layout import row_of

_MAX_MARKS = 300
"""The most marked matches; those nearest to the current one are marked."""
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


class FindBar(QWidget):
    """Searches a reader. ``closed`` is emitted when the bar closes."""

    closed = Signal()

    def __init__(self, reader: QPlainTextEdit) -> None:
        super().__init__()
        self._reader = reader
        self._positions: Sequence[int] = ()
        self._current = -1
        self._search_timer = QTimer(self, singleShot=True, interval=120)
        self._search_timer.timeout.connect(self.search)
        self.field = QLineEdit(placeholderText=tr("Find in message"))
        self.field.setAccessibleName(tr("Find in message"))
        self.field.textChanged.connect(self._search_timer.start)
        self.field.installEventFilter(self)
        self.count = ElidedLabel("", "secondary")
        buttons = []
        for name, tip, slot in (
            ("chevron-up", tr("Previous (Shift Enter)"), self.previous),
            ("chevron-down", tr("Next (Enter)"), self.next),
            ("close", tr("Close (Esc)"), self.close_bar),
        ):
            buttons.append(GlyphButton(name, tip.partition(" (")[0], tip=tip))
            buttons[-1].clicked.connect(slot)
        parts = (self.field, self.count, *buttons)
        self.setLayout(row_of(*parts, margins=(12, 4, 8, 4), gap=4, stretched=self.field))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self._positions:
            self._mark_matches()

    def open_bar(self) -> None:
        """Show the field; a selection within one line becomes the search text."""
        selected_text = self._reader.textCursor().selectedText()
        self.show()
        if selected_text and "\u2029" not in selected_text and len(selected_text) <= 200:
            self.field.setText(selected_text)
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search()

    def close_bar(self) -> None:
        self.hide()
        self._positions, self._current = (), -1
        self._mark_matches()
        self._reader.setFocus(Qt.FocusReason.OtherFocusReason)
        self.closed.emit()

    def search(self) -> None:
        """Search for the field's text from the reader's position."""
        if self.isHidden():
            return
        needle = self.field.text()
        self._positions = find_positions(self._reader.toPlainText(), needle)
        start = self._reader.textCursor().selectionStart()
        self._current = min(bisect_left(self._positions, start), len(self._positions) - 1)
        set_style_property(self.field, "state", "error" if needle and not self._positions else "")
        self._go_to_current()

    def next(self) -> None:
        """Go to the next match, after the last to the first."""
        self._step(1)

    def previous(self) -> None:
        """Go to the previous match, before the first to the last."""
        self._step(-1)

    def _step(self, by: int) -> None:
        if self._search_timer.isActive():
            self._search_timer.stop()
            self.search()
        elif self._positions:
            self._current = (self._current + by) % len(self._positions)
            self._go_to_current()

    def _go_to_current(self) -> None:
        needle, total = self.field.text(), len(self._positions)
        count_text = (
            tr("{current:,} of {total:,}").format(current=self._current + 1, total=total)
            if total
            else "none"
        )
        self.count.show_text(count_text if needle else "")
        if self._current >= 0:
            self._reader.setTextCursor(self._cursor(self._positions[self._current]))
            self._reader.ensureCursorVisible()
        self._mark_matches()

    def _cursor(self, place: int) -> QTextCursor:
        return _selection(self._reader, place, place + len(utf16_text(self.field.text())))

    def _mark_matches(self) -> None:
        start = max(0, self._current - _MAX_MARKS // 2)
        theme, marks = current_theme(), []
        for number, place in enumerate(self._positions[start : start + _MAX_MARKS], start):
            is_current = number == self._current
            marks.append(
                _mark(self._cursor(place), theme.accent_fill if is_current else theme.selection)
            )
            if is_current:
                marks[-1].format.setForeground(theme.on_accent)
        self._reader.setExtraSelections(marks)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if is_enter(event, or_shifted=True):
                self._step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.close_bar()
                return True
        elif isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()  # as ShortcutOverride: Esc closes this bar first
        return super().eventFilter(watched, event)


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
            self._reader.setExtraSelections([])
            return
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
