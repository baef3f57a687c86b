"""The frame of a plot: scales in pixels, grid and ticks, labels that do not overlap, and its
legend."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.presentation.compare.model import StatusMark
from core.presentation.compare.results import DIAMOND, OTHER
from core.presentation.plots import PlotAxis
from gui.language import tr
from gui.widgets.result_table import paint_mark
from gui.widgets.theme import (
    SECONDARY,
    SMALL,
    Theme,
    current_theme,
    resized_font,
    scaled_pixels,
    tabular_font,
)


class Plot(QWidget):
    """A painted plot with a tooltip at the pointer, and a ring of two pixels while it has the
    focus."""

    def __init__(self, name: str, min_size: QSize) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(name)
        self.setMinimumSize(min_size)

    def paint_content(self, painter: QPainter) -> None:
        raise NotImplementedError

    def tip_at(self, position: QPointF) -> str:
        """Return the tooltip at a position, "" for none."""
        raise NotImplementedError

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = current_theme()
        painter.fillRect(self.rect(), theme.surface)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_content(painter)
        if self.hasFocus():
            painter.setPen(QPen(theme.accent_text, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        painter.end()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            if tip := self.tip_at(QPointF(event.pos())):
                QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)


_LABEL_DISTANCES = (0.6, 1.4, 2.4)
"""Distances at which a label may be placed, in heights of the label."""


@dataclass(frozen=True, slots=True)
class PlotArea:
    """The data rectangle of a plot, with the scales of its sides."""

    box: QRectF
    x: PlotAxis
    y: PlotAxis

    def point_at(self, x: float, y: float) -> QPointF:
        """Return the point of a value pair."""
        return QPointF(
            self.box.left() + self.x.fraction(x) * self.box.width(),
            self.box.bottom() - self.y.fraction(y) * self.box.height(),
        )

    def value_x(self, pixel: float) -> float:
        """Return the value at a pixel."""
        share = (pixel - self.box.left()) / max(1.0, self.box.width())
        return self.x.low + share * (self.x.high - self.x.low)


def paint_axes(
    painter: QPainter, frame: PlotArea, font: QFont, *, verticals: bool = True
) -> None:
    """Paint grid lines, and the ticks of both scales with their labels."""
    theme = current_theme()
    painter.setFont(tabular_font(resized_font(font, SMALL)))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    grid = QPen(theme.hairline, 1)
    if theme.high_contrast:  # hairlines are black in high contrast
        grid.setStyle(Qt.PenStyle.DotLine)
    _paint_y_ticks(painter, frame, grid, theme)
    _paint_x_ticks(painter, frame, grid if verticals else None, theme)
    painter.setPen(QPen(theme.control_border, 1))
    painter.drawLine(frame.box.bottomLeft(), frame.box.bottomRight())
    painter.drawLine(frame.box.topLeft(), frame.box.bottomLeft())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def _paint_y_ticks(
    painter: QPainter, frame: PlotArea, grid: QPen, theme: Theme
) -> None:
    box = frame.box
    text_height = QFontMetricsF(painter.font()).height()
    alignment = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    for tick in frame.y.ticks:
        y = frame.point_at(frame.x.low, tick.value).y()
        painter.setPen(grid)
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        painter.setPen(theme.text2)
        painter.drawText(
            QRectF(0, y - text_height / 2, box.left() - 8, text_height),
            alignment,
            tick.label,
        )


def _paint_x_ticks(
    painter: QPainter, frame: PlotArea, grid: QPen | None, theme: Theme
) -> None:
    """Labels that would touch the previous one are left out."""
    box = frame.box
    metrics = QFontMetricsF(painter.font())
    last_right = -1e9
    for tick in frame.x.ticks:
        x = frame.point_at(tick.value, frame.y.low).x()
        if grid is not None:
            painter.setPen(grid)
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        width = metrics.horizontalAdvance(tick.label)
        if x - width / 2 < last_right + 8:
            continue
        last_right = x + width / 2
        painter.setPen(theme.text2)
        painter.drawText(
            QPointF(x - width / 2, box.bottom() + 6 + metrics.ascent()), tick.label
        )


def place_label(
    text: QRectF,
    centre: QPointF,
    gap: float,
    within: QRectF,
    taken: Sequence[QRectF],
    lines: Sequence[QLineF] = (),
) -> QRectF | None:
    """Return the place of a label beside a point: right, left, above, below, then further away.

    Over one of ``lines`` only if all other places are taken; None if every place covers something
    or the line to it crosses something.
    """
    crossing = None
    other_boxes = [other for other in taken if not other.contains(centre)]
    for distance in (gap, *(gap + text.height() * share for share in _LABEL_DISTANCES)):
        for box in _boxes_around(text, centre, distance):
            is_free = within.contains(box) and not any(
                box.intersects(other) for other in taken
            )
            if is_free and not any(
                _crosses(label_line(centre, box), other) for other in other_boxes
            ):
                if not any(_crosses(line, box) for line in lines):
                    return box
                crossing = crossing or box
    return crossing


def label_line(centre: QPointF, box: QRectF) -> QLineF:
    """Return the shortest line from a point to its label."""
    x = min(max(centre.x(), box.left()), box.right())
    return QLineF(centre, QPointF(x, min(max(centre.y(), box.top()), box.bottom())))


def _boxes_around(text: QRectF, centre: QPointF, distance: float) -> Iterator[QRectF]:
    width = text.width()
    height = text.height()
    diagonal = distance * 0.7
    x = centre.x()
    y = centre.y()
    for left, top in (
        (x + distance, y - height / 2),
        (x - distance - width, y - height / 2),
        (x - width / 2, y - distance - height),
        (x - width / 2, y + distance),
        (x + diagonal, y - diagonal - height),
        (x + diagonal, y + diagonal),
        (x - diagonal - width, y - diagonal - height),
        (x - diagonal - width, y + diagonal),
    ):
        yield QRectF(left, top, width, height)


def _crosses(line: QLineF, box: QRectF) -> bool:
    steps = max(1, round(line.length() / 4))
    return any(box.contains(line.pointAt(step / steps)) for step in range(steps + 1))


def diamond(centre: QPointF, radius: float) -> QPolygonF:
    corners = ((0, -radius), (radius, 0), (0, radius), (-radius, 0))
    return QPolygonF([centre + QPointF(*corner) for corner in corners])


def paint_x_title(painter: QPainter, box: QRectF, font: QFont, title: str) -> None:
    """Paint what the horizontal scale is of, right-aligned below its figures."""
    top = box.bottom() + scaled_pixels(22, font)
    title_box = QRectF(box.left(), top, box.width(), scaled_pixels(18, font))
    painter.drawText(
        title_box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop), title
    )


def _paint_shape(painter: QPainter, centre: QPointF, shape: str | StatusMark) -> None:
    if isinstance(shape, StatusMark):
        paint_mark(painter, centre, shape)
    elif shape == DIAMOND:
        painter.drawPolygon(diamond(centre, 5))
    elif shape == FRAME:
        painter.setPen(QPen(current_theme().ok, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(centre.x() - 5, centre.y() - 4, 10, 8))
    else:
        painter.drawEllipse(centre, 4, 4)


_GAP, _MARK_WIDTH = 14, 16
RING, FRAME = "ring", "frame"
"""Shapes beyond those of core.presentation.compare.results: a hollow ring; a frame round a cell."""


class PlotLegend(QWidget):
    def __init__(self, entries: Sequence[tuple[str | StatusMark, str]]) -> None:
        super().__init__()
        self._all_entries = tuple((shape, tr(word)) for shape, word in entries)
        self._entries = self._all_entries
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._update_accessible_name()

    def _update_accessible_name(self) -> None:
        self.setAccessibleName(
            tr("Legend: {words}").format(words=", ".join(self.words))
        )

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for _, word in self._entries)

    def show_shapes(self, shapes: Collection[str | StatusMark]) -> None:
        self._entries = tuple(
            entry for entry in self._all_entries if entry[0] in shapes
        )
        self._update_accessible_name()
        self.updateGeometry()
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        metrics = QFontMetrics(resized_font(self.font(), SECONDARY))  # as it is painted
        width = sum(
            _MARK_WIDTH + metrics.horizontalAdvance(word) + _GAP
            for _, word in self._entries
        )
        return QSize(max(0, width - _GAP), metrics.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(resized_font(self.font(), SECONDARY))
        metrics = painter.fontMetrics()
        x = 0.0
        theme = current_theme()
        for shape, word in self._entries:
            if x + _MARK_WIDTH + metrics.horizontalAdvance(word) > self.width():
                break  # skip a word that would be cut off
            centre = QPointF(x + 5, self.height() / 2)
            ink = theme.kind[5] if shape == DIAMOND else theme.text2
            painter.setPen(QPen(ink, 1.6))
            painter.setBrush(theme.surface2 if shape in (OTHER, RING) else ink)
            _paint_shape(painter, centre, shape)
            painter.setPen(ink)
            painter.drawText(
                QPointF(
                    x + _MARK_WIDTH,
                    (self.height() + metrics.ascent() - metrics.descent()) / 2,
                ),
                word,
            )
            x += _MARK_WIDTH + metrics.horizontalAdvance(word) + _GAP
        painter.end()
