"""A dialog with a list at the left, a pane at the right and a foot below both, and that list."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.widgets.theme import SECONDARY, current_theme, fit_dialog, resized_font, tabular_font
from gui.widgets.view_layout import column_of, panel_of, row_of


class SideDialog(QDialog):
    """Not modal. Subclasses fill ``side``, ``pane`` and ``foot``."""

    def __init__(
        self, parent: QWidget | None, title: str, *, side_letters: int, size: tuple[int, int] = (1060, 700)
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self._side_letters = side_letters
        self.side, self.pane = column_of(margins=(0, 8, 1, 8), gap=8), column_of()
        self.foot = row_of(margins=(16, 8, 16, 8))
        self._side, pane = panel_of(self.side, "side-edge"), panel_of(self.pane, "pane")
        upper = row_of(self._side, pane, gap=0, stretched=pane)
        self.setLayout(column_of(upper, panel_of(self.foot, "foot"), stretched=upper))
        fit_dialog(self, *size)
        self.setMinimumSize(720, 420)

    def measure_side(self) -> None:
        """Make the side as wide as its letters or its widgets need."""
        width = self._side_letters * self.fontMetrics().averageCharWidth()
        self._side.setFixedWidth(max(width, self.side.minimumSize().width()))

    def event(self, event: QEvent) -> bool:
        is_handled = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show, QEvent.Type.FontChange):
            self.measure_side()
        return is_handled


_NOTE = Qt.ItemDataRole.UserRole
_NUMBER = Qt.ItemDataRole.UserRole + 1
_PAD, _BAR, _ROW_HEIGHT = 12, 3, 28
_Index = QModelIndex | QPersistentModelIndex


class _SideListDelegate(QStyledItemDelegate):
    """Paints text, note, and a bar at the left of the current row."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.digits = 0  # digits of the widest number

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        row_height = max(_ROW_HEIGHT, QFontMetrics(option.font).height() + 10)
        return QSize(80, row_height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme, rect = current_theme(), QRect(option.rect)
        state = option.state
        is_current = bool(state & QStyle.StateFlag.State_Selected)
        is_enabled = bool(state & QStyle.StateFlag.State_Enabled)
        painter.save()
        if is_current or state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, theme.selection if is_current else theme.free)
        if is_current:
            painter.fillRect(rect.left(), rect.top(), _BAR, rect.height(), theme.accent_text)
        if is_current and state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.accent_text, 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))
        text_rect = rect.adjusted(_PAD, 0, -_PAD, 0)
        note = str(index.data(_NOTE) or "")
        note_font = resized_font(option.font, SECONDARY)
        painter.setFont(note_font)
        painter.setPen(theme.accent_text if is_current else theme.text2)
        painter.drawText(text_rect, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), note)
        font = resized_font(option.font, 13, bold=is_current)
        note_width = QFontMetrics(note_font).horizontalAdvance(note) + 8 if note else 0
        text_rect.setRight(text_rect.right() - note_width)
        if self.digits:
            self._paint_number(painter, text_rect, note_font, str(index.data(_NUMBER) or ""))
        painter.setFont(font)
        painter.setPen(theme.accent_text if is_current else theme.text if is_enabled else theme.text3)
        text = QFontMetrics(font).elidedText(
            str(index.data() or ""), Qt.TextElideMode.ElideRight, text_rect.width()
        )
        painter.drawText(text_rect, int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()

    def _paint_number(self, painter: QPainter, text_rect: QRect, font: QFont, number: str) -> None:
        """Paint a right-aligned number at the left; the rest of the row moves right."""
        number_font = tabular_font(font)
        number_width = QFontMetrics(number_font).horizontalAdvance("0" * self.digits)
        number_rect = QRect(text_rect.left(), text_rect.top(), number_width, text_rect.height())
        painter.setFont(number_font)
        painter.drawText(
            number_rect, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), number
        )
        text_rect.setLeft(text_rect.left() + number_width + _PAD)


class SideList(QListWidget):
    """Emits ``chosen(row)`` when the user moves to another row."""

    chosen = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._row_delegate = _SideListDelegate(self)
        self.setItemDelegate(self._row_delegate)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setProperty("role", "side-list")
        self.currentRowChanged.connect(self._on_row)

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

    def show_numbers(self, numbers: Sequence[str]) -> None:
        self._row_delegate.digits = max(map(len, numbers), default=0)
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
