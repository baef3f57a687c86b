"""Effect of the last change: what was changed, what followed, and the way back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from core.view.values import Effect
from gui.facts import FactList
from gui.language import tr
from gui.parts import button
from gui.texts import ElidedLabel
from gui.theme import Theme

_PAD = 12


class EffectBox(QWidget):
    """Shows one Effect."""

    undo_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._title, self._change = ElidedLabel(), ElidedLabel("", "secondary")
        self._undo, self._facts = button(tr("Undo"), "link"), FactList()
        self._undo.setToolTip(tr("Take back the last change of a setting (Ctrl Z)"))
        self._undo.clicked.connect(self.undo_requested)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self._title)
        row.addWidget(self._change, 1)
        row.addWidget(self._undo, 0, Qt.AlignmentFlag.AlignRight)
        inside = QVBoxLayout()
        inside.setContentsMargins(_PAD, 9, _PAD, 7)
        inside.setSpacing(2)
        inside.addWidget(ElidedLabel(tr("Effect of the last change"), "group"))
        inside.addLayout(row)
        inside.addWidget(self._facts)
        rule = QFrame()
        rule.setProperty("role", "rule")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(inside)
        column.addWidget(rule)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self._facts.set_theme(theme)

    def show_effect(self, effect: Effect | None, can_undo: bool) -> None:
        """Show an effect; nothing where there was no change."""
        self.setVisible(effect is not None)
        self._undo.setEnabled(can_undo)
        if effect is not None:
            self._title.show_text(effect.title)
            self._change.show_text(effect.change)
            self._facts.show_facts(effect.facts)
