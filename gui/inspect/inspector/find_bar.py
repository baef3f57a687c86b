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

_MARKED = 300
"""The most marked matches; those nearest to the current one are marked."""
_BEYOND = re.compile("[\U00010000-\U0010ffff]")


def utf16_text(text: str) -> str:
    """Return the text with one character per UTF-16 unit, as QTextDocument counts positions."""
    return text if text.isascii() else _BEYOND.sub(_halves, text)


def _halves(match: re.Match[str]) -> str:
    code = ord(match.group()) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def find_places(text: str, needle: str) -> list[int]:
    """Return the positions of ``needle`` in ``text``, in UTF-16 units, ignoring case."""
    if not needle:
        return []
    return [
        one.start() for one in re.finditer(re.escape(utf16_text(needle)), utf16_text(text), re.IGNORECASE)
    ]


class FindBar(QWidget):
    """Searches a reader. ``closed`` is emitted when the bar closes."""

    closed = Signal()

    def __init__(self, reader: QPlainTextEdit) -> None:
        super().__init__()
        self._reader, self._theme = reader, theme("light")
        self._places: Sequence[int] = ()
        self._current = -1
        self._soon = QTimer(self, singleShot=True, interval=120)
        self._soon.timeout.connect(self.search)
        self._field = QLineEdit(placeholderText=tr("Find in message"))
        self._field.setAccessibleName(tr("Find in message"))
        self._field.textChanged.connect(self._soon.start)
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
            one = push_button("", "flat")
            one.setToolTip(tip)
            one.setAccessibleName(tip.partition(" (")[0])
            one.clicked.connect(slot)
            one.setProperty("glyph", name)
            self._buttons.append(one)
            row.addWidget(one)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for one in self._buttons:
            one.setIcon(glyph_icon(one.property("glyph"), theme.text2))
        self._mark()

    @property
    def count_text(self) -> str:
        return self._count.full_text

    def open_bar(self) -> None:
        """Show the field; a selection within one line becomes the search text."""
        chosen = self._reader.textCursor().selectedText()
        self.show()
        if chosen and "\u2029" not in chosen and len(chosen) <= 200:
            self._field.setText(chosen)
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search()

    def close_bar(self) -> None:
        self.hide()
        self._places, self._current = (), -1
        self._mark()
        self._reader.setFocus(Qt.FocusReason.OtherFocusReason)
        self.closed.emit()

    def search(self) -> None:
        """Search for the field's text from the reader's position."""
        if self.isHidden():
            return
        needle = self._field.text()
        self._places = find_places(self._reader.toPlainText(), needle)
        start = self._reader.textCursor().selectionStart()
        self._current = min(bisect_left(self._places, start), len(self._places) - 1)
        set_style_property(self._field, "state", "error" if needle and not self._places else "")
        self._go()

    def next(self) -> None:
        """Go to the next match, after the last to the first."""
        self._step(1)

    def previous(self) -> None:
        """Go to the previous match, before the first to the last."""
        self._step(-1)

    def _step(self, by: int) -> None:
        if self._soon.isActive():
            self._soon.stop()
            self.search()
        elif self._places:
            self._current = (self._current + by) % len(self._places)
            self._go()

    def _go(self) -> None:
        needle, total = self._field.text(), len(self._places)
        count_text = (
            tr("{current:,} of {total:,}").format(current=self._current + 1, total=total) if total else "none"
        )
        self._count.show_text(count_text if needle else "")
        if self._current >= 0:
            self._reader.setTextCursor(self._cursor(self._places[self._current]))
            self._reader.ensureCursorVisible()
        self._mark()

    def _cursor(self, place: int) -> QTextCursor:
        cursor = QTextCursor(self._reader.document())
        cursor.setPosition(place)
        end = place + len(utf16_text(self._field.text()))
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _mark(self) -> None:
        start = max(0, self._current - _MARKED // 2)
        marks = []
        for number, place in enumerate(self._places[start : start + _MARKED], start):
            mark, look = QTextEdit.ExtraSelection(), QTextCharFormat()
            is_current = number == self._current
            look.setBackground(self._theme.accent_fill if is_current else self._theme.selection)
            if is_current:
                look.setForeground(self._theme.on_accent)
            mark.cursor, mark.format = self._cursor(place), look
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
