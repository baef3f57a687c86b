"""The menu of runs: every compaction of the open transcript."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from core.presentation.model import Screen
from gui.language import tr

EMPTY = "No run yet: Compact makes one"


class RunsMenu(QMenu):
    """One entry per run, the shown one checked; emits ``chosen(number)``."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Runs"), parent)
        self._group = QActionGroup(self)
        self._shown_runs: tuple[tuple[str, str], ...] | None = None
        self._group.triggered.connect(self._on_triggered)
        self._fill(())

    def show_screen(self, screen: Screen) -> None:
        self._fill(tuple((choice.value, choice.label) for choice in screen.run_choices))
        for action in self._group.actions():
            action.setChecked(action.data() == screen.run)

    def clear_runs(self) -> None:
        self._fill(())

    def _fill(self, runs: tuple[tuple[str, str], ...]) -> None:
        if runs == self._shown_runs:
            return
        self._shown_runs = runs
        for action in self._group.actions():
            self._group.removeAction(action)
        self.clear()
        for number, text in runs:
            action = QAction(f"{text[:1].upper()}{text[1:]}", self)
            action.setData(number)
            action.setCheckable(True)
            self._group.addAction(action)
            self.addAction(action)
        if not runs:
            self.addAction(tr(EMPTY)).setEnabled(False)

    def _on_triggered(self, action: QAction) -> None:
        self.chosen.emit(action.data())
