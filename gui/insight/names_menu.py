"""A menu to choose several strategies, presets and recorded compactions from; two at least stay."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from core.view.values import Choice

_LEAST = 2


class NamesMenu(QMenu):
    """Emits ``chosen(names)`` with the new choice."""

    chosen = Signal(object)  # tuple[str, ...]

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._names: tuple[str, ...] = ()
        self.triggered.connect(self._on_triggered)

    def offer(self, choices: Sequence[Choice], names: Sequence[str]) -> None:
        """Offer these, under the titles of their groups; ``names`` are chosen."""
        self._names = tuple(names)
        self.clear()
        group = ""
        for choice in choices:
            if choice.group != group:
                group = choice.group
                self.addSection(group)
            action = self.addAction(choice.label)
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
