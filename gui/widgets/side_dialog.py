"""A dialog with a list at the left, a pane at the right, and a foot below both."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from gui.widgets.theme import fit_dialog


class SideDialog(QDialog):
    """Not modal. Subclasses fill ``side``, ``pane`` and ``foot``."""

    def __init__(
        self, parent: QWidget | None, title: str, *, side_letters: int, size: tuple[int, int] = (1060, 700)
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self._side_letters = side_letters
        self._side, pane, foot = QWidget(), QWidget(), QWidget()
        for part, role in ((self._side, "side-edge"), (pane, "pane"), (foot, "foot")):
            part.setProperty("role", role)
            part.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.side, self.pane, self.foot = QVBoxLayout(self._side), QVBoxLayout(pane), QHBoxLayout(foot)
        self.side.setContentsMargins(0, 8, 1, 8)
        self.side.setSpacing(8)
        self.pane.setContentsMargins(0, 0, 0, 0)
        self.pane.setSpacing(0)
        self.foot.setContentsMargins(16, 8, 16, 8)
        self.foot.setSpacing(8)
        upper = QHBoxLayout()
        upper.setSpacing(0)
        upper.addWidget(self._side)
        upper.addWidget(pane, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(upper, 1)
        column.addWidget(foot)
        fit_dialog(self, *size)
        self.setMinimumSize(720, 420)

    def measure_side(self) -> None:
        """Make the side as wide as its letters or its widgets need."""
        width = self._side_letters * self.fontMetrics().averageCharWidth()
        self._side.setFixedWidth(max(width, self.side.minimumSize().width()))

    def event(self, event: QEvent) -> bool:
        is_handled = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show, QEvent.Type.FontChange):
            self.measure_side()
        return is_handled
