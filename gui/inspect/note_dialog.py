"""The dialog for the user's note on a message."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from gui.language import tr
from gui.widgets.small_dialog import FormDialog


class NoteDialog(FormDialog):
    """Emits ``written(words)``; an empty text removes the note."""

    written = Signal(str)

    def __init__(self, parent: QWidget, words: str) -> None:
        super().__init__(parent, tr("Note on the message"), tr("Keep"))
        self.words = QLineEdit(words)
        self.words.setAccessibleName(tr("Note"))
        self.words.setPlaceholderText(tr("why this matters"))
        self.words.setMaxLength(500)
        self.words.selectAll()
        self.add("", self.words)
        self.accepted.connect(self._on_accepted)

    def _on_accepted(self) -> None:
        self.written.emit(" ".join(self.words.text().split()))
