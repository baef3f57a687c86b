"""A part as high as what is inside it, which scrolls only where the parts below it would have no room."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget


class ScrollContainer(QScrollArea):
    """Holds ``inside``; it keeps ``least`` pixels of it in sight, at ``width`` pixels if asked.

    The keyboard goes to what is inside, never to the area. Bar and size of what is inside are set here:
    where the bar makes a text wrap, Qt's own way goes to and fro between the two without end.
    """

    def __init__(self, inside: QWidget, *, role: str, least: int, width: int = 0) -> None:
        super().__init__()
        self._inside, self._least, self._width = inside, least, width
        self.setProperty("role", role)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setWidget(inside)

    def sizeHint(self) -> QSize:
        """All of it, at the width that there is."""
        return QSize(240, self._high(self.width()))

    def minimumSizeHint(self) -> QSize:
        """A little of it."""
        return QSize(self._width, min(self._least, self.sizeHint().height()))

    def _high(self, width: int) -> int:
        height = self._inside.heightForWidth(width)
        return height if height > 0 else self._inside.sizeHint().height()

    def _fit(self) -> None:
        """A bar where not all of it fits without one; what is inside takes the width that is left."""
        bar = Qt.ScrollBarPolicy
        fits = self._high(self.width()) <= self.height()
        self.setVerticalScrollBarPolicy(bar.ScrollBarAlwaysOff if fits else bar.ScrollBarAlwaysOn)
        room = self.viewport().size()
        self._inside.resize(room.width(), max(room.height(), self._high(room.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width may be another height."""
        super().resizeEvent(event)
        self._fit()
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What is inside became higher or lower."""
        if watched is self._inside and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._fit()
        return super().eventFilter(watched, event)
