"""A button with a menu of choices, one or several of which are checked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton

from core.presentation.model import PickerChoice


class ChoiceButton(QPushButton):
    """Emits ``chosen(values)`` with the new choice: one value, or for ``several`` at least ``least``."""

    chosen = Signal(object)  # tuple[str, ...]

    def __init__(self, text: str, tip: str, *, several: bool = True, least: int = 0) -> None:
        super().__init__(text)
        self.setProperty("role", "small")
        self.setAutoDefault(False)
        self.setToolTip(tip)
        self._several, self._least = several, least
        self.choices: tuple[PickerChoice, ...] = ()
        self.values: tuple[str, ...] = ()
        self._choice_menu = QMenu(self)
        self._choice_menu.setToolTipsVisible(True)
        self._choice_menu.triggered.connect(self._on_triggered)
        self.setMenu(self._choice_menu)

    def show_choices(self, choices: Sequence[PickerChoice], values: Sequence[str]) -> None:
        """Offer these choices, grouped under headings; ``values`` are checked. Hidden without choices."""
        self.setVisible(bool(choices))
        if (tuple(choices), tuple(values)) == (self.choices, self.values):
            return
        self.choices, self.values = tuple(choices), tuple(values)
        self._choice_menu.clear()
        group = ""
        for choice in choices:
            if choice.group != group:
                group = choice.group
                self._choice_menu.addSection(group)
            action = self._choice_menu.addAction(choice.label)
            action.setCheckable(True)
            action.setChecked(choice.value in self.values)
            action.setData(choice.value)
            action.setToolTip(choice.hint)

    @property
    def label(self) -> str:
        """The label of the first checked choice."""
        return next((choice.label for choice in self.choices if choice.value in self.values), "")

    def _on_triggered(self, action: QAction) -> None:
        value = str(action.data())
        if not self._several:
            self.chosen.emit((value,))
            return
        values = [other for other in self.values if other != value]
        if value not in self.values:
            values.append(value)
        if len(values) >= self._least:
            self.chosen.emit(tuple(values))
        else:
            action.setChecked(True)
