"""The shelf of runs: keep one under a name, show two of them side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QDialog, QFormLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from core.view.values import Choice
from gui.language import tr
from gui.parts import button, label
from gui.theme import scaled


class NameRunDialog(QDialog):
    """Emits ``named(number, name)``."""

    named = Signal(str, str)

    def __init__(self, parent: QWidget, runs: Sequence[Choice], current: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keep run as"))
        self.run = _picker(runs, current, tr("Run to keep"))
        self.name = QLineEdit()
        self.name.setAccessibleName(tr("Name"))
        self.name.setPlaceholderText(tr("before the refactoring"))
        self._keep = button(tr("Keep"), "primary")
        self._keep.setDefault(True)
        self._keep.setEnabled(False)
        self._keep.clicked.connect(self.accept)
        self.name.textChanged.connect(self._on_text)
        _lay_out(self, ((tr("Run"), self.run), (tr("Name"), self.name)), self._keep)
        self.name.setFocus()
        self.accepted.connect(self._on_accepted)

    def _on_text(self, text: str) -> None:
        self._keep.setEnabled(bool(text.strip()))

    def _on_accepted(self) -> None:
        self.named.emit(self.run.currentData(), self.name.text().strip())


class CompareRunsDialog(QDialog):
    """Emits ``chosen(a, b)``: the run whose result stands before, and the one whose result stands after."""

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget, runs: Sequence[Choice]) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Compare two runs"))
        self.before = _picker(runs, runs[-2].value, tr("Before"))
        self.after = _picker(runs, runs[-1].value, tr("After"))
        self._show = button(tr("Compare"), "primary")
        self._show.setDefault(True)
        self._show.clicked.connect(self.accept)
        for one in (self.before, self.after):
            one.currentIndexChanged.connect(self._on_changed)
        _lay_out(self, ((tr("Before"), self.before), (tr("After"), self.after)), self._show)
        self.accepted.connect(self._on_accepted)

    def _on_changed(self) -> None:
        self._show.setEnabled(self.before.currentData() != self.after.currentData())

    def _on_accepted(self) -> None:
        self.chosen.emit(self.before.currentData(), self.after.currentData())


def _picker(runs: Sequence[Choice], current: str, name: str) -> QComboBox:
    found = QComboBox()
    found.setAccessibleName(name)
    for run in runs:
        found.addItem(f"{run.label[:1].upper()}{run.label[1:]}", run.value)
    found.setCurrentIndex(max(0, found.findData(current)))
    return found


def _lay_out(dialog: QDialog, fields: Sequence[tuple[str, QWidget]], go: QWidget) -> None:
    form = QFormLayout()
    for text, field in fields:
        form.addRow(label(text), field)
    foot = QHBoxLayout()
    foot.addStretch(1)
    foot.addWidget(go)
    box = QVBoxLayout(dialog)
    box.addLayout(form)
    box.addLayout(foot)
    dialog.setMinimumWidth(scaled(420, dialog.font()))
