"""Small ticks under the fate strip of the before bar, for lost facts and sources of a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from core.presentation.ruler.geometry import mark_positions
from gui.inspect.ruler.frame import RulerFrame

TICKS = (76, 82)
"""Top and bottom of the ticks, as heights of ui.md section 6."""


def paint_facts(painter: QPainter, frame: RulerFrame, messages: Sequence[int], colour: QColor) -> None:
    """Paint a tick in the middle of each visible message of ``messages`` (ascending)."""
    top, bottom = map(frame.lanes.y, TICKS)
    for x in mark_positions(messages, frame.content.before.sums, frame.view):
        message = round(frame.lanes.left + x)
        painter.fillRect(QRectF(message - 1, top - 1, 4, bottom - top + 2), frame.theme.surface)
        painter.fillRect(QRectF(message, top, 2, bottom - top), colour)
