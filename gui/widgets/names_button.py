"""A button with a menu to choose several strategies, presets and recorded compactions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton

from core.presentation.model import PickerChoice

_MIN_NAMES = 2
"""The least number of chosen names."""


class NamesButton(QPushButton):
    """Emits ``chosen(names)`` with the new choice."""

    chosen = Signal(object)  # tuple[str, ...]

    def __init__(self, text: str, tip: str) -> None:
        super().__init__(text)
        self.setProperty("role", "small")
        self.setAutoDefault(False)
        self.setToolTip(tip)
        self._names: tuple[str, ...] = ()
        self._choices_menu = QMenu(self)
        self._choices_menu.setToolTipsVisible(True)
        self._choices_menu.triggered.connect(self._on_triggered)
        self.setMenu(self._choices_menu)

    def set_choices(self, choices: Sequence[PickerChoice], names: Sequence[str]) -> None:
        """Offer these choices, grouped under headings; ``names`` are checked."""
        self._names = tuple(names)
        self._choices_menu.clear()
        group = ""
        for choice in choices:
            if choice.group != group:
                group = choice.group
                self._choices_menu.addSection(group)
            action = self._choices_menu.addAction(choice.label)
            action.setCheckable(True)
            action.setChecked(choice.value in self._names)
            action.setData(choice.value)
            action.setToolTip(choice.hint)

    def _on_triggered(self, action: QAction) -> None:
        name, names = action.data(), list(self._names)
        if name in names and len(names) > _MIN_NAMES:
            names.remove(name)
        elif name not in names:
            names.append(name)
        self.chosen.emit(tuple(names))
