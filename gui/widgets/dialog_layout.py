"""Layout of the settings and profiles dialogs: a list at the left, a pane, a foot below both."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget


def make_halves() -> tuple[QWidget, QWidget]:
    """Return the left and the right half, still empty."""
    side, pane = QWidget(), QWidget()
    side.setProperty("role", "side-edge")
    pane.setProperty("role", "pane")
    for one in (side, pane):
        one.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return side, pane


def put_together(dialog: QDialog, side: QWidget, pane: QWidget, foot: QWidget) -> None:
    """Lay out the halves and the foot edge to edge."""
    upper = QHBoxLayout()
    upper.setSpacing(0)
    upper.addWidget(side)
    upper.addWidget(pane, 1)
    column = QVBoxLayout(dialog)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addLayout(upper, 1)
    column.addWidget(foot)


def button_line(*widgets: QWidget | None) -> QWidget:
    """Return a row of widgets for a foot; None is a stretch."""
    page = QWidget()
    row = QHBoxLayout(page)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    for one in widgets:
        if one is None:
            row.addStretch(1)
        else:
            row.addWidget(one)
    return page
