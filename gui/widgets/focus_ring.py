"""The ring round a painted widget that the keyboard is in."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from gui.widgets.theme import Theme


def paint_focus(painter: QPainter, widget: QWidget, theme: Theme) -> None:
    """Two pixels along the widget's edge, where it has the focus."""
    if widget.hasFocus():
        painter.setPen(QPen(theme.accent_text, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(widget.rect()).adjusted(1, 1, -1, -1))
