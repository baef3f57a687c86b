"""Paints what results hold of the texts that must survive: a glyph each, or counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter

from gui.widgets.icons import paint_glyph
from gui.widgets.theme import (
    BODY,
    current_theme,
    resized_font,
    scaled_pixels,
    tabular_font,
)

if TYPE_CHECKING:
    from core.presentation.compare.model import StatusMark

_GLYPH, _GAP = 12, 4  # pixels at body size 13


def marks_width(marks: Sequence[StatusMark], font: QFont) -> int:
    """Return the pixels that marks take."""
    figures = _metrics(font)
    counts = sum(figures.horizontalAdvance(mark.count) for mark in marks)
    return len(marks) * scaled_pixels(_GLYPH + _GAP, font) + counts


def mark_colour(mark: StatusMark) -> QColor:
    theme = current_theme()
    if mark.tone == "quiet":
        return theme.text2
    return theme.tone(mark.tone)


def paint_marks(
    painter: QPainter, inside: QRect, marks: Sequence[StatusMark], font: QFont
) -> None:
    """Paint marks at the right end of ``inside``, in their order."""
    figures = _metrics(font)
    size, gap = scaled_pixels(_GLYPH, font), scaled_pixels(_GAP, font)
    left = inside.right() + 1 - marks_width(marks, font) + gap
    top = inside.center().y() - size // 2
    painter.setFont(tabular_font(resized_font(font, BODY)))
    for mark in marks:
        colour = mark_colour(mark)
        paint_glyph(painter, mark.glyph, QRectF(left, top, size, size), colour)
        left += size + gap // 2
        painter.setPen(colour)
        width = figures.horizontalAdvance(mark.count)
        box = QRect(left, inside.top(), width, inside.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, mark.count)
        left += width + gap - gap // 2


def paint_mark(painter: QPainter, centre: QPointF, mark: StatusMark) -> None:
    """Paint one mark around a point, on a ground that keeps lines behind it away."""
    box = QRectF(centre.x() - _GLYPH / 2, centre.y() - _GLYPH / 2, _GLYPH, _GLYPH)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(current_theme().surface)
    painter.drawEllipse(centre, _GLYPH / 2 + 1, _GLYPH / 2 + 1)
    paint_glyph(painter, mark.glyph, box, mark_colour(mark))


def _metrics(font: QFont) -> QFontMetrics:
    return QFontMetrics(tabular_font(resized_font(font, BODY)))
