"""A sweep over two settings as a map: a cell for each pair of values, coloured by the figure."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from core.common import number_format
from core.presentation.sweep.model import SweepPage, SweepPointRow
from gui.language import tr
from gui.widgets.colours import blend_colours, readable_on
from gui.widgets.theme import SECONDARY, SMALL, Theme, resized_font, scaled_pixels, tabular_font

TOKENS, FIDELITY = "tokens", "fidelity"
_RIGHT, _TOP, _BOTTOM = 24, 28, 44


def value_of(point: SweepPointRow, metric: str) -> float | None:
    """Return TOKENS or FIDELITY of a point, None if it has no result."""
    return point.tokens if metric == TOKENS else point.fidelity


@dataclass(frozen=True, slots=True)
class SweepMap:
    """The map. ``best`` are indexes of points on the front, ``current`` is the selected one."""

    page: SweepPage
    best: frozenset[int]
    metric: str
    current: int
    theme: Theme
    font: QFont
    size: QSize

    def cell(self, at: tuple[int, ...]) -> QRectF:
        metrics = QFontMetricsF(resized_font(self.font, SECONDARY))
        across, down = (one.values for one in self.page.axes)
        left = max(metrics.horizontalAdvance(text) for text in down) + 24
        wide = (self.size.width() - left - _RIGHT) / len(across)
        top, bottom = scaled_pixels(_TOP + 8, self.font), scaled_pixels(_BOTTOM, self.font)
        high = (self.size.height() - top - bottom) / len(down)
        return QRectF(left + at[0] * wide, top + (len(down) - 1 - at[1]) * high, wide - 1, high - 1)

    def paint(self, painter: QPainter) -> None:
        """Paint the cells with their figures, and the values of both settings."""
        page, shade = self.page, self.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        axis = page.tokens if self.metric == TOKENS else page.fidelity
        for place, point in enumerate(page.points):
            box, value = self.cell(point.at), value_of(point, self.metric)
            share = 0.0 if value is None else max(0.0, min(1.0, axis.share(value)))
            ink = blend_colours(shade.kind[1], shade.surface, 0.08 + 0.8 * share)
            painter.fillRect(box, shade.surface2 if value is None else ink)
            self._word(painter, box, place, point, ink)
            if place == self.current:
                painter.setPen(QPen(shade.accent_text, 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(box.adjusted(1, 1, -1, -1))
        self._axes(painter)

    def _word(self, painter: QPainter, box: QRectF, place: int, point: SweepPointRow, ink: QColor) -> None:
        """Paint the figure in its cell if it fits; a frame round points on the front."""
        shade = self.theme
        value = value_of(point, self.metric)
        text = (
            "–"
            if value is None
            else number_format.short(round(value))
            if self.metric == TOKENS
            else number_format.score(value)
        )
        painter.setFont(tabular_font(resized_font(self.font, SECONDARY, bold=place in self.best)))
        painter.setPen(readable_on(ink))
        if value is None:
            painter.setPen(shade.text3)
        if QFontMetricsF(painter.font()).horizontalAdvance(text) + 6 <= box.width() and box.height() > 16:
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
        if place in self.best:
            painter.setPen(QPen(shade.ok, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box.adjusted(3, 3, -3, -3))

    def _axes(self, painter: QPainter) -> None:
        page, shade = self.page, self.theme
        across, down = page.axes
        painter.setFont(resized_font(self.font, SMALL))
        metrics = QFontMetricsF(painter.font())
        painter.setPen(shade.text2)
        last = -1e9
        for place, text in enumerate(across.values):
            box = self.cell((place, 0))
            width = metrics.horizontalAdvance(text)
            if box.center().x() - width / 2 > last + 6:
                last = box.center().x() + width / 2
                painter.drawText(
                    QPointF(box.center().x() - width / 2, box.bottom() + scaled_pixels(16, self.font)), text
                )
        for place, text in enumerate(down.values):
            box = self.cell((0, place))
            spot = QRectF(0, box.top(), box.left() - 8, box.height())
            painter.drawText(spot, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), text)
        painter.setFont(resized_font(self.font, SMALL, bold=True))
        painter.drawText(
            QPointF(12, scaled_pixels(18, self.font)), tr("{label} (upward)").format(label=down.label)
        )
        high = scaled_pixels(18, self.font)
        end = QRectF(0, self.size.height() - high - 2, self.size.width() - _RIGHT, high)
        painter.drawText(
            end, int(Qt.AlignmentFlag.AlignRight), tr("{label} (to the right)").format(label=across.label)
        )
