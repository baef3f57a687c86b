"""Layouts in one expression: rows, columns and splitters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from core.presentation.inspector_model import TextSpan
from gui.language import tr
from gui.widgets.text_labels import SpanText
from gui.widgets.theme import SECONDARY, scaled_pixels

Part = QWidget | QLayout | int | None
"""A widget, a layout, pixels of space, or None for a stretch."""
_Box = TypeVar("_Box", bound=QBoxLayout)
_NO_MARGINS = (0, 0, 0, 0)


def row_of(
    *parts: Part,
    margins: tuple[int, int, int, int] = _NO_MARGINS,
    gap: int = 8,
    stretched: Part = None,
) -> QHBoxLayout:
    """Return parts from left to right; ``stretched`` takes the remaining width."""
    return _fill(QHBoxLayout(), parts, margins, gap, stretched)


def column_of(
    *parts: Part,
    margins: tuple[int, int, int, int] = _NO_MARGINS,
    gap: int = 0,
    stretched: Part = None,
) -> QVBoxLayout:
    """Return parts from top to bottom; ``stretched`` takes the remaining height."""
    return _fill(QVBoxLayout(), parts, margins, gap, stretched)


def _fill(
    layout: _Box,
    parts: tuple[Part, ...],
    margins: tuple[int, int, int, int],
    gap: int,
    stretched: Part,
) -> _Box:
    layout.setContentsMargins(*margins)
    layout.setSpacing(gap)
    for part in parts:
        stretch = int(part is stretched)
        if part is None:
            layout.addStretch(
                int(stretched is None)
            )  # a stretched part takes all of it
        elif isinstance(part, int):
            layout.addSpacing(part)
        elif isinstance(part, QWidget):
            layout.addWidget(part, stretch)
        else:
            layout.addLayout(part, stretch)
    return layout


def panel_of(layout: QLayout, role: str = "") -> QWidget:
    """Return a widget with this layout and a role of the style sheet."""
    result = QWidget()
    result.setProperty("role", role)
    result.setLayout(layout)
    return result


def fill_panel(panel: QWidget, role: str, layout: QLayout) -> None:
    """Give a widget of its own class its layout, and a role with its ground."""
    panel.setProperty("role", role)
    panel.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    panel.setLayout(layout)


def line_of_widgets(
    *widgets: QWidget | None,
    role: str = "head",
    gap: int = 12,
    padding: int = 4,
    stretched: QWidget | None = None,
) -> QWidget:
    """Return a row of widgets, None is a stretch: a "head" with a line below, a "foot" with one
    above, a "pane"; ``padding`` is the space above and below them, in pixels."""
    return panel_of(
        row_of(
            *widgets, margins=(12, padding, 12, padding), gap=gap, stretched=stretched
        ),
        role,
    )


def column_of_widgets(*widgets: QWidget, stretched: QWidget | None = None) -> QWidget:
    """Return widgets in a column without gaps; ``stretched`` takes the remaining height."""
    return panel_of(column_of(*widgets, stretched=stretched))


def remove_widget(layout: QLayout, widget: QWidget) -> None:
    """Take a widget out of a layout at once, and delete it."""
    layout.removeWidget(widget)
    widget.hide()
    widget.deleteLater()


def clear_layout(layout: QLayout) -> None:
    while (item := layout.itemAt(0)) is not None and (
        widget := item.widget()
    ) is not None:
        remove_widget(layout, widget)


def horizontal_splitter(*parts: QWidget, shares: tuple[int, ...] = ()) -> QSplitter:
    """Return parts from left to right, with ``shares`` of the width in percent."""
    return _split(Qt.Orientation.Horizontal, parts, shares)


def vertical_splitter(*parts: QWidget, shares: tuple[int, ...] = ()) -> QSplitter:
    """Return parts from top to bottom, each with a share of the height."""
    return _split(Qt.Orientation.Vertical, parts, shares)


def _split(
    orientation: Qt.Orientation, parts: tuple[QWidget, ...], shares: tuple[int, ...]
) -> QSplitter:
    result = QSplitter(orientation)
    result.setHandleWidth(1)
    result.setChildrenCollapsible(False)
    for part in parts:
        result.addWidget(part)
    for number, share in enumerate(shares):
        result.setStretchFactor(number, share)
    if all(shares) and shares:
        result.setSizes([10 * share for share in shares])
    return result


# A scroll area as high as its content while there is room, and a list of found secrets in one.


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
        self._content = content
        self._min_height = min_height
        self._keeps_bar = keeps_bar
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
