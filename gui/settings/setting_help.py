"""The card under the settings: description, key and command line of a setting."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from core.presentation.model import SettingControl
from gui.widgets.basic_widgets import text_label
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import mono_font_for


class HelpCard(QFrame):
    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._title, self._key = ElidedLabel("", "strong"), ElidedLabel("", "muted", min_chars=8)
        self._help, self._command = text_label("", "muted"), ElidedLabel("", "muted")
        self._help.setWordWrap(True)
        self._help.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        for label in (self._key, self._command):
            label.setFont(mono_font_for(self.font()))
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        title_row = QHBoxLayout()
        title_row.addWidget(self._title, 1)
        title_row.addWidget(self._key)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        column.addLayout(title_row)
        column.addWidget(self._help)
        column.addWidget(self._command)

    @property
    def text(self) -> str:
        parts = (self._title.full_text, self._key.full_text, self._help.text(), self._command.full_text)
        return "\n".join(part for part in parts if part)

    def show_control(self, control: SettingControl) -> None:
        self.show_help(control.label, control.help, control.key, control.command)

    def show_help(self, title: str, help: str, key: str = "", command: str = "") -> None:
        self._title.show_text(title)
        self._key.show_text(key)
        self._help.setText(help)
        self._command.show_text(command)
        self._command.setVisible(bool(command))
