"""One control of a group: label, editor, layer dot and hint, in the columns of the group's grid."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from core.presentation.model import SettingControl
from gui.inspect.tuning.editors import (
    ChoiceComboBox,
    FlagCheckBox,
    FractionSlider,
    FractionSpinBox,
    IntegerSpinBox,
    TextField,
)
from gui.inspect.tuning.hint import HintLabel
from gui.inspect.tuning.layer_dot import LayerDot
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.text_labels import ElidedLabel, set_style_property
from gui.widgets.theme import Theme

HOLD_MS = 400
"""For this long after a change, older answers do not reset the editor."""
COLUMNS = 4
INDENT = 23
PROMPT_KEY = "prompt"
"""The key of the fact that names the prompt, which can be edited."""
GAP, NARROW_GAP = 8, 3
DOT_MARGIN = 8
"""Pixels right of figures without a dot in a narrow panel, matching the space around dots."""

ControlEditor = FractionSlider | FractionSpinBox | IntegerSpinBox | FlagCheckBox | ChoiceComboBox | TextField


class ControlRow(QObject):
    """Widgets of one control. ``changed`` carries key, value and whether it is a draft."""

    changed = Signal(str, object, bool)
    layers_requested = Signal(object, object)  # SettingControl, the dot
    prompt_requested = Signal()

    def __init__(self, control: SettingControl, parent: QWidget) -> None:
        super().__init__(parent)
        self.control = control
        self._last_value: object = None
        self._is_narrow = False
        self._row_layout = QHBoxLayout()
        self._row_layout.setSpacing(GAP)
        self._hold_timer = QTimer(self, singleShot=True, interval=HOLD_MS)
        self._hold_timer.timeout.connect(self._on_hold_over)
        self._label = ElidedLabel("", "muted" if control.kind == "fact" else "", parent)
        self._value = ElidedLabel("", "", parent)
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._hint = HintLabel(parent)
        self.editors: tuple[ControlEditor, ...] = _editors(control, parent)
        for editor in self.editors:
            editor.changed.connect(self._on_changed)
        self._dot = LayerDot(parent)  # after the editors, for the Tab order
        self._dot.clicked.connect(self._on_dot)

    def add_to_grid(self, grid: QGridLayout, row: int, *, indented: bool) -> int:
        """Put the widgets into the grid from ``row`` on; return the next free row."""
        kind = self.control.kind
        self._label.setContentsMargins(INDENT if indented and kind != "flag" else 0, 0, 0, 0)
        self._label.setVisible(kind != "flag")
        self._value.setVisible(kind in ("fact", "flag", "whole"))
        match kind:
            case "flag":
                self._row_layout.addWidget(self.editors[0], 1)
                self._row_layout.addWidget(self._value)
                grid.addLayout(self._row_layout, row, 0, 1, 3)
            case "fraction":
                grid.addWidget(self.editors[0], row, 1)
                grid.addWidget(self.editors[1], row, 2)
            case "whole":
                grid.addLayout(self._label_row(), row, 0, 1, 2)
                grid.addWidget(self.editors[0], row, 2)  # as wide as the others of its group
            case "fact":
                grid.addLayout(self._label_row(), row, 0, 1, COLUMNS)
            case "text":
                grid.addLayout(self._label_row(), row, 0, 1, 3)
                self._row_layout.addWidget(self.editors[0], 1)
            case _:
                grid.addWidget(self.editors[0], row, 1, 1, 2)
        if kind not in ("flag", "whole", "fact", "text"):
            grid.addWidget(self._label, row, 0)
        if kind != "fact":
            grid.addWidget(self._dot, row, 3)
        grid.setRowMinimumHeight(row, 26)
        grid.addWidget(self._hint, row + 1, 0, 1, COLUMNS)
        self.show_control(self.control)
        return row + 2

    def _label_row(self) -> QHBoxLayout:
        """Return a row of label and value with their own widths, so that they do not widen the columns."""
        self._row_layout.addWidget(self._label)
        self._row_layout.addWidget(self._value, 1)
        if self.control.kind == "fact" and self.control.key == PROMPT_KEY:
            edit = push_button(tr("Edit…"), "link")
            edit.setAccessibleName(tr("Edit {label}").format(label=self.control.label))
            edit.clicked.connect(self.prompt_requested)
            self._row_layout.addWidget(edit)
        return self._row_layout

    def set_narrow(self, is_narrow: bool) -> None:
        """Use smaller figures and gaps and one-line hints in a narrow panel, so that labels keep their
        space."""
        self._is_narrow = is_narrow
        self._hint.set_elided(is_narrow)
        self._row_layout.setSpacing(NARROW_GAP if is_narrow else GAP)
        right_margin = DOT_MARGIN if is_narrow and self.control.kind == "fact" else 0
        self._row_layout.setContentsMargins(0, 0, right_margin, 0)
        self._show_value(self.control)

    def set_theme(self, theme: Theme) -> None:
        self._dot.set_theme(theme)
        self._hint.set_theme(theme)

    def show_control(self, control: SettingControl) -> None:
        """Show another value in place, unless the slider is dragged or a number is being typed."""
        self.control = control
        self._label.show_text(control.label)
        self._label.set_tip(control.help)
        self._label.setEnabled(control.enabled)
        self._show_value(control)
        self._hint.show_text(control.hint)
        self._dot.show_control(control)
        if control.kind == "fact":
            self._dot.hide()
        if control.value == self._last_value:
            self._hold_timer.stop()
        if not self._hold_timer.isActive():
            self._show_in_editors(control)

    def _show_value(self, control: SettingControl) -> None:
        text, tone = control.value_text, ""
        if control.kind == "flag":
            text, tone = control.effect, control.effect_tone
        elif control.kind == "whole":
            shown_number = f"{control.value:,}" if isinstance(control.value, int) else control.value_text
            text = "" if text == shown_number else text
        set_style_property(self._value, "tone", tone)
        is_small = control.kind == "whole" or (control.kind == "flag" and self._is_narrow)
        plain_role = "" if control.kind == "fact" or tone else "muted"
        set_style_property(self._value, "role", "secondary" if is_small else plain_role)
        self._value.show_text(text)

    def _show_in_editors(self, control: SettingControl) -> None:
        self._last_value = control.value
        for editor in self.editors:
            editor.show_control(control)

    def _on_hold_over(self) -> None:
        self._show_in_editors(self.control)

    def _on_changed(self, value: object, draft: bool) -> None:
        self._last_value = value
        self._hold_timer.start()
        for editor in self.editors:
            if editor is not self.sender() and isinstance(editor, FractionSlider | FractionSpinBox):
                editor.show_number(value if isinstance(value, float) else None)
        self.changed.emit(self.control.key, value, draft)

    def _on_dot(self) -> None:
        self.layers_requested.emit(self.control, self._dot)


def _editors(control: SettingControl, parent: QWidget) -> tuple[ControlEditor, ...]:
    match control.kind:
        case "fraction":
            return (FractionSlider(parent), FractionSpinBox(parent))
        case "whole":
            return (IntegerSpinBox(parent),)
        case "flag":
            return (FlagCheckBox(parent),)
        case "choice":
            return (ChoiceComboBox(parent),)
        case "text":
            return (TextField(parent),)
    return ()
