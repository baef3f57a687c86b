"""A container as high as its content, which scrolls only if the widgets below need the space."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget


class ScrollContainer(QScrollArea):
    """Holds ``inside``; at least ``least`` pixels of it stay visible, ``width`` pixels wide if given.

    The focus is passed to the content. Scroll bar and content size are set here: if the bar makes a text
    wrap, Qt's own layout alternates between both states without end.
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
        return QSize(240, self._high(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._width, min(self._least, self.sizeHint().height()))

    def _high(self, width: int) -> int:
        height = self._inside.heightForWidth(width)
        return height if height > 0 else self._inside.sizeHint().height()

    def _fit(self) -> None:
        """Show the bar if the content does not fit without it; the content takes the remaining width."""
        bar = Qt.ScrollBarPolicy
        fits = self._high(self.width()) <= self.height()
        self.setVerticalScrollBarPolicy(bar.ScrollBarAlwaysOff if fits else bar.ScrollBarAlwaysOn)
        room = self.viewport().size()
        self._inside.resize(room.width(), max(room.height(), self._high(room.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._inside and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._fit()
        return super().eventFilter(watched, event)
