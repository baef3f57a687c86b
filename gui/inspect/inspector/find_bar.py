"""The find bar of a text view: a field, the number of matches, previous and next."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.icons import glyph_icon
from gui.widgets.key_presses import is_enter
from gui.widgets.text_labels import ElidedLabel, set_style_property
from gui.widgets.theme import Theme, theme

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
        match.start() for match in re.finditer(re.escape(utf16_text(needle)), utf16_text(text), re.IGNORECASE)
    ]


class FindBar(QWidget):
    """Searches a reader. ``closed`` is emitted when the bar closes."""

    closed = Signal()

    def __init__(self, reader: QPlainTextEdit) -> None:
        super().__init__()
        self._reader, self._theme = reader, theme("light")
        self._positions: Sequence[int] = ()
        self._current = -1
        self._search_timer = QTimer(self, singleShot=True, interval=120)
        self._search_timer.timeout.connect(self.search)
        self._field = QLineEdit(placeholderText=tr("Find in message"))
        self._field.setAccessibleName(tr("Find in message"))
        self._field.textChanged.connect(self._search_timer.start)
        self._field.installEventFilter(self)
        self._count = ElidedLabel("", "secondary")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 8, 4)
        row.setSpacing(4)
        row.addWidget(self._field, 1)
        row.addWidget(self._count)
        self._buttons = []
        for name, tip, slot in (
            ("chevron-up", tr("Previous (Shift Enter)"), self.previous),
            ("chevron-down", tr("Next (Enter)"), self.next),
            ("close", tr("Close (Esc)"), self.close_bar),
        ):
            button = push_button("", "flat")
            button.setToolTip(tip)
            button.setAccessibleName(tip.partition(" (")[0])
            button.clicked.connect(slot)
            button.setProperty("glyph", name)
            self._buttons.append(button)
            row.addWidget(button)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for button in self._buttons:
            button.setIcon(glyph_icon(button.property("glyph"), theme.text2))
        self._mark_matches()

    @property
    def count_text(self) -> str:
        return self._count.full_text

    def open_bar(self) -> None:
        """Show the field; a selection within one line becomes the search text."""
        selected_text = self._reader.textCursor().selectedText()
        self.show()
        if selected_text and "\u2029" not in selected_text and len(selected_text) <= 200:
            self._field.setText(selected_text)
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
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
        needle = self._field.text()
        self._positions = find_positions(self._reader.toPlainText(), needle)
        start = self._reader.textCursor().selectionStart()
        self._current = min(bisect_left(self._positions, start), len(self._positions) - 1)
        set_style_property(self._field, "state", "error" if needle and not self._positions else "")
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
        needle, total = self._field.text(), len(self._positions)
        count_text = (
            tr("{current:,} of {total:,}").format(current=self._current + 1, total=total) if total else "none"
        )
        self._count.show_text(count_text if needle else "")
        if self._current >= 0:
            self._reader.setTextCursor(self._cursor(self._positions[self._current]))
            self._reader.ensureCursorVisible()
        self._mark_matches()

    def _cursor(self, place: int) -> QTextCursor:
        cursor = QTextCursor(self._reader.document())
        cursor.setPosition(place)
        end = place + len(utf16_text(self._field.text()))
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _mark_matches(self) -> None:
        start = max(0, self._current - _MAX_MARKS // 2)
        marks = []
        for number, place in enumerate(self._positions[start : start + _MAX_MARKS], start):
            mark, char_format = QTextEdit.ExtraSelection(), QTextCharFormat()
            is_current = number == self._current
            char_format.setBackground(self._theme.accent_fill if is_current else self._theme.selection)
            if is_current:
                char_format.setForeground(self._theme.on_accent)
            mark.cursor, mark.format = self._cursor(place), char_format
            marks.append(mark)
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
