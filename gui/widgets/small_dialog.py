"""A small dialog: labelled fields, with Cancel and a default button below."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QVBoxLayout, QWidget

from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.theme import scaled_pixels

_WIDTH = 420


class FormDialog(QDialog):
    """Enter presses ``go``, which accepts; a subclass adds fields and handles the result."""

    def __init__(self, parent: QWidget | None, title: str, word: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.go, cancel = push_button(word, "primary"), push_button(tr("Cancel"))
        self.go.setDefault(True)
        self.go.clicked.connect(self.accept)
        cancel.clicked.connect(self.reject)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch(1)
        for one in (cancel, self.go):
            foot.addWidget(one)
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(12)
        self._form.setVerticalSpacing(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(16)
        column.addLayout(self._form)
        column.addLayout(foot)
        self.setMinimumWidth(scaled_pixels(_WIDTH, self.font()))

    def add(self, text: str, field: QWidget) -> None:
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
