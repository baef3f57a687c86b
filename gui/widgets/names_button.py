"""A button with a menu to choose several strategies, presets and recorded compactions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton

from core.presentation.model import PickerChoice

_LEAST = 2
"""The least number of chosen names."""


class NamesButton(QPushButton):
    """Emits ``chosen(names)`` with the new choice."""

    chosen = Signal(object)  # tuple[str, ...]

    def __init__(self, words: str, tip: str) -> None:
        super().__init__(words)
        self.setProperty("role", "small")
        self.setAutoDefault(False)
        self.setToolTip(tip)
        self._names: tuple[str, ...] = ()
        self._offered = QMenu(self)
        self._offered.setToolTipsVisible(True)
        self._offered.triggered.connect(self._on_triggered)
        self.setMenu(self._offered)

    def offer(self, choices: Sequence[PickerChoice], names: Sequence[str]) -> None:
        """Offer these choices, grouped under headings; ``names`` are checked."""
        self._names = tuple(names)
        self._offered.clear()
        group = ""
        for choice in choices:
            if choice.group != group:
                group = choice.group
                self._offered.addSection(group)
            action = self._offered.addAction(choice.label)
            action.setCheckable(True)
            action.setChecked(choice.value in self._names)
            action.setData(choice.value)
            action.setToolTip(choice.hint)

    def _on_triggered(self, action: QAction) -> None:
        name, names = action.data(), list(self._names)
        if name in names and len(names) > _LEAST:
            names.remove(name)
        elif name not in names:
            names.append(name)
        self.chosen.emit(tuple(names))
