"""Effect of the last change: what was changed, its consequences, and Undo."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QVBoxLayout, QWidget

from core.presentation.model import ChangeEffect
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.figure_list import FigureList
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import Theme

_PAD, _GAP, _LINE_HEIGHT = 12, 6, 24


class EffectBox(QWidget):
    undo_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._title, self._change = ElidedLabel(), ElidedLabel("", "secondary")
        self._undo, self._facts = (
            push_button(tr("Undo"), "link"),
            FigureList(row_height=_LINE_HEIGHT, drops_nouns=True),
        )
        self._undo.setToolTip(tr("Take back the last change of a setting (Ctrl Z)"))
        self._undo.clicked.connect(self.undo_requested)
        self._row = QGridLayout()
        self._row.setHorizontalSpacing(_GAP)
        self._row.setVerticalSpacing(0)
        self._row.setColumnStretch(1, 1)
        self._row.addWidget(self._title, 0, 0)
        self._row.addWidget(self._undo, 0, 2)
        content = QVBoxLayout()
        content.setContentsMargins(_PAD, 9, _PAD, 7)
        content.setSpacing(2)
        content.addWidget(ElidedLabel(tr("Effect of the last change"), "group"))
        content.addLayout(self._row)
        content.addWidget(self._facts)
        self._rule_above, rule = QFrame(), QFrame()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for line in (self._rule_above, rule):
            line.setProperty("role", "rule")
        column.addWidget(self._rule_above)
        column.addLayout(content)
        column.addWidget(rule)
        self.set_rule_above(False)
        self._fit()
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._facts.set_theme(theme)

    def set_rule_above(self, is_apart: bool) -> None:
        self._rule_above.setVisible(is_apart)

    def show_effect(self, effect: ChangeEffect | None, can_undo: bool) -> None:
        """Show an effect; nothing if there was no change."""
        self.setVisible(effect is not None)
        self._undo.setEnabled(can_undo)
        if effect is not None:
            self._title.show_text(effect.title)
            self._change.show_text(effect.change)
            self._facts.show_facts(effect.facts)
            self._fit()

    def _fit(self) -> None:
        """Put the change beside the setting's name, or below it if it is too wide."""
        parts = (self._title, self._change, self._undo)
        needed_width = sum(part.sizeHint().width() for part in parts) + 2 * _GAP + 2 * _PAD
        self._row.removeWidget(self._change)
        if needed_width <= self.width():
            self._row.addWidget(self._change, 0, 1)
        else:
            self._row.addWidget(self._change, 1, 0, 1, 3)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
