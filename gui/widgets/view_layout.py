"""Layouts in one expression: rows, columns and splitters."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLayout,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

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
