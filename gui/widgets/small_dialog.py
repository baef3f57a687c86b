"""A small dialog: labelled fields, with Cancel and a default button below."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QVBoxLayout, QWidget

from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.theme import scaled_pixels

_WIDTH = 420


class FormDialog(QDialog):
    """Enter presses ``accept_button``, which accepts; a subclass adds fields and handles the result."""

    def __init__(self, parent: QWidget | None, title: str, accept_text: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.accept_button, self.cancel = push_button(accept_text, "primary"), push_button(tr("Cancel"))
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.reject)
        footer = QHBoxLayout()
        footer.setSpacing(8)
        footer.addStretch(1)
        for button in (self.cancel, self.accept_button):
            footer.addWidget(button)
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(12)
        self._form.setVerticalSpacing(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(16)
        column.addLayout(self._form)
        column.addLayout(footer)
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
