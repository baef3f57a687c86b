"""Painting of text, glyphs and translucent colours for the lists."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.inspect.lists.column_layout import FontFace, ListFonts
from gui.widgets.icons import paint_glyph

_ROOM = 8  # least pixels for a text with an ellipsis
_GLYPH = 12
_LIKELY = 1.3  # a longer text, in average characters per available width, is not measured further


def see_through(colour: QColor, alpha: float) -> QColor:
    """Return a colour with an opacity from 0 to 1."""
    result = QColor(colour)
    result.setAlphaF(alpha)
    return result


def paint_text(
    painter: QPainter,
    rect: QRect,
    face: FontFace,
    words: str,
    colour: QColor,
    left: float,
    end: float | None = None,
) -> float:
    """Paint vertically centred text from ``left``, with an ellipsis before ``end``; return its right edge."""
    if end is None:
        width = face.metrics.horizontalAdvance(words)
    else:
        words, width = fitted_text(face, words, max(0.0, end - left))
    painter.setFont(face.font)
    painter.setPen(colour)
    painter.drawText(QPointF(left, face.baseline(rect.y(), rect.height())), words)
    return left + width


def fitted_text(face: FontFace, words: str, room: float) -> tuple[str, float]:
    """Return the part of a text that fits with an ellipsis, and its width."""
    metrics = face.metrics
    head = words[: int(_LIKELY * room / metrics.averageCharWidth()) + 1]
    width = metrics.horizontalAdvance(head)
    if width <= room and len(head) < len(words):  # narrow characters
        head = words
        width = metrics.horizontalAdvance(head)
    if width <= room:
        return head, width
    if room < _ROOM:
        return "", room
    return metrics.elidedText(head, Qt.TextElideMode.ElideRight, room), room


def right_text(
    painter: QPainter, rect: QRect, face: FontFace, words: str, colour: QColor, right: float
) -> float:
    """Paint text that ends at ``right``; return its left edge."""
    left = right - face.metrics.horizontalAdvance(words)
    if words:
        paint_text(painter, rect, face, words, colour, left)
    return left


def fate_glyph(
    painter: QPainter, rect: QRect, fonts: ListFonts, name: str, colour: QColor, centre: float
) -> None:
    """Paint a glyph whose middle is ``centre`` (at body size 13) from the left of ``rect``."""
    size = fonts.px(_GLYPH)
    left = rect.x() + fonts.px(centre) - size / 2
    paint_glyph(painter, name, QRectF(left, rect.y() + (rect.height() - size) / 2, size, size), colour)
