"""Values of two settings as a map: a cell for each pair, coloured by the figure."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from core.common import number_format
from core.presentation.compare.model import SweepPage
from core.presentation.compare.results import sweep_axis, sweep_indices, sweep_value
from gui.language import tr
from gui.widgets.colours import blend_colours, readable_text_colour
from gui.widgets.theme import SECONDARY, SMALL, Theme, resized_font, scaled_pixels, tabular_font

_RIGHT, _TOP, _BOTTOM = 24, 28, 44


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

    def cell(self, indexes: tuple[int, ...]) -> QRectF:
        metrics = QFontMetricsF(resized_font(self.font, SECONDARY))
        x_values, y_values = (axis.values for axis in self.page.axes)
        left = max(metrics.horizontalAdvance(text) for text in y_values) + 24
        cell_width = (self.size.width() - left - _RIGHT) / len(x_values)
        top, bottom = scaled_pixels(_TOP + 8, self.font), scaled_pixels(_BOTTOM, self.font)
        cell_height = (self.size.height() - top - bottom) / len(y_values)
        return QRectF(
            left + indexes[0] * cell_width,
            top + (len(y_values) - 1 - indexes[1]) * cell_height,
            cell_width - 1,
            cell_height - 1,
        )

    def paint(self, painter: QPainter) -> None:
        """Paint the cells with their figures, and the values of both settings."""
        page, theme = self.page, self.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        scale = sweep_axis(page, self.metric)
        for index, point in enumerate(page.points):
            box, value = self.cell(sweep_indices(page, point)), sweep_value(point, self.metric)
            share = 0.0 if value is None else max(0.0, min(1.0, scale.fraction(value)))
            colour = blend_colours(theme.kind[1], theme.surface, 0.08 + 0.8 * share)
            painter.fillRect(box, theme.surface2 if value is None else colour)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            self._paint_figure(painter, box, index, value, colour)
            if index == self.current:
                painter.setPen(QPen(theme.accent_text, 2))
                painter.drawRect(box.adjusted(1, 1, -1, -1))
        self._paint_axes(painter)

    def _paint_figure(
        self, painter: QPainter, box: QRectF, index: int, value: float | None, colour: QColor
    ) -> None:
        """Paint the figure in its cell if it fits; a frame round the best trade-offs."""
        text = number_format.UNKNOWN if value is None else number_format.abbreviated(round(value))
        painter.setFont(tabular_font(resized_font(self.font, SECONDARY, bold=index in self.best)))
        painter.setPen(self.theme.text3 if value is None else readable_text_colour(colour))
        if QFontMetricsF(painter.font()).horizontalAdvance(text) + 6 <= box.width() and box.height() > 16:
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
        if index in self.best:
            painter.setPen(QPen(self.theme.ok, 2))
            painter.drawRect(box.adjusted(3, 3, -3, -3))

    def _paint_axes(self, painter: QPainter) -> None:
        page, theme = self.page, self.theme
        x_axis, y_axis = page.axes
        painter.setFont(resized_font(self.font, SMALL))
        metrics = QFontMetricsF(painter.font())
        painter.setPen(theme.text2)
        last_right = -1e9
        for index, text in enumerate(x_axis.values):
            box = self.cell((index, 0))
            width = metrics.horizontalAdvance(text)
            if box.center().x() - width / 2 > last_right + 6:
                last_right = box.center().x() + width / 2
                painter.drawText(
                    QPointF(box.center().x() - width / 2, box.bottom() + scaled_pixels(16, self.font)), text
                )
        for index, text in enumerate(y_axis.values):
            box = self.cell((0, index))
            value_box = QRectF(0, box.top(), box.left() - 8, box.height())
            painter.drawText(
                value_box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), text
            )
        painter.setFont(resized_font(self.font, SMALL, bold=True))
        painter.drawText(
            QPointF(12, scaled_pixels(18, self.font)), tr("{label} (upward)").format(label=y_axis.label)
        )
        title_height = scaled_pixels(18, self.font)
        title_box = QRectF(0, self.size.height() - title_height - 2, self.size.width() - _RIGHT, title_height)
        painter.drawText(
            title_box,
            int(Qt.AlignmentFlag.AlignRight),
            tr("{label} (to the right)").format(label=x_axis.label),
        )
