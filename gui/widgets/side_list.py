"""The list at the left of a dialog: a text and a note in each row, the current one in accent."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.widgets.theme import SECONDARY, Theme, resized_font, tabular_font, theme

_NOTE = Qt.ItemDataRole.UserRole
_NUMBER = Qt.ItemDataRole.UserRole + 1
_PAD, _BAR, _HIGH = 12, 3, 28
_Index = QModelIndex | QPersistentModelIndex


class _SideListDelegate(QStyledItemDelegate):
    """Paints text, note, and a bar at the left of the current row."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme("light")
        self.figures = 0  # digits of the widest number

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        high = max(_HIGH, QFontMetrics(option.font).height() + 10)
        return QSize(80, high)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        shade, rect = self.theme, QRect(option.rect)
        state = option.state
        is_current = bool(state & QStyle.StateFlag.State_Selected)
        is_enabled = bool(state & QStyle.StateFlag.State_Enabled)
        painter.save()
        if is_current or state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, shade.selection if is_current else shade.free)
        if is_current:
            painter.fillRect(rect.left(), rect.top(), _BAR, rect.height(), shade.accent_text)
        if is_current and state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(shade.accent_text, 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))
        inside = rect.adjusted(_PAD, 0, -_PAD, 0)
        note = str(index.data(_NOTE) or "")
        small = resized_font(option.font, SECONDARY)
        painter.setFont(small)
        painter.setPen(shade.accent_text if is_current else shade.text2)
        painter.drawText(inside, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), note)
        font = resized_font(option.font, 13, bold=is_current)
        note_width = QFontMetrics(small).horizontalAdvance(note) + 8 if note else 0
        inside.setRight(inside.right() - note_width)
        if self.figures:
            self._number(painter, inside, small, str(index.data(_NUMBER) or ""))
        painter.setFont(font)
        painter.setPen(shade.accent_text if is_current else shade.text if is_enabled else shade.text3)
        text = QFontMetrics(font).elidedText(
            str(index.data() or ""), Qt.TextElideMode.ElideRight, inside.width()
        )
        painter.drawText(inside, int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()

    def _number(self, painter: QPainter, inside: QRect, font: QFont, number: str) -> None:
        """Paint a right-aligned number at the left; the rest of the row moves right."""
        face = tabular_font(font)
        wide = QFontMetrics(face).horizontalAdvance("0" * self.figures)
        place = QRect(inside.left(), inside.top(), wide, inside.height())
        painter.setFont(face)
        painter.drawText(place, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), number)
        inside.setLeft(inside.left() + wide + _PAD)


class SideList(QListWidget):
    """Emits ``chosen(row)`` when the user moves to another row."""

    chosen = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._rows = _SideListDelegate(self)
        self.setItemDelegate(self._rows)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setProperty("role", "side-list")
        self.currentRowChanged.connect(self._on_row)

    def set_theme(self, theme: Theme) -> None:
        self._rows.theme = theme
        self.viewport().update()

    def show_entries(self, entries: Sequence[tuple[str, str, bool]], current: int) -> None:
        """Show (text, note, enabled) in rows, without emitting."""
        with QSignalBlocker(self):
            while self.count() > len(entries):
                self.takeItem(self.count() - 1)
            while self.count() < len(entries):
                self.addItem(QListWidgetItem())
            for row, (text, note, is_enabled) in enumerate(entries):
                item = self.item(row)
                item.setText(text)
                item.setData(_NOTE, note)
                item.setToolTip(f"{text}: {note}" if note else text)
                flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
                item.setFlags(flags if is_enabled else Qt.ItemFlag.NoItemFlags)
            self.setCurrentRow(current)

    def number(self, numbers: Sequence[str]) -> None:
        self._rows.figures = max(map(len, numbers), default=0)
        for row, text in enumerate(numbers):
            self.item(row).setData(_NUMBER, text)

    def fit(self) -> None:
        self.setFixedHeight(self.sizeHintForRow(0) * self.count())

    def show_current(self, row: int) -> None:
        """Mark a row without emitting."""
        with QSignalBlocker(self):
            self.setCurrentRow(row)
        self.viewport().update()

    def _on_row(self, row: int) -> None:
        if row >= 0:
            self.chosen.emit(row)
