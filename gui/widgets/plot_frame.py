"""The frame of a plot: scales in pixels, grid and ticks, labels that do not overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen

from core.presentation.plots import PlotAxis
from gui.widgets.theme import SMALL, Theme, resized_font, tabular_font

_FURTHER = (0.6, 1.4, 2.4)
"""Distances at which a label may be placed, in heights of the label."""


@dataclass(frozen=True, slots=True)
class PlotArea:
    """The data rectangle of a plot, with the scales of its sides."""

    box: QRectF
    x: PlotAxis
    y: PlotAxis

    def at(self, x: float, y: float) -> QPointF:
        """Return the point of a value pair."""
        return QPointF(
            self.box.left() + self.x.share(x) * self.box.width(),
            self.box.bottom() - self.y.share(y) * self.box.height(),
        )

    def value_x(self, pixel: float) -> float:
        """Return the value at a pixel."""
        share = (pixel - self.box.left()) / max(1.0, self.box.width())
        return self.x.low + share * (self.x.high - self.x.low)


def paint_axes(
    painter: QPainter, frame: PlotArea, theme: Theme, font: QFont, *, verticals: bool = True
) -> None:
    """Paint grid lines, and the ticks of both scales with their labels."""
    painter.setFont(tabular_font(resized_font(font, SMALL)))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    grid = QPen(theme.hairline, 1)
    if theme.high_contrast:  # hairlines are black in high contrast
        grid.setStyle(Qt.PenStyle.DotLine)
    _ticks_up(painter, frame, grid, theme)
    _ticks_along(painter, frame, grid if verticals else None, theme)
    painter.setPen(QPen(theme.control_border, 1))
    painter.drawLine(frame.box.bottomLeft(), frame.box.bottomRight())
    painter.drawLine(frame.box.topLeft(), frame.box.bottomLeft())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def _ticks_up(painter: QPainter, frame: PlotArea, grid: QPen, theme: Theme) -> None:
    box, high = frame.box, QFontMetricsF(painter.font()).height()
    right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    for tick in frame.y.ticks:
        y = frame.at(frame.x.low, tick.value).y()
        painter.setPen(grid)
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        painter.setPen(theme.text2)
        painter.drawText(QRectF(0, y - high / 2, box.left() - 8, high), right, tick.label)


def _ticks_along(painter: QPainter, frame: PlotArea, grid: QPen | None, theme: Theme) -> None:
    """Labels that would touch the previous one are left out."""
    box, metrics, last = frame.box, QFontMetricsF(painter.font()), -1e9
    for tick in frame.x.ticks:
        x = frame.at(tick.value, frame.y.low).x()
        if grid is not None:
            painter.setPen(grid)
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        width = metrics.horizontalAdvance(tick.label)
        if x - width / 2 < last + 8:
            continue
        last = x + width / 2
        painter.setPen(theme.text2)
        painter.drawText(QPointF(x - width / 2, box.bottom() + 6 + metrics.ascent()), tick.label)


def place_label(
    text: QRectF,
    centre: QPointF,
    gap: float,
    within: QRectF,
    taken: Sequence[QRectF],
    lines: Sequence[QLineF] = (),
) -> QRectF | None:
    """Return the place of a label beside a point: right, left, above, below, then further away.

    Over one of ``lines`` only if all other places are taken; None if every place covers something or the line
    to it crosses something.
    """
    crossing = None
    others = [one for one in taken if not one.contains(centre)]
    for far in (gap, *(gap + text.height() * share for share in _FURTHER)):
        for box in _around(text, centre, far):
            is_free = within.contains(box) and not any(box.intersects(one) for one in taken)
            if is_free and not any(_crosses(label_line(centre, box), one) for one in others):
                if not any(_crosses(line, box) for line in lines):
                    return box
                crossing = crossing or box
    return crossing


def label_line(centre: QPointF, box: QRectF) -> QLineF:
    """Return the shortest line from a point to its label."""
    x = min(max(centre.x(), box.left()), box.right())
    return QLineF(centre, QPointF(x, min(max(centre.y(), box.top()), box.bottom())))


def _around(text: QRectF, centre: QPointF, far: float) -> Iterator[QRectF]:
    w, h, diagonal = text.width(), text.height(), far * 0.7
    x, y = centre.x(), centre.y()
    for left, top in (
        (x + far, y - h / 2),
        (x - far - w, y - h / 2),
        (x - w / 2, y - far - h),
        (x - w / 2, y + far),
        (x + diagonal, y - diagonal - h),
        (x + diagonal, y + diagonal),
        (x - diagonal - w, y - diagonal - h),
        (x - diagonal - w, y + diagonal),
    ):
        yield QRectF(left, top, w, h)


def _crosses(line: QLineF, box: QRectF) -> bool:
    steps = max(1, round(line.length() / 4))
    return any(box.contains(line.pointAt(step / steps)) for step in range(steps + 1))
