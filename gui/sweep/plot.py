"""A sweep as a picture: two curves over one setting, or a map over two."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QToolTip, QWidget

from core.presentation.plots import AxisTick, PlotAxis
from core.presentation.sweep.best_points import best_point_indices
from core.presentation.sweep.model import SweepPage
from gui.language import tr
from gui.sweep.heat_map import FIDELITY, TOKENS, SweepMap, value_of
from gui.widgets.focus_ring import paint_focus
from gui.widgets.key_presses import is_enter
from gui.widgets.plot_frame import PlotArea, paint_axes
from gui.widgets.theme import SMALL, Theme, resized_font, scaled_pixels

_LEFT, _RIGHT, _TOP, _BOTTOM, _GAP = 64, 24, 28, 44, 40
_RADIUS = 4.0


class SweepPlot(QWidget):
    """Emits ``picked(place)``, an index of the points, and ``used`` to set its values."""

    picked = Signal(int)
    used = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._page: SweepPage | None = None
        self._best: frozenset[int] = frozenset()
        self._metric, self._current = FIDELITY, -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Sweep"))
        self.setMinimumSize(320, 220)

    def sizeHint(self) -> QSize:
        return QSize(820, 560)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def set_metric(self, metric: str) -> None:
        self._metric = metric
        self.update()

    def show_page(self, page: SweepPage | None) -> None:
        self._page = page
        self._best = frozenset(best_point_indices(page.points)) if page is not None else frozenset()
        descriptions = [f"{point.title}: {point.text}" for point in page.points] if page is not None else []
        self.setAccessibleDescription("; ".join(descriptions))
        self.update()

    def set_current(self, index: int) -> None:
        self._current = index
        self.update()

    @property
    def is_map(self) -> bool:
        return self._page is not None and len(self._page.axes) == 2

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.surface)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._page is not None and self._page.axes:
            if self.is_map:
                self._map().paint(painter)
            else:
                self._curve(painter, TOKENS)
                self._curve(painter, FIDELITY)
        paint_focus(painter, self, self._theme)
        painter.end()

    def frame(self, metric: str) -> PlotArea:
        """Return the upper frame for tokens, the lower for fidelity; both over the same values."""
        page = self._page
        assert page is not None
        values = page.axes[0].values
        left, right, top_margin, bottom_margin, gap = (
            scaled_pixels(margin, self.font()) for margin in (_LEFT, _RIGHT, _TOP, _BOTTOM, _GAP)
        )
        height = (self.height() - top_margin - bottom_margin - gap) / 2
        top = top_margin if metric == TOKENS else top_margin + height + gap
        box = QRectF(left, top, max(1.0, self.width() - left - right), max(1.0, height))
        ticks = tuple(AxisTick(index, text) for index, text in enumerate(values))
        x = PlotAxis(
            -0.5, max(0.5, len(values) - 0.5), ticks if metric == FIDELITY else (), page.axes[0].label
        )
        return PlotArea(box, x, page.tokens if metric == TOKENS else page.fidelity)

    def _curve(self, painter: QPainter, metric: str) -> None:
        page, theme = self._page, self._theme
        assert page is not None
        frame = self.frame(metric)
        paint_axes(painter, frame, theme, self.font(), verticals=False)
        self._titles(painter, frame, metric)
        colour = theme.kind[1] if metric == TOKENS else theme.ok
        points = [
            (index, point, value)
            for index, point in enumerate(page.points)
            if (value := value_of(point, metric)) is not None
        ]
        painter.setPen(QPen(colour, 1.8))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(
            QPolygonF([frame.point_at(point.axis_indices[0], value) for _, point, value in points])
        )
        for index, point, value in points:
            position = frame.point_at(point.axis_indices[0], value)
            if index == self._current:
                painter.setPen(QPen(theme.accent_text, 1.6))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(position, _RADIUS + 4, _RADIUS + 4)
            painter.setPen(QPen(colour, 1.8))
            painter.setBrush(colour if index in self._best else theme.surface)
            painter.drawEllipse(position, _RADIUS, _RADIUS)

    def _titles(self, painter: QPainter, frame: PlotArea, metric: str) -> None:
        """Paint the titles of the scales, and the setting's current value."""
        page, theme = self._page, self._theme
        assert page is not None
        painter.setFont(resized_font(self.font(), SMALL, bold=True))
        painter.setPen(theme.text2)
        title = (
            tr("tokens after (fewer is better)")
            if metric == TOKENS
            else tr("weighted fidelity (more is better)")
        )
        painter.drawText(QPointF(12, frame.box.top() - scaled_pixels(10, self.font())), title)
        if metric == FIDELITY:
            title_top = frame.box.bottom() + scaled_pixels(22, self.font())
            title_box = QRectF(frame.box.left(), title_top, frame.box.width(), scaled_pixels(18, self.font()))
            painter.drawText(
                title_box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop), page.axes[0].label
            )
        if page.axes[0].current_index >= 0:
            x = frame.point_at(page.axes[0].current_index, frame.y.low).x()
            painter.setPen(QPen(theme.control_border, 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, frame.box.top()), QPointF(x, frame.box.bottom()))
            if metric == TOKENS:  # below the frame, where no curve crosses it
                painter.setPen(theme.text2)
                painter.setFont(resized_font(self.font(), SMALL))
                text = tr("as it is set")
                left = x - painter.fontMetrics().horizontalAdvance(text) / 2
                painter.drawText(
                    QPointF(max(4, left), frame.box.bottom() + scaled_pixels(14, self.font())), text
                )

    def _map(self) -> SweepMap:
        assert self._page is not None
        best, current = self._best, self._current
        return SweepMap(self._page, best, self._metric, current, self._theme, self.font(), self.size())

    def cell(self, indexes: tuple[int, ...]) -> QRectF:
        return self._map().cell(indexes)

    def place_at(self, position: QPointF) -> int:
        """Return the index of the point under the pointer, -1 for none."""
        page = self._page
        if page is None or not page.axes:
            return -1
        if self.is_map:
            return next(
                (
                    index
                    for index, point in enumerate(page.points)
                    if self.cell(point.axis_indices).contains(position)
                ),
                -1,
            )
        column = round(self.frame(TOKENS).value_x(position.x()))
        return next((index for index, point in enumerate(page.points) if point.axis_indices[0] == column), -1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if (index := self.place_at(event.position())) >= 0:
            self.picked.emit(index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.place_at(event.position()) >= 0:
            self.used.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, 1),
            Qt.Key.Key_Down: (0, -1),
        }
        points = self._page.points if self._page is not None else ()
        if event.key() in steps and points:
            position = (
                points[self._current].axis_indices
                if 0 <= self._current < len(points)
                else (0,) * len(points[0].axis_indices)
            )
            target = tuple(
                coordinate + step
                for coordinate, step in zip(position, steps[Qt.Key(event.key())], strict=False)
            )
            index = next(
                (
                    point_index
                    for point_index, coordinate in enumerate(points)
                    if coordinate.axis_indices == target
                ),
                -1,
            )
            if index >= 0:
                self.picked.emit(index)
        elif is_enter(event) and self._current >= 0:
            self.used.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._page is not None:
            index = self.place_at(QPointF(event.pos()))
            if index >= 0:
                point = self._page.points[index]
                text = "\n".join(filter(None, (point.title, point.text, point.trouble)))
                QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)
