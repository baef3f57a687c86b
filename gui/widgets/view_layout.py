"""Layouts of the analysis views: rows, columns and splitters."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget


def line_of_widgets(
    *widgets: QWidget | None,
    role: str = "head",
    gap: int = 12,
    padding: int = 4,
    stretched: QWidget | None = None,
) -> QWidget:
    """Return a row of widgets, None is a stretch: a "head" with a line below, a "foot" with one above, a
    "pane".

    ``gap`` is the space between the widgets, ``padding`` above and below them, in pixels.
    """
    result = QWidget()
    result.setProperty("role", role)
    row = QHBoxLayout(result)
    row.setContentsMargins(12, padding, 12, padding)
    row.setSpacing(gap)
    for widget in widgets:
        if widget is None:
            row.addStretch(1)
        else:
            row.addWidget(widget, int(widget is stretched))
    return result


def column_of_widgets(*widgets: QWidget, stretched: QWidget | None = None) -> QWidget:
    """Return widgets in a column without gaps; ``stretched`` takes the remaining height."""
    result = QWidget()
    layout = QVBoxLayout(result)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for widget in widgets:
        layout.addWidget(widget, int(widget is stretched))
    return result


def horizontal_splitter(*parts: QWidget, shares: tuple[int, ...] = ()) -> QSplitter:
    """Return parts from left to right, with ``shares`` of the width in percent."""
    return _split(Qt.Orientation.Horizontal, parts, shares)


def vertical_splitter(*parts: QWidget, shares: tuple[int, ...] = ()) -> QSplitter:
    """Return parts from top to bottom, each with a share of the height."""
    return _split(Qt.Orientation.Vertical, parts, shares)


def _split(orientation: Qt.Orientation, parts: tuple[QWidget, ...], shares: tuple[int, ...]) -> QSplitter:
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
