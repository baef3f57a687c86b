"""Painting of text, glyphs and translucent colours for the lists."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.inspect.lists.column_layout import FontFace, ListFonts
from gui.widgets.icons import paint_glyph

_MIN_TEXT_WIDTH = 8  # least pixels for a text with an ellipsis
_GLYPH_SIZE = 12
_MEASURED_SHARE = 1.3  # a longer text, in average characters per available width, is not measured further


def with_opacity(colour: QColor, alpha: float) -> QColor:
    """Return a colour with an opacity from 0 to 1."""
    result = QColor(colour)
    result.setAlphaF(alpha)
    return result


def paint_text(
    painter: QPainter,
    rect: QRect,
    face: FontFace,
    text: str,
    colour: QColor,
    left: float,
    end: float | None = None,
) -> float:
    """Paint vertically centred text from ``left``, with an ellipsis before ``end``; return its right edge."""
    if end is None:
        width = face.metrics.horizontalAdvance(text)
    else:
        text, width = fitted_text(face, text, max(0.0, end - left))
    painter.setFont(face.font)
    painter.setPen(colour)
    painter.drawText(QPointF(left, face.baseline(rect.y(), rect.height())), text)
    return left + width


def fitted_text(face: FontFace, text: str, available: float) -> tuple[str, float]:
    """Return the part of a text that fits with an ellipsis, and its width."""
    metrics = face.metrics
    fitted = text[: int(_MEASURED_SHARE * available / metrics.averageCharWidth()) + 1]
    width = metrics.horizontalAdvance(fitted)
    if width <= available and len(fitted) < len(text):  # narrow characters
        fitted = text
        width = metrics.horizontalAdvance(fitted)
    if width <= available:
        return fitted, width
    if available < _MIN_TEXT_WIDTH:
        return "", available
    return metrics.elidedText(fitted, Qt.TextElideMode.ElideRight, available), available


def paint_right_text(
    painter: QPainter, rect: QRect, face: FontFace, text: str, colour: QColor, right: float
) -> float:
    """Paint text that ends at ``right``; return its left edge."""
    left = right - face.metrics.horizontalAdvance(text)
    if text:
        paint_text(painter, rect, face, text, colour, left)
    return left


def paint_fate_glyph(
    painter: QPainter, rect: QRect, fonts: ListFonts, name: str, colour: QColor, centre: float
) -> None:
    """Paint a glyph whose middle is ``centre`` (at body size 13) from the left of ``rect``."""
    size = fonts.px(_GLYPH_SIZE)
    left = rect.x() + fonts.px(centre) - size / 2
    paint_glyph(painter, name, QRectF(left, rect.y() + (rect.height() - size) / 2, size, size), colour)
