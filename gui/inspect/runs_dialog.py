"""Dialogs for named runs: keep a run under a name, show two of them side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from core.presentation.model import PickerChoice
from gui.language import tr
from gui.widgets.small_dialog import FormDialog


class NameRunDialog(FormDialog):
    """Emits ``named(number, name)``."""

    named = Signal(str, str)

    def __init__(self, parent: QWidget, runs: Sequence[PickerChoice], current: str) -> None:
        super().__init__(parent, tr("Keep run as"), tr("Keep"))
        self.run = _picker(runs, current, tr("Run to keep"))
        self.name = QLineEdit()
        self.name.setAccessibleName(tr("Name"))
        self.name.setPlaceholderText(tr("before the refactoring"))
        self.name.textChanged.connect(self._on_text)
        self.add(tr("Run"), self.run)
        self.add(tr("Name"), self.name)
        self.go.setEnabled(False)
        self.name.setFocus()
        self.accepted.connect(self._on_accepted)

    def _on_text(self, text: str) -> None:
        self.go.setEnabled(bool(text.strip()))

    def _on_accepted(self) -> None:
        self.named.emit(self.run.currentData(), self.name.text().strip())


class CompareRunsDialog(FormDialog):
    """Emits ``chosen(a, b)``: the runs for the before and the after list."""

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget, runs: Sequence[PickerChoice]) -> None:
        super().__init__(parent, tr("Compare two runs"), tr("Compare"))
        self.before = _picker(runs, runs[-2].value, tr("Before"))
        self.after = _picker(runs, runs[-1].value, tr("After"))
        self.add(tr("Before"), self.before)
        self.add(tr("After"), self.after)
        for one in (self.before, self.after):
            one.currentIndexChanged.connect(self._on_changed)
        self.accepted.connect(self._on_accepted)

    def _on_changed(self) -> None:
        self.go.setEnabled(self.before.currentData() != self.after.currentData())

    def _on_accepted(self) -> None:
        self.chosen.emit(self.before.currentData(), self.after.currentData())


def _picker(runs: Sequence[PickerChoice], current: str, name: str) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    for run in runs:
        box.addItem(f"{run.label[:1].upper()}{run.label[1:]}", run.value)
    box.setCurrentIndex(max(0, box.findData(current)))
    return box
