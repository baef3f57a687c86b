"""The focus ring of painted widgets."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from gui.widgets.theme import Theme


def paint_focus(painter: QPainter, widget: QWidget, theme: Theme) -> None:
    """Paint a ring of two pixels along the widget's edge if it has the focus."""
    if widget.hasFocus():
        painter.setPen(QPen(theme.accent_text, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(widget.rect()).adjusted(1, 1, -1, -1))
