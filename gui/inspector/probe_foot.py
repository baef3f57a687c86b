"""The line under the facts that leads to the questions for a model."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.view.probe_values import ProbeOffer
from gui.parts import button
from gui.texts import ElidedLabel

LINK = "probes:"
"""What the inspector's page follows to open the questions."""
_PAD = 12


class ProbeFoot(QWidget):
    """Shows a ProbeOffer: a link, and at its right what asking costs or why it cannot be done."""

    link_activated = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "foot")
        self.link, self._note = button("", "link"), ElidedLabel("", "secondary", least=8)
        row = QHBoxLayout(self)
        row.setContentsMargins(_PAD, 4, _PAD, 4)
        row.setSpacing(8)
        row.addWidget(self.link)
        row.addWidget(self._note, 1)
        self.link.clicked.connect(self._on_clicked)
        self.link.hide()

    @property
    def note(self) -> str:
        """Price or reason as shown."""
        return self._note.full_text

    def show_offer(self, offer: ProbeOffer) -> None:
        """Show what is offered."""
        self.link.setText(offer.link)
        self.link.show()
        self._note.show_text(offer.note, offer.short)

    def _on_clicked(self) -> None:
        self.link_activated.emit(LINK)
