"""Base classes of dialogs: a list beside a pane, a form of labelled fields, a question, and a
choice from a list."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QObject,
    QRect,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from core.presentation.model import PickerChoice
from gui.language import tr
from gui.widgets.accessibility import focus_next
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.events import Index
from gui.widgets.theme import (
    SECONDARY,
    current_theme,
    fit_dialog,
    resized_font,
    scaled_pixels,
    tabular_font,
)
from gui.widgets.view_layout import column_of, panel_of, row_of


class SideDialog(QDialog):
    """Not modal. Subclasses fill ``side``, ``pane`` and ``foot``."""

    def __init__(
        self,
        parent: QWidget | None,
        title: str,
        *,
        side_letters: int,
        size: tuple[int, int] = (1060, 700),
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self._side_letters = side_letters
        self.side = column_of(margins=(0, 8, 1, 8), gap=8)
        self.pane = column_of()
        self.foot = row_of(margins=(16, 8, 16, 8))
        self._side, pane = panel_of(self.side, "side-edge"), panel_of(self.pane, "pane")
        upper = row_of(self._side, pane, gap=0, stretched=pane)
        self.setLayout(column_of(upper, panel_of(self.foot, "foot"), stretched=upper))
        fit_dialog(self, *size)
        self.setMinimumSize(720, 420)

    def add_buttons(self, *buttons: QWidget) -> None:
        """Add buttons to the foot, and the one that closes the dialog."""
        close = push_button(tr("Close"))
        close.clicked.connect(self.close)
        for button in (*buttons, close):
            self.foot.addWidget(button)

    def measure_side(self) -> None:
        """Make the side as wide as its letters or its widgets need."""
        width = self._side_letters * self.fontMetrics().averageCharWidth()
        self._side.setFixedWidth(max(width, self.side.minimumSize().width()))

    def focusNextPrevChild(self, forward: bool) -> bool:
        return focus_next(self, forward)

    def event(self, event: QEvent) -> bool:
        is_handled = super().event(event)
        if event.type() in (
            QEvent.Type.LayoutRequest,
            QEvent.Type.Show,
            QEvent.Type.FontChange,
        ):
            self.measure_side()
        return is_handled


_NOTE = Qt.ItemDataRole.UserRole
_NUMBER = Qt.ItemDataRole.UserRole + 1
_PAD, _BAR, _ROW_HEIGHT = 12, 3, 28


class _SideListDelegate(QStyledItemDelegate):
    """Paints text, note, and a bar at the left of the current row."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.digits = 0  # digits of the widest number

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row_height = max(_ROW_HEIGHT, QFontMetrics(option.font).height() + 10)
        return QSize(80, row_height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        theme = current_theme()
        rect = QRect(option.rect)
        state = option.state
        is_current = bool(state & QStyle.StateFlag.State_Selected)
        is_enabled = bool(state & QStyle.StateFlag.State_Enabled)
        painter.save()
        if is_current or state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, theme.selection if is_current else theme.free)
        if is_current:
            painter.fillRect(
                rect.left(), rect.top(), _BAR, rect.height(), theme.accent_text
            )
        if is_current and state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.accent_text, 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))
        text_rect = rect.adjusted(_PAD, 0, -_PAD, 0)
        note = str(index.data(_NOTE) or "")
        note_font = resized_font(option.font, SECONDARY)
        painter.setFont(note_font)
        painter.setPen(theme.accent_text if is_current else theme.text2)
        painter.drawText(
            text_rect,
            int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
            note,
        )
        font = resized_font(option.font, 13, bold=is_current)
        if note:
            note_width = QFontMetrics(note_font).horizontalAdvance(note) + 8
        else:
            note_width = 0
        text_rect.setRight(text_rect.right() - note_width)
        if self.digits:
            self._paint_number(
                painter, text_rect, note_font, str(index.data(_NUMBER) or "")
            )
        painter.setFont(font)
        colour = theme.text if is_enabled else theme.text3
        painter.setPen(theme.accent_text if is_current else colour)
        text = QFontMetrics(font).elidedText(
            str(index.data() or ""), Qt.TextElideMode.ElideRight, text_rect.width()
        )
        painter.drawText(text_rect, int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()

    def _paint_number(
        self, painter: QPainter, text_rect: QRect, font: QFont, number: str
    ) -> None:
        """Paint a right-aligned number at the left; the rest of the row moves right."""
        number_font = tabular_font(font)
        number_width = QFontMetrics(number_font).horizontalAdvance("0" * self.digits)
        number_rect = QRect(
            text_rect.left(), text_rect.top(), number_width, text_rect.height()
        )
        painter.setFont(number_font)
        painter.drawText(
            number_rect,
            int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
            number,
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

    def show_entries(
        self, entries: Sequence[tuple[str, str, bool]], current: int
    ) -> None:
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


_WIDTH, _MARGINS = 420, (16, 16, 16, 12)


class FormDialog(QDialog):
    """Enter presses ``accept_button``, which accepts; a subclass adds fields and handles the
    result."""

    def __init__(self, parent: QWidget | None, title: str, accept_text: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.accept_button = push_button(accept_text, "primary")
        self.cancel = push_button(tr("Cancel"))
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.reject)
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(12)
        self._form.setVerticalSpacing(8)
        footer = row_of(None, self.cancel, self.accept_button)
        self.setLayout(column_of(self._form, footer, margins=_MARGINS, gap=16))
        self.setMinimumWidth(scaled_pixels(_WIDTH, self.font()))

    def add_field(self, text: str, field: QWidget) -> None:
        """Add a field below the others, full width without a text; the first gets the focus."""
        field.setProperty("role", "field")
        if text:
            name = text_label(text)
            name.setBuddy(field)
            self._form.addRow(name, field)
        else:
            self._form.addRow(field)
        if self._form.rowCount() == 1:
            field.setFocus()

    def require_text(self, field: QLineEdit) -> None:
        """Accept only while a field says something."""
        field.textChanged.connect(self._on_required_text)
        self._on_required_text(field.text())

    def _on_required_text(self, text: str) -> None:
        self.accept_button.setEnabled(bool(text.strip()))


def question_dialog(parent: QWidget, question: str, yes: str) -> FormDialog:
    """Return a question with ``yes`` and Cancel, which has the focus."""
    result = FormDialog(parent, parent.windowTitle(), yes)
    label = text_label(question, wraps=True)
    result.add_field("", label)
    result.accept_button.setDefault(False)
    result.cancel.setFocus()
    return result


_MIN_HEIGHT = 200  # pixels
_MOVE_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class PickDialog(QDialog):
    """Emits ``chosen(value)``. The search covers numbers, titles and notes."""

    chosen = Signal(str)

    def __init__(
        self,
        parent: QWidget | None,
        title: str,
        choices: Sequence[PickerChoice],
        current: str,
        empty: str,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self._choices = tuple(choices)
        self._current = current
        self._empty = empty
        self._shown_choices: list[PickerChoice] = []
        self.field = QLineEdit(placeholderText=tr("Find by number, words or kind"))
        self.field.setAccessibleName(tr("Find"))
        self.field.setClearButtonEnabled(True)
        self._list = SideList(title)
        self._count = text_label("", "secondary")
        self.open_button = push_button(tr("Open"), "primary")
        self.open_button.setDefault(True)
        self._lay_out()
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self._list.itemDoubleClicked.connect(self._on_item)
        self.open_button.clicked.connect(self._on_go)
        self._fill()
        self.field.setFocus()

    def _lay_out(self) -> None:
        cancel = push_button(tr("Cancel"))
        cancel.clicked.connect(self.reject)
        footer = row_of(
            self._count, cancel, self.open_button, gap=12, stretched=self._count
        )
        self.setLayout(
            column_of(
                self.field,
                self._list,
                footer,
                margins=_MARGINS,
                gap=12,
                stretched=self._list,
            )
        )
        fit_dialog(self, 680, min(520, _MIN_HEIGHT + _ROW_HEIGHT * len(self._choices)))

    def _fill(self) -> None:
        words = self.field.text().casefold().split()
        self._shown_choices = [
            choice for choice in self._choices if _matches(choice, words)
        ]
        values = [choice.value for choice in self._shown_choices]
        if self._current in values:
            row = values.index(self._current)
        else:
            row = 0
        entries = [
            (choice.label, _note(choice, self._current), True)
            for choice in self._shown_choices
        ]
        self._list.show_entries(entries, row if values else -1)
        self._list.show_numbers(values)
        if values:
            self._list.scrollToItem(self._list.item(row))
        total_text = tr("{count:,} in all").format(count=len(self._choices))
        if len(values) == len(self._choices):
            count_text = total_text
        else:
            count_text = tr("{count:,} found of {many}").format(
                count=len(values), many=total_text
            )
        self._count.setText(count_text if self._choices else self._empty)
        self.open_button.setEnabled(bool(values))

    def _on_go(self) -> None:
        row = self._list.currentRow()
        if 0 <= row < len(self._shown_choices):
            self.accept()
            if self._shown_choices[row].value != self._current:
                self.chosen.emit(self._shown_choices[row].value)

    def _on_item(self, item: QListWidgetItem) -> None:
        self._on_go()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys in the search field move in the list."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in _MOVE_KEYS
        ):
            self._list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)


def _matches(choice: PickerChoice, words: Sequence[str]) -> bool:
    text = f"{choice.value} {choice.label} {choice.hint}".casefold()
    return all(word in text for word in words)


def _note(choice: PickerChoice, current: str) -> str:
    parts = (tr("open") if choice.value == current else "", choice.hint)
    return " · ".join(part for part in parts if part)
