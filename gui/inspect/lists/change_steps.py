"""The number of the current change, with buttons to the previous and next one (ui.md section 5)."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from core.common.number_format import count, plural
from gui.action_table import ACTIONS
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import glyph_icon
from gui.widgets.theme import Theme

_STEPS = {"previous-change": (-1, "chevron-up"), "next-change": (1, "chevron-down")}
"""Step and glyph of each button, by the action that does the same."""


class ChangeSteps(QWidget):
    """Emits ``stepped`` with 1 for the next change, -1 for the previous one."""

    stepped = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._label = text_label("", "secondary")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self._label)
        self._buttons: dict[str, QPushButton] = {}
        for action in (candidate for candidate in ACTIONS if candidate.id in _STEPS):
            self._buttons[action.id] = step = push_button("", "flat")
            step.setAccessibleName(tr(action.text))
            step.setToolTip(f"{tr(action.tip)} ({action.keys[0]})")
            step.setProperty("step", _STEPS[action.id][0])
            step.clicked.connect(self._on_clicked)
        for name in _STEPS:
            row.addWidget(self._buttons[name])

    @property
    def text(self) -> str:
        return self._label.text()

    def set_theme(self, theme: Theme) -> None:
        for name, step in self._buttons.items():
            step.setIcon(glyph_icon(_STEPS[name][1], theme.text))

    def show_position(self, number: int, total: int) -> None:
        """Show the ``number``-th change of ``total``, 0 before the first; nothing if there are none."""
        label_text = tr("change {number} of {total}").format(number=count(number), total=count(total))
        self._label.setText(label_text if number else tr(plural(total, "change")))
        for step in self._buttons.values():
            step.setEnabled(total > 0)

    def _on_clicked(self) -> None:
        self.stepped.emit(self.sender().property("step"))
