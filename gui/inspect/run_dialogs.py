"""Dialogs of the runs: those of this session, and which program to run as a strategy."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QSpinBox,
    QWidget,
)

from core.presentation.model import PickerChoice
from core.presentation.other_program import program_consent
from core.presentation.screen_model import Screen
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.side_dialog import FormDialog
from gui.widgets.text_labels import tabular_feature
from gui.widgets.theme import scaled_pixels


class NameRunDialog(FormDialog):
    """Emits ``named(number, name)``."""

    run_named = Signal(str, str)

    def __init__(
        self, parent: QWidget, runs: Sequence[PickerChoice], current: str
    ) -> None:
        super().__init__(parent, tr("Keep run as"), tr("Keep"))
        self.run_picker = _picker(runs, current, tr("Run to keep"))
        self.name_field = QLineEdit()
        self.name_field.setAccessibleName(tr("Name"))
        self.name_field.setPlaceholderText(tr("before the refactoring"))
        self.add_field(tr("Run"), self.run_picker)
        self.add_field(tr("Name"), self.name_field)
        self.require_text(self.name_field)
        self.name_field.setFocus()
        self.accepted.connect(self._on_accepted)

    def _on_accepted(self) -> None:
        self.run_named.emit(
            self.run_picker.currentData(), self.name_field.text().strip()
        )


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
        self.accept_button.setEnabled(
            self.before_picker.currentData() != self.after_picker.currentData()
        )

    def _on_accepted(self) -> None:
        self.chosen.emit(
            self.before_picker.currentData(), self.after_picker.currentData()
        )


def _picker(runs: Sequence[PickerChoice], current: str, name: str) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    for run in runs:
        box.addItem(f"{run.label[:1].upper()}{run.label[1:]}", run.value)
    box.setCurrentIndex(max(0, box.findData(current)))
    return box


class NoteDialog(FormDialog):
    """Emits ``written(words)``; an empty text removes the note."""

    written = Signal(str)

    def __init__(self, parent: QWidget, text: str) -> None:
        super().__init__(parent, tr("Note on the message"), tr("Keep"))
        self.note_field = QLineEdit(text)
        self.note_field.setAccessibleName(tr("Note"))
        self.note_field.setPlaceholderText(tr("why this matters"))
        self.note_field.setMaxLength(500)
        self.note_field.selectAll()
        self.add_field("", self.note_field)
        self.accepted.connect(self._on_accepted)

    def _on_accepted(self) -> None:
        self.written.emit(" ".join(self.note_field.text().split()))


_WIDTH = 90


class GoToDialog(QDialog):
    """Emits ``chosen(index)``, counted from 0; the field counts from 1."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget, count: int, current: int) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Go to message"))
        self.number = QSpinBox()
        self.number.setRange(1, max(1, count))
        self.number.setValue(current + 1)
        self.number.setPrefix("#")
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.number.setFont(tabular_feature())
        self.number.setMinimumWidth(scaled_pixels(_WIDTH, self.font()))
        self.number.setAccessibleName(tr("Message number"))
        self.number.selectAll()
        go_button = push_button(tr("Go"), "primary")
        go_button.setDefault(True)
        go_button.clicked.connect(self.accept)
        row = QHBoxLayout(self)
        row.addWidget(text_label(tr("Message")))
        row.addWidget(self.number)
        row.addWidget(text_label(tr("of {count:,}").format(count=count), "quiet"))
        row.addWidget(go_button)
        self.accepted.connect(self._on_accepted)

    def _on_accepted(self) -> None:
        self.chosen.emit(self.number.value() - 1)


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
        self._fill(
            tuple((choice.value, choice.label) for choice in screen.history.choices)
        )
        for action in self._group.actions():
            action.setChecked(action.data() == screen.history.run)

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


class ProgramDialog(FormDialog):
    """Emits ``chosen(command)``."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None, command: str) -> None:
        super().__init__(parent, tr("Other program"), tr("Run"))
        self.command_field = QLineEdit(command)
        self.command_field.setAccessibleName(tr("Command"))
        self.command_field.setPlaceholderText("node mine.js")
        self.command_field.selectAll()
        self.consent = text_label(tr(program_consent()), "secondary", wraps=True)
        self.add_field(tr("Command"), self.command_field)
        self.add_field("", self.consent)
        self.require_text(self.command_field)
        self.accepted.connect(self._on_accepted)

    def _on_accepted(self) -> None:
        self.chosen.emit(self.command_field.text().strip())
