"""The dialog of a note: a person's own words on one message."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from gui.language import tr
from gui.parts import button
from gui.theme import scaled


class NoteDialog(QDialog):
    """Emits ``written(words)``; no words take the note off."""

    written = Signal(str)

    def __init__(self, parent: QWidget, words: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Note on the message"))
        self.words = QLineEdit(words)
        self.words.setAccessibleName(tr("Note"))
        self.words.setPlaceholderText(tr("why this matters"))
        self.words.setMaxLength(500)
        self.words.selectAll()
        self.keep = button(tr("Keep"), "primary")
        self.keep.setDefault(True)
        self.keep.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.keep)
        box = QVBoxLayout(self)
        box.addWidget(self.words)
        box.addLayout(foot)
        self.setMinimumWidth(scaled(420, self.font()))
        self.words.setFocus()
        self.accepted.connect(self._on_accepted)

    def _on_accepted(self) -> None:
        self.written.emit(" ".join(self.words.text().split()))
