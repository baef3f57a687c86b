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

    run_named = Signal(str, str)

    def __init__(self, parent: QWidget, runs: Sequence[PickerChoice], current: str) -> None:
        super().__init__(parent, tr("Keep run as"), tr("Keep"))
        self.run_picker = _picker(runs, current, tr("Run to keep"))
        self.name_field = QLineEdit()
        self.name_field.setAccessibleName(tr("Name"))
        self.name_field.setPlaceholderText(tr("before the refactoring"))
        self.name_field.textChanged.connect(self._on_text)
        self.add_field(tr("Run"), self.run_picker)
        self.add_field(tr("Name"), self.name_field)
        self.accept_button.setEnabled(False)
        self.name_field.setFocus()
        self.accepted.connect(self._on_accepted)

    def _on_text(self, text: str) -> None:
        self.accept_button.setEnabled(bool(text.strip()))

    def _on_accepted(self) -> None:
        self.run_named.emit(self.run_picker.currentData(), self.name_field.text().strip())


class CompareRunsDialog(FormDialog):
    """Emits ``chosen(a, b)``: the runs for the before and the after list."""

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget, runs: Sequence[PickerChoice]) -> None:
        super().__init__(parent, tr("Compare two runs"), tr("Compare"))
        self.before_picker = _picker(runs, runs[-2].value, tr("Before"))
        self.after_picker = _picker(runs, runs[-1].value, tr("After"))
        self.add_field(tr("Before"), self.before_picker)
        self.add_field(tr("After"), self.after_picker)
        for picker in (self.before_picker, self.after_picker):
            picker.currentIndexChanged.connect(self._on_changed)
        self.accepted.connect(self._on_accepted)

    def _on_changed(self) -> None:
        self.accept_button.setEnabled(self.before_picker.currentData() != self.after_picker.currentData())

    def _on_accepted(self) -> None:
        self.chosen.emit(self.before_picker.currentData(), self.after_picker.currentData())


def _picker(runs: Sequence[PickerChoice], current: str, name: str) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    for run in runs:
        box.addItem(f"{run.label[:1].upper()}{run.label[1:]}", run.value)
    box.setCurrentIndex(max(0, box.findData(current)))
    return box
