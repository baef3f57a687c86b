"""Pens of the lines of a replay, which differ by dash as well as by hue."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.widgets.theme import Theme

_DASHES: tuple[tuple[float, ...], ...] = (
    (1.0, 2.2),  # the first line is the uncompacted session
    (),
    (5.0, 2.5),
    (7.0, 2.0, 1.5, 2.0),
    (2.5, 1.8),
    (4.0, 1.6, 1.0, 1.6),
    (8.0, 3.0),
)
WIDTH = 1.8


def track_colour(theme: Theme, index: int) -> QColor:
    if index == 0:
        return theme.text3
    hues = (theme.kind[1], theme.kind[0], theme.kind[5], theme.ok, theme.warn, theme.accent_text)
    return hues[(index - 1) % len(hues)]


def track_pen(theme: Theme, index: int, *, bold: bool = False) -> QPen:
    result = QPen(track_colour(theme, index), WIDTH + (0.8 if bold else 0.0))
    dash = _DASHES[index % len(_DASHES)] if index < len(_DASHES) else _DASHES[1 + index % (len(_DASHES) - 1)]
    if dash:
        result.setDashPattern(dash)
    result.setCapStyle(Qt.PenCapStyle.FlatCap)
    return result


def line_sample(painter: QPainter, theme: Theme, index: int, box: QRectF) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(track_pen(theme, index))
    y = box.center().y()
    painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
    painter.restore()
