"""Small ticks over the before bar for the matches of the filter."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.presentation.ruler.geometry import match_positions
from gui.inspect.ruler.frame import RulerFrame

_TOP, _BOTTOM = 37, 41


def paint_matches(painter: QPainter, frame: RulerFrame, mask: bytes) -> None:
    """Paint a tick over the middle of each visible message whose mask is 1."""
    top, bottom = frame.lanes.y(_TOP), frame.lanes.y(_BOTTOM)
    for x in match_positions(mask, frame.content.before.sums, frame.view):
        message = round(frame.lanes.left + x)
        painter.fillRect(QRectF(message, top, 2, bottom - top), frame.theme.accent_text)
