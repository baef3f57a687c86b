"""A scroll bar that takes no room: it lies over the right margin of the rows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollBar, QWidget

BAR = 8
"""Pixels: its width."""
_THIN = f"""QScrollBar:vertical {{ width: {BAR}px; }}
QScrollBar::handle:vertical {{ margin: 2px; border-radius: 2px; min-height: 32px; }}"""


class ThinScrollBar(QScrollBar):
    """Stands for the scroll bar of a view that keeps its own one hidden."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._room = parent
        self.setStyleSheet(_THIN)
        self.hide()

    def follow(self, own: QScrollBar) -> None:
        """Move with the hidden bar, and it with this one."""
        self._own = own
        own.rangeChanged.connect(self._on_range)
        own.valueChanged.connect(self.setValue)
        self.valueChanged.connect(own.setValue)

    def fit(self) -> None:
        """Follow the size of the view."""
        self.setGeometry(self._room.width() - BAR, 0, BAR, self._room.height())

    def _on_range(self, low: int, high: int) -> None:
        self.setRange(low, high)
        self.setPageStep(self._own.pageStep())
        self.setSingleStep(self._own.singleStep())
        self.setVisible(high > low)
