"""The dialog for the user's note on a message."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from gui.language import tr
from gui.widgets.small_dialog import FormDialog


class NoteDialog(FormDialog):
    """Emits ``written(words)``; an empty text removes the note."""

    written = Signal(str)

    def __init__(self, parent: QWidget, text: str) -> None:
        super().__init__(parent, tr("Note on the message"), tr("Keep"))
        self.note_field = QLineEdit(text)
        self.note_field.setAccessibleName(tr("Note"))
        self.note_field.setPlaceholderText(tr("why this matters"))
        self.note_field.setMaxLength(500)
        self.note_field.selectAll()
        self.add_field("", self.note_field)
        self.accepted.connect(self._on_accepted)

    def _on_accepted(self) -> None:
        self.written.emit(" ".join(self.note_field.text().split()))
