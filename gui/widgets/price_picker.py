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
        label_text = tr("Price model calls as")
        tip = tr("What the summaries would cost, had this model written them. Nothing is called.")
        self.picker = Picker(label_text, f"{label_text}: {tip}")
        self.picker.picked.connect(self.picked)
        self._label = text_label(label_text, "secondary")
        self._label.setBuddy(self.picker)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._label)
        row.addWidget(self.picker)
        self.hide()

    def show_choice(self, choice: PriceChoice) -> None:
        """Offer these choices; without choices the picker is hidden."""
        shown_values = [self.picker.itemData(row) for row in range(self.picker.count())]
        if shown_values != [one.value for one in choice.choices]:
            self.picker.set_choices(choice.choices)
        self.picker.set_value(choice.value)
        self.picker.setMinimumWidth(self.picker.sizeHint().width())  # other texts of the view shrink first
        self.setVisible(bool(choice.choices))

    def set_short(self, short: bool) -> None:
        """Hide the words before the picker; its tooltip has them too."""
        self._label.setVisible(not short)
        self.updateGeometry()
