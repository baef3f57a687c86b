"""Picks the model whose prices apply to offline summaries."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.presentation.model import PriceChoice
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.pickers import Picker


class PricePicker(QWidget):
    """Emits ``picked(model)`` for the user's choice: "" is the session's model."""

    picked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        words = tr("Price model calls as")
        tip = tr("What the summaries would cost, had this model written them. Nothing is called.")
        self.model = Picker(words, f"{words}: {tip}")
        self.model.picked.connect(self.picked)
        self._words = text_label(words, "secondary")
        self._words.setBuddy(self.model)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._words)
        row.addWidget(self.model)
        self.hide()

    def show_pick(self, pick: PriceChoice) -> None:
        """Offer these choices; without choices the picker is hidden."""
        offered = [self.model.itemData(at) for at in range(self.model.count())]
        if offered != [one.value for one in pick.choices]:
            self.model.set_choices(pick.choices)
        self.model.set_value(pick.value)
        self.model.setMinimumWidth(self.model.sizeHint().width())  # other texts of the view shrink first
        self.setVisible(bool(pick.choices))

    def set_short(self, short: bool) -> None:
        """Hide the words before the picker; its tooltip has them too."""
        self._words.setVisible(not short)
        self.updateGeometry()
