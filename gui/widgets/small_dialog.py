"""Small dialogs: labelled fields, a question, or one of many entries; with Cancel and a default button."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QFormLayout, QLineEdit, QListWidgetItem, QWidget

from core.presentation.model import PickerChoice
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.side_dialog import SideList
from gui.widgets.theme import fit_dialog, scaled_pixels
from gui.widgets.view_layout import column_of, row_of

_WIDTH, _MARGINS = 420, (16, 16, 16, 12)


class FormDialog(QDialog):
    """Enter presses ``accept_button``, which accepts; a subclass adds fields and handles the result."""

    def __init__(self, parent: QWidget | None, title: str, accept_text: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.accept_button, self.cancel = push_button(accept_text, "primary"), push_button(tr("Cancel"))
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


def question_dialog(parent: QWidget, question: str, yes: str) -> FormDialog:
    """Return a question with ``yes`` and Cancel, which has the focus."""
    result = FormDialog(parent, parent.windowTitle(), yes)
    label = text_label(question)
    label.setWordWrap(True)
    result.add_field("", label)
    result.accept_button.setDefault(False)
    result.cancel.setFocus()
    return result


_MIN_HEIGHT, _ROW_HEIGHT = 200, 28  # pixels
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
        self._choices, self._current, self._empty = tuple(choices), current, empty
        self._shown_choices: list[PickerChoice] = []
        self._field = QLineEdit(placeholderText=tr("Find by number, words or kind"))
        self._field.setAccessibleName(tr("Find"))
        self._field.setClearButtonEnabled(True)
        self._list = SideList(title)
        self._count = text_label("", "secondary")
        self._open_button = push_button(tr("Open"), "primary")
        self._open_button.setDefault(True)
        self._lay_out()
        self._field.textChanged.connect(self._fill)
        self._field.installEventFilter(self)
        self._list.itemDoubleClicked.connect(self._on_item)
        self._open_button.clicked.connect(self._on_go)
        self._fill()
        self._field.setFocus()

    def _lay_out(self) -> None:
        cancel = push_button(tr("Cancel"))
        cancel.clicked.connect(self.reject)
        footer = row_of(self._count, cancel, self._open_button, gap=12, stretched=self._count)
        self.setLayout(
            column_of(self._field, self._list, footer, margins=_MARGINS, gap=12, stretched=self._list)
        )
        fit_dialog(self, 680, min(520, _MIN_HEIGHT + _ROW_HEIGHT * len(self._choices)))

    @property
    def rows(self) -> tuple[str, ...]:
        """The offered rows as text."""
        tips = (self._list.item(row).toolTip() for row in range(self._list.count()))
        return tuple(f"{choice.value} {tip}" for choice, tip in zip(self._shown_choices, tips, strict=True))

    @property
    def field(self) -> QLineEdit:
        return self._field

    def _fill(self) -> None:
        words = self._field.text().casefold().split()
        self._shown_choices = [choice for choice in self._choices if _matches(choice, words)]
        values = [choice.value for choice in self._shown_choices]
        row = values.index(self._current) if self._current in values else 0
        entries = [(choice.label, _note(choice, self._current), True) for choice in self._shown_choices]
        self._list.show_entries(entries, row if values else -1)
        self._list.show_numbers(values)
        if values:
            self._list.scrollToItem(self._list.item(row))
        total_text = tr("{count:,} in all").format(count=len(self._choices))
        count_text = (
            total_text
            if len(values) == len(self._choices)
            else tr("{count:,} found of {many}").format(count=len(values), many=total_text)
        )
        self._count.setText(count_text if self._choices else self._empty)
        self._open_button.setEnabled(bool(values))

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
