"""A scroll bar over the right margin of the rows, which takes no space."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollBar, QWidget

BAR_WIDTH = 8
"""Width in pixels."""
_STYLE = f"""QScrollBar:vertical {{ width: {BAR_WIDTH}px; }}
QScrollBar::handle:vertical {{ margin: 2px; border-radius: 2px; min-height: 32px; }}"""


class ThinScrollBar(QScrollBar):
    """Replaces the hidden scroll bar of a view."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._view = parent
        self.setStyleSheet(_STYLE)
        self.hide()

    def set_source(self, source_bar: QScrollBar) -> None:
        self._source_bar = source_bar
        source_bar.rangeChanged.connect(self._on_range)
        source_bar.valueChanged.connect(self.setValue)
        self.valueChanged.connect(source_bar.setValue)

    def fit(self) -> None:
        self.setGeometry(self._view.width() - BAR_WIDTH, 0, BAR_WIDTH, self._view.height())

    def _on_range(self, minimum: int, maximum: int) -> None:
        self.setRange(minimum, maximum)
        self.setPageStep(self._source_bar.pageStep())
        self.setSingleStep(self._source_bar.singleStep())
        self.setVisible(maximum > minimum)
