"""A scroll area as high as its content while there is room, and a list of found secrets in one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from core.presentation.inspector_model import TextSpan
from gui.language import tr
from gui.widgets.text_labels import SpanText
from gui.widgets.theme import SECONDARY, scaled_pixels


class ScrollContainer(QScrollArea):
    """Holds ``content``; at least ``min_height`` pixels of it stay visible.

    The focus is passed to the content. Scroll bar and content size are set here: if the bar makes a
    text wrap, Qt's own layout alternates between both states without end.
    """

    def __init__(
        self, content: QWidget, *, role: str, min_height: int, keeps_bar: bool = False
    ) -> None:
        """``keeps_bar``: its space is kept where everything fits, so that nothing moves when it
        appears."""
        super().__init__()
        self._content, self._min_height, self._keeps_bar = (
            content,
            min_height,
            keeps_bar,
        )
        self.setProperty("role", role)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setWidget(content)

    def sizeHint(self) -> QSize:
        return QSize(240, self._content_height(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, min(self._min_height, self.sizeHint().height()))

    def _content_height(self, width: int) -> int:
        height = self._content.heightForWidth(width)
        if height > 0:
            return height
        return self._content.sizeHint().height()

    def _fit(self) -> None:
        """Show the bar if the content does not fit without it; the content takes the remaining
        width."""
        bar = Qt.ScrollBarPolicy
        fits = (
            not self._keeps_bar and self._content_height(self.width()) <= self.height()
        )
        self.setVerticalScrollBarPolicy(
            bar.ScrollBarAlwaysOff if fits else bar.ScrollBarAlwaysOn
        )
        available = self.viewport().size()
        self._content.resize(
            available.width(),
            max(available.height(), self._content_height(available.width())),
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._content and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._fit()
        return super().eventFilter(watched, event)


_MIN_HEIGHT, _MOST = 48, 132


class FoundSecretsList(ScrollContainer):
    """Hidden if nothing was found. The arrow keys scroll it."""

    def __init__(self) -> None:
        self._lines = SpanText(SECONDARY, "text2")
        super().__init__(self._lines, role="found", min_height=_MIN_HEIGHT)
        self.setMaximumHeight(scaled_pixels(_MOST, self.font()))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Secrets found"))
        self.hide()

    @property
    def text(self) -> str:
        return self._lines.text

    def show_lines(self, lines: Sequence[str]) -> None:
        self._lines.set_spans((TextSpan("\n".join(lines)),) if lines else ())
        self.setVisible(bool(lines))
        self.updateGeometry()
