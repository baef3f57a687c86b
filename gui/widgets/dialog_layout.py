"""Layout of the settings and profiles dialogs: a list at the left, a pane, a foot below both."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget


def dialog_halves() -> tuple[QWidget, QWidget]:
    """Return the left and the right half, still empty."""
    side, pane = QWidget(), QWidget()
    side.setProperty("role", "side-edge")
    pane.setProperty("role", "pane")
    for half in (side, pane):
        half.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return side, pane


def lay_out_dialog(dialog: QDialog, side: QWidget, pane: QWidget, footer: QWidget) -> None:
    """Lay out the halves and the foot edge to edge."""
    upper = QHBoxLayout()
    upper.setSpacing(0)
    upper.addWidget(side)
    upper.addWidget(pane, 1)
    column = QVBoxLayout(dialog)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addLayout(upper, 1)
    column.addWidget(footer)


def button_line(*widgets: QWidget | None) -> QWidget:
    """Return a row of widgets for a foot; None is a stretch."""
    page = QWidget()
    row = QHBoxLayout(page)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    for widget in widgets:
        if widget is None:
            row.addStretch(1)
        else:
            row.addWidget(widget)
    return page
