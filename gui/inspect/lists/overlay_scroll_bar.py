"""A scroll bar over the right margin of the rows, which takes no space."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollBar, QWidget

BAR = 8
"""Width in pixels."""
_THIN = f"""QScrollBar:vertical {{ width: {BAR}px; }}
QScrollBar::handle:vertical {{ margin: 2px; border-radius: 2px; min-height: 32px; }}"""


class ThinScrollBar(QScrollBar):
    """Replaces the hidden scroll bar of a view."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._room = parent
        self.setStyleSheet(_THIN)
        self.hide()

    def follow(self, own: QScrollBar) -> None:
        self._own = own
        own.rangeChanged.connect(self._on_range)
        own.valueChanged.connect(self.setValue)
        self.valueChanged.connect(own.setValue)

    def fit(self) -> None:
        self.setGeometry(self._room.width() - BAR, 0, BAR, self._room.height())

    def _on_range(self, low: int, high: int) -> None:
        self.setRange(low, high)
        self.setPageStep(self._own.pageStep())
        self.setSingleStep(self._own.singleStep())
        self.setVisible(high > low)
