"""The dialog that asks for a program of somebody else as the strategy."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from core.presentation.preview_wording import program_consent
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.side_dialog import FormDialog


class ProgramDialog(FormDialog):
    """Emits ``chosen(command)``."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None, command: str) -> None:
        super().__init__(parent, tr("Other program"), tr("Run"))
        self.command_field = QLineEdit(command)
        self.command_field.setAccessibleName(tr("Command"))
        self.command_field.setPlaceholderText("node mine.js")
        self.command_field.selectAll()
        self.command_field.textChanged.connect(self._on_text)
        self.consent = text_label(tr(program_consent()), "secondary", wraps=True)
        self.add_field(tr("Command"), self.command_field)
        self.add_field("", self.consent)
        self._on_text(command)
        self.accepted.connect(self._on_accepted)

    def _on_text(self, text: str) -> None:
        self.accept_button.setEnabled(bool(text.strip()))

    def _on_accepted(self) -> None:
        self.chosen.emit(self.command_field.text().strip())
