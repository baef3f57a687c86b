"""Values of one setting as two curves or as bars, values of two settings as a map."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPolygonF,
)

from core.common import number_format
from core.presentation.compare.model import StatusMark, SweepPage
from core.presentation.compare.results import (
    GONE,
    MOST_ROWS,
    TOKENS,
    SweptMust,
    sweep_axis,
    sweep_indices,
    sweep_text,
    sweep_title,
    sweep_value,
    swept_musts,
)
from core.presentation.losses_words import ENTIRELY_GONE
from core.presentation.plots import AxisTick, PlotAxis
from gui.language import tr
from gui.widgets.events import is_enter
from gui.widgets.icons import paint_glyph
from gui.widgets.plot_frame import Plot, PlotArea, paint_axes, paint_x_title
from gui.widgets.result_table import mark_colour
from gui.widgets.theme import (
    SECONDARY,
    SMALL,
    blend_colours,
    current_theme,
    readable_text_colour,
    resized_font,
    scaled_pixels,
    tabular_font,
)

_LEFT, _RIGHT, _TOP, _BOTTOM, _GAP = 64, 24, 28, 44, 40
_MUST_ROW, _MUST_GLYPH, _MUST_NAMES, _NAME_GAP = 18, 11, 132, 8
_RADIUS = 4.0
_STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


@dataclass(frozen=True, slots=True)
class SweepMap:
    """The map. ``best`` are indexes of points on the front, ``current`` is the selected one."""

    page: SweepPage
    best: frozenset[int]
    metric: str
    current: int
    font: QFont
    size: QSize

    def cell(self, indexes: tuple[int, ...]) -> QRectF:
        metrics = QFontMetricsF(resized_font(self.font, SECONDARY))
        x_values, y_values = (axis.values for axis in self.page.axes)
        left = max(metrics.horizontalAdvance(text) for text in y_values) + 24
        cell_width = (self.size.width() - left - _RIGHT) / len(x_values)
        top = scaled_pixels(_TOP + 8, self.font)
        bottom = scaled_pixels(_BOTTOM, self.font)
        cell_height = (self.size.height() - top - bottom) / len(y_values)
        return QRectF(
            left + indexes[0] * cell_width,
            top + (len(y_values) - 1 - indexes[1]) * cell_height,
            cell_width - 1,
            cell_height - 1,
        )

    def paint(self, painter: QPainter) -> None:
        """Paint the cells with their figures, and the values of both settings."""
        page = self.page
        theme = current_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        scale = sweep_axis(page, self.metric)
        for index, point in enumerate(page.points):
            box = self.cell(sweep_indices(page, point))
            value = sweep_value(point, self.metric)
            if value is None:
                share = 0.0
            else:
                share = max(0.0, min(1.0, scale.fraction(value)))
            colour = blend_colours(theme.kind[1], theme.surface, 0.08 + 0.8 * share)
            painter.fillRect(box, theme.surface2 if value is None else colour)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            self._paint_figure(painter, box, index, value, colour)
            if index == self.current:
                painter.setPen(QPen(theme.accent_text, 2))
                painter.drawRect(box.adjusted(1, 1, -1, -1))
        self._paint_axes(painter)

    def _paint_figure(
        self,
        painter: QPainter,
        box: QRectF,
        index: int,
        value: float | None,
        colour: QColor,
    ) -> None:
        """Paint the figure in its cell if it fits; a frame round the best trade-offs."""
        theme = current_theme()
        if value is None:
            text = number_format.UNKNOWN
        else:
            text = number_format.abbreviated(round(value))
        painter.setFont(
            tabular_font(resized_font(self.font, SECONDARY, bold=index in self.best))
        )
        painter.setPen(theme.text3 if value is None else readable_text_colour(colour))
        if (
            QFontMetricsF(painter.font()).horizontalAdvance(text) + 6 <= box.width()
            and box.height() > 16
        ):
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
        if index in self.best:
            painter.setPen(QPen(theme.ok, 2))
            painter.drawRect(box.adjusted(3, 3, -3, -3))

    def _paint_axes(self, painter: QPainter) -> None:
        x_axis, y_axis = self.page.axes
        painter.setFont(resized_font(self.font, SMALL))
        metrics = QFontMetricsF(painter.font())
        painter.setPen(current_theme().text2)
        last_right = -1e9
        for index, text in enumerate(x_axis.values):
            box = self.cell((index, 0))
            width = metrics.horizontalAdvance(text)
            if box.center().x() - width / 2 > last_right + 6:
                last_right = box.center().x() + width / 2
                painter.drawText(
                    QPointF(
                        box.center().x() - width / 2,
                        box.bottom() + scaled_pixels(16, self.font),
                    ),
                    text,
                )
        for index, text in enumerate(y_axis.values):
            box = self.cell((0, index))
            value_box = QRectF(0, box.top(), box.left() - 8, box.height())
            painter.drawText(
                value_box,
                int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
                text,
            )
        painter.setFont(resized_font(self.font, SMALL, bold=True))
        painter.drawText(
            QPointF(12, scaled_pixels(18, self.font)),
            tr("{label} (upward)").format(label=y_axis.label),
        )
        title_height = scaled_pixels(18, self.font)
        title_box = QRectF(
            0,
            self.size.height() - title_height - 2,
            self.size.width() - _RIGHT,
            title_height,
        )
        painter.drawText(
            title_box,
            int(Qt.AlignmentFlag.AlignRight),
            tr("{label} (to the right)").format(label=x_axis.label),
        )


class SettingPlot(Plot):
    """Emits ``picked(index)``, an index of the points, and ``used`` to set its values. Under the
    curves a row for each text that must survive, with a glyph per value."""

    picked = Signal(int)
    used = Signal()

    def __init__(self) -> None:
        super().__init__(tr("Values of the setting"), QSize(320, 220))
        self._page: SweepPage | None = None
        self._best: frozenset[int] = frozenset()
        self._metric, self._current = GONE, -1
        self.musts: tuple[SweptMust, ...] = ()

    def sizeHint(self) -> QSize:
        return QSize(820, 560)

    def set_metric(self, metric: str) -> None:
        """Colour the cells of a map by TOKENS or GONE."""
        self._metric = metric
        self.update()

    def show_page(self, page: SweepPage | None) -> None:
        self._page = page
        points = page.points if page is not None else ()
        self._best = frozenset(
            index for index, point in enumerate(points) if point.on_front
        )
        if page is not None:
            self.musts = swept_musts(page)[:MOST_ROWS]
        else:
            self.musts = ()
        texts = [self._text(index) for index in range(len(points))]
        self.setAccessibleDescription("; ".join(texts))
        self.update()

    def _text(self, index: int) -> str:
        assert self._page is not None
        point = self._page.points[index]
        return f"{sweep_title(self._page, point)}: {sweep_text(self._page, point)}"

    def set_current(self, index: int) -> None:
        self._current = index
        self.update()

    @property
    def is_map(self) -> bool:
        return self._page is not None and len(self._page.axes) == 2

    def paint_content(self, painter: QPainter) -> None:
        if self.is_map:
            self._map().paint(painter)
        elif self._page is not None and self._page.axes:
            theme = current_theme()
            self._paint_metric(
                painter, TOKENS, tr("tokens after · fewer is better"), theme.kind[1]
            )
            gone = tr("{gone} · fewer is better").format(gone=tr(ENTIRELY_GONE))
            self._paint_metric(painter, GONE, gone, theme.error)
            self._paint_musts(painter)

    def _paint_musts(self, painter: QPainter) -> None:
        """Paint what each value holds of the musts, and their texts at the right."""
        page = self._page
        theme = current_theme()
        frame = self.frame(GONE)
        assert page is not None
        row_height, size = (
            scaled_pixels(one, self.font()) for one in (_MUST_ROW, _MUST_GLYPH)
        )
        top = frame.box.bottom() + scaled_pixels(_BOTTOM, self.font())
        painter.setFont(resized_font(self.font(), SMALL))
        left = frame.box.right() + _NAME_GAP
        for number, must in enumerate(self.musts):
            middle = top + (number + 0.5) * row_height
            painter.setPen(QPen(theme.hairline, 1))
            line = middle - row_height / 2
            painter.drawLine(
                QPointF(frame.box.left(), line), QPointF(self.width() - 8, line)
            )
            for point, status in zip(page.points, must.statuses, strict=True):
                if status is None:
                    continue
                mark = StatusMark(status)
                x = frame.point_at(sweep_indices(page, point)[0], frame.y.low).x()
                box = QRectF(x - size / 2, middle - size / 2, size, size)
                paint_glyph(painter, mark.glyph, box, mark_colour(mark))
            painter.setPen(theme.text2)
            width = self.width() - 8 - left
            text = painter.fontMetrics().elidedText(
                " ".join(must.text.split()), Qt.TextElideMode.ElideRight, int(width)
            )
            name = QRectF(left, middle - row_height / 2, width, row_height)
            painter.drawText(name, int(Qt.AlignmentFlag.AlignVCenter), text)

    def frame(self, metric: str) -> PlotArea:
        """Return the upper frame for tokens, the lower one for what is gone; both over the same
        values."""
        page = self._page
        assert page is not None
        axis = page.axes[0]
        left, right, top_margin, bottom_margin, gap = (
            scaled_pixels(margin, self.font())
            for margin in (_LEFT, _RIGHT, _TOP, _BOTTOM, _GAP)
        )
        if self.musts and not self.is_map:
            bottom_margin += len(self.musts) * scaled_pixels(_MUST_ROW, self.font())
            right = scaled_pixels(_MUST_NAMES, self.font())
        height = (self.height() - top_margin - bottom_margin - gap) / 2
        top = top_margin if metric == TOKENS else top_margin + height + gap
        box = QRectF(left, top, max(1.0, self.width() - left - right), max(1.0, height))
        if metric == GONE:
            ticks = tuple(
                AxisTick(index, text) for index, text in enumerate(axis.values)
            )
        else:
            ticks = ()
        x = PlotAxis(-0.5, max(0.5, len(axis.values) - 0.5), ticks, axis.label)
        return PlotArea(box, x, sweep_axis(page, metric))

    def _paint_metric(
        self, painter: QPainter, metric: str, title: str, colour: QColor
    ) -> None:
        page = self._page
        theme = current_theme()
        frame = self.frame(metric)
        assert page is not None
        paint_axes(painter, frame, self.font(), verticals=False)
        self._paint_titles(painter, frame, metric, title)
        points = [
            (index, frame.point_at(sweep_indices(page, point)[0], value))
            for index, point in enumerate(page.points)
            if (value := sweep_value(point, metric)) is not None
        ]
        is_range = page.axes[0].is_range
        width = min(80.0, frame.box.width() / (2 * len(page.axes[0].values)))
        painter.setPen(QPen(colour, 1.8))
        if is_range:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolyline(QPolygonF([position for _, position in points]))
        for index, position in points:
            height = frame.box.bottom() - position.y()
            shape = QRectF(
                position.x() - _RADIUS, position.y() - _RADIUS, 2 * _RADIUS, 2 * _RADIUS
            )
            bar = QRectF(position.x() - width / 2, position.y(), width, height)
            paint_shape = painter.drawEllipse if is_range else painter.drawRect
            if index == self._current:
                painter.setPen(QPen(theme.accent_text, 1.6))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                paint_shape((shape if is_range else bar).adjusted(-4, -4, 4, 4))
            painter.setPen(QPen(colour, 1.8))
            painter.setBrush(colour if index in self._best else theme.surface)
            paint_shape(shape if is_range else bar)

    def _paint_titles(
        self, painter: QPainter, frame: PlotArea, metric: str, title: str
    ) -> None:
        """Paint the titles of the scales, and the setting's current value."""
        page = self._page
        theme = current_theme()
        box = frame.box
        assert page is not None
        axis = page.axes[0]
        painter.setFont(resized_font(self.font(), SMALL, bold=True))
        painter.setPen(theme.text2)
        painter.drawText(QPointF(12, box.top() - scaled_pixels(10, self.font())), title)
        if metric == GONE:
            paint_x_title(painter, box, self.font(), axis.label)
        if axis.current_index >= 0:
            x = frame.point_at(axis.current_index, frame.y.low).x()
            painter.setPen(QPen(theme.control_border, 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            if metric == TOKENS:  # below the frame, where no curve crosses it
                painter.setPen(theme.text2)
                painter.setFont(resized_font(self.font(), SMALL))
                text = tr("as it is set")
                left = x - painter.fontMetrics().horizontalAdvance(text) / 2
                y = box.bottom() + scaled_pixels(14, self.font())
                painter.drawText(QPointF(max(4, left), y), text)

    def _map(self) -> SweepMap:
        assert self._page is not None
        return SweepMap(
            self._page,
            self._best,
            self._metric,
            self._current,
            self.font(),
            self.size(),
        )

    def cell(self, indexes: tuple[int, ...]) -> QRectF:
        return self._map().cell(indexes)

    def point_index_at(self, position: QPointF) -> int:
        """Return the index of the point under the pointer, -1 for none."""
        page = self._page
        if page is None or not page.axes:
            return -1
        if self.is_map:
            column = -1
        else:
            column = round(self.frame(TOKENS).value_x(position.x()))
        for index, point in enumerate(page.points):
            indices = sweep_indices(page, point)
            if (
                self.cell(indices).contains(position)
                if self.is_map
                else indices[0] == column
            ):
                return index
        return -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if (index := self.point_index_at(event.position())) >= 0:
            self.picked.emit(index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.point_index_at(event.position()) >= 0:
            self.used.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        page = self._page
        if event.key() in _STEPS and page is not None and page.points:
            places = [sweep_indices(page, point) for point in page.points]
            if 0 <= self._current < len(places):
                start = places[self._current]
            else:
                start = (0,) * len(places[0])
            moved = zip(start, _STEPS[Qt.Key(event.key())], strict=False)
            target = tuple(place + step for place, step in moved)
            if target in places:
                self.picked.emit(places.index(target))
        elif is_enter(event) and self._current >= 0:
            self.used.emit()
        else:
            super().keyPressEvent(event)

    def tip_at(self, position: QPointF) -> str:
        index = self.point_index_at(position)
        if index >= 0:
            return self._text(index)
        return ""
