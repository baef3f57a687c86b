"""The line under the facts that opens the probes dialog."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.presentation.probes.model import ProbeOffer
from gui.widgets.basic_widgets import push_button
from gui.widgets.text_labels import ElidedLabel

PROBES_LINK = "probes:"
"""The link that opens the probes dialog."""
_PAD = 12


class ProbeFooter(QWidget):
    """Shows a ProbeOffer: a link, and at its right the price or why probes cannot run."""

    link_activated = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "foot")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.link, self._note = push_button("", "link"), ElidedLabel("", "secondary", min_chars=8)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(_PAD, 4, _PAD, 4)
        row.setSpacing(8)
        row.addWidget(self.link)
        row.addWidget(self._note, 1)
        self._offer = ProbeOffer("", "")
        self.link.clicked.connect(self._on_clicked)
        self.link.hide()

    @property
    def note(self) -> str:
        return self._note.full_text

    def show_offer(self, offer: ProbeOffer) -> None:
        self._offer = offer
        self.link.show()
        self._note.show_text(offer.note, offer.short_note)
        self._fit()

    def _fit(self) -> None:
        """Use the short link if the note would be cut beside the long one."""
        offer, margins = self._offer, self._row.contentsMargins()
        self.link.setText(offer.link)
        available = self.width() - margins.left() - margins.right() - self._row.spacing()
        if offer.short_link and self.link.sizeHint().width() + self._note.sizeHint().width() > available:
            self.link.setText(offer.short_link)
        has_room = self.link.sizeHint().width() + self._note.minimumSizeHint().width() <= available
        self._note.setVisible(has_room)
        self.link.setToolTip("" if has_room else offer.note)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _on_clicked(self) -> None:
        self.link_activated.emit(PROBES_LINK)
