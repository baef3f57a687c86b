"""Layouts of the analysis views: rows, columns and splitters."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget


def line_of_widgets(
    *widgets: QWidget | None, role: str = "head", gap: int = 12, air: int = 4, grows: QWidget | None = None
) -> QWidget:
    """Return a row of widgets, None is a stretch: a "head" with a line below, a "foot" with one above, a
    "pane".

    ``gap`` is the space between the widgets, ``air`` above and below them, in pixels.
    """
    result = QWidget()
    result.setProperty("role", role)
    row = QHBoxLayout(result)
    row.setContentsMargins(12, air, 12, air)
    row.setSpacing(gap)
    for one in widgets:
        if one is None:
            row.addStretch(1)
        else:
            row.addWidget(one, int(one is grows))
    return result


def column_of_widgets(*widgets: QWidget, grows: QWidget | None = None) -> QWidget:
    """Return widgets in a column without gaps; ``grows`` takes the remaining height."""
    result = QWidget()
    layout = QVBoxLayout(result)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for one in widgets:
        layout.addWidget(one, int(one is grows))
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
    for place, share in enumerate(shares):
        result.setStretchFactor(place, share)
    if all(shares) and shares:
        result.setSizes([10 * share for share in shares])
    return result
