"""How the views over an open transcript are put together: lines, columns, halves that can be moved."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget


def line_of_widgets(
    *widgets: QWidget | None, role: str = "head", gap: int = 12, air: int = 4, grows: QWidget | None = None
) -> QWidget:
    """A line of widgets, None is a stretch: a "head" with a line below it, a "foot" with one above, a "pane".

    ``gap`` and ``air`` are the pixels between the widgets and over them.
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
    """Widgets one below the other, without a gap; ``grows`` takes what is left of the height."""
    result = QWidget()
    layout = QVBoxLayout(result)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for one in widgets:
        layout.addWidget(one, int(one is grows))
    return result


def horizontal_splitter(*parts: QWidget, shares: tuple[int, ...] = ()) -> QSplitter:
    """Parts from left to right, with ``shares`` of the width in percent."""
    return _split(Qt.Orientation.Horizontal, parts, shares)


def vertical_splitter(*parts: QWidget, shares: tuple[int, ...] = ()) -> QSplitter:
    """Parts from top to bottom, each with a share of the height that is left."""
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
