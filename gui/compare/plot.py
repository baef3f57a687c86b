"""The plot of results: filled points are the best trade-offs, hollow ones others, diamonds
recorded; where texts must survive, each is what it holds of the one that fares worst."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
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
from PySide6.QtWidgets import QWidget

from core.common import number_format
from core.presentation.compare.results import (
    BEST,
    DIAMOND,
    MUST_SHAPES,
    OTHER,
    PlotPoint,
    ScatterPlot,
)
from gui.language import tr
from gui.widgets.events import is_enter
from gui.widgets.plot_frame import (
    Plot,
    PlotArea,
    PlotLegend,
    diamond,
    label_line,
    paint_axes,
    paint_x_title,
    place_label,
)
from gui.widgets.result_table import paint_mark
from gui.widgets.text_labels import ElidedLabel, whole_parts
from gui.widgets.theme import (
    SECONDARY,
    SMALL,
    Theme,
    current_theme,
    resized_font,
    scaled_pixels,
)
from gui.widgets.view_layout import column_of, line_of_widgets

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 28, 30, 44
_RADIUS = 4.5
_OVERLAP_DISTANCE = 4
"""Distance in pixels below which one point hides another."""
_SHARED_LABEL_DISTANCE = 48
"""Distance in pixels up to which one label can name two points."""


@dataclass(frozen=True, slots=True)
class PlotLabel:
    """A label in ``box`` beside the point ``point_position``: the name of the first of ``points``,
    and how many more."""

    points: tuple[PlotPoint, ...]
    text: str
    font: QFont
    point_position: QPointF
    box: QRectF


@dataclass(frozen=True)  # without slots, for cached_property
class ScatterPicture:
    """The picture. ``marked`` are the names of A and B, ``current`` is the row's, ``size`` in
    pixels."""

    scatter: ScatterPlot
    marked: tuple[str, str]
    current: str
    font: QFont
    size: QSize

    @cached_property
    def points(self) -> tuple[PlotPoint, ...]:
        """The points in order of tokens."""
        return tuple(
            sorted(self.scatter.points, key=lambda point: (point.x, point.name))
        )

    @cached_property
    def frame(self) -> PlotArea:
        """The scales in pixels."""
        left, right, top, bottom = (
            scaled_pixels(margin, self.font)
            for margin in (_LEFT, _RIGHT, _TOP, _BOTTOM)
        )
        width = self.size.width() - left - right
        height = self.size.height() - top - bottom
        return PlotArea(
            QRectF(left, top, max(1, width), max(1, height)),
            self.scatter.x,
            self.scatter.y,
        )

    @property
    def theme(self) -> Theme:
        return current_theme()

    def paint(self, painter: QPainter) -> None:
        frame = self.frame
        if not self.points:
            self._paint_why_empty(painter, frame)
            return
        self._paint_beyond_aim(painter, frame)
        paint_axes(painter, frame, self.font)
        self._paint_titles(painter, frame)
        painter.setPen(QPen(self.theme.ok, 1.4, Qt.PenStyle.DashLine))
        painter.drawPolyline(QPolygonF(self._front_positions(frame)))
        for point in self.painted_points():
            self._paint_point(painter, self._position(point), point)
        self._paint_labels(painter)

    def painted_points(self) -> list[PlotPoint]:
        """Return the points as they are painted: no other hides a best trade-off."""
        return sorted(self.points, key=lambda point: point.shape == BEST)

    def _paint_beyond_aim(self, painter: QPainter, frame: PlotArea) -> None:
        """Shade what is too large, from a line at the aim."""
        aim = self.scatter.aim
        if not aim:
            return
        box = frame.box
        left = frame.point_at(aim, frame.y.low).x()
        beyond = QRectF(QPointF(left, box.top()), box.bottomRight())
        painter.fillRect(beyond, self.theme.surface2)
        painter.setPen(QPen(self.theme.accent_text, 2))
        painter.drawLine(QLineF(left, box.top(), left, box.bottom()))
        painter.setFont(resized_font(self.font, SMALL, bold=True))
        words = tr("aim {aim}").format(aim=number_format.count(aim))
        width = painter.fontMetrics().horizontalAdvance(words) + 8
        # beside the line, at the side where it has room
        x = left + 6 if left + width < self.size.width() else left - width
        painter.drawText(QPointF(x, box.top() + painter.fontMetrics().ascent()), words)

    def _paint_why_empty(self, painter: QPainter, frame: PlotArea) -> None:
        painter.setFont(resized_font(self.font, SECONDARY))
        painter.setPen(self.theme.text2)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(frame.box, int(flags), self.scatter.why_empty)

    def _paint_titles(self, painter: QPainter, frame: PlotArea) -> None:
        painter.setFont(resized_font(self.font, SMALL))
        painter.setPen(self.theme.text2)
        room = self.size.width() - 2 * 12
        title = whole_parts(frame.y.title, painter.fontMetrics(), room)
        painter.drawText(QPointF(12, scaled_pixels(16, self.font)), title)
        paint_x_title(painter, frame.box, self.font, frame.x.title)

    def _front_positions(self, frame: PlotArea) -> list[QPointF]:
        points = self.scatter.points
        return [
            frame.point_at(points[index].x, points[index].y)
            for index in self.scatter.front
        ]

    def _colour(self, point: PlotPoint) -> QColor:
        if point.shape == DIAMOND:
            return self.theme.kind[5]
        return self.theme.kind[1]

    def _paint_point(
        self, painter: QPainter, position: QPointF, point: PlotPoint
    ) -> None:
        colour = self._colour(point)
        if point.name in (*self.marked, self.current):
            painter.setPen(QPen(self.theme.accent_text, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(position, _RADIUS + 4, _RADIUS + 4)
        if point.worst is not None:
            paint_mark(painter, position, point.worst)
            return
        painter.setPen(QPen(colour, 1.8))
        if point.shape == DIAMOND:
            painter.setBrush(colour)
            painter.drawPolygon(diamond(position, _RADIUS + 1.5))
            return
        painter.setBrush(colour if point.shape == BEST else self.theme.surface)
        painter.drawEllipse(position, _RADIUS, _RADIUS)

    def _paint_labels(self, painter: QPainter) -> None:
        for label in self.labels:
            self._paint_leader(painter, label)
            painter.fillRect(label.box, self.theme.surface)
            painter.setFont(label.font)
            first_point = label.points[0]
            painter.setPen(
                self._colour(first_point)
                if first_point.shape == DIAMOND
                else self.theme.text
            )
            painter.drawText(label.box, int(Qt.AlignmentFlag.AlignCenter), label.text)

    def _paint_leader(self, painter: QPainter, label: PlotLabel) -> None:
        if self.needs_leader(label):
            line = label_line(label.point_position, label.box)
            painter.setPen(QPen(self.theme.text3, 1))
            painter.drawLine(
                QLineF(line.pointAt((_RADIUS + 1) / line.length()), line.p2())
            )

    def needs_leader(self, label: PlotLabel) -> bool:
        """True if a label is far from its point, or nearer to another one."""
        own_distance = label_line(label.point_position, label.box).length()
        other_positions = (
            self._position(point) for point in self.points if point not in label.points
        )
        return own_distance > _RADIUS + label.box.height() or any(
            label_line(position, label.box).length() < own_distance
            for position in other_positions
        )

    @cached_property
    def labels(self) -> tuple[PlotLabel, ...]:
        """The labels of all spots. A spot without space is named by the nearest label, or only by
        its tooltip."""
        groups = self.point_groups()
        labels = self._place_labels(groups, ())
        while len(labels) < len(groups):
            unlabelled = groups.pop(len(labels))
            distances = [self._distance(group[0], unlabelled) for group in groups]
            if min(distances, default=math.inf) <= scaled_pixels(
                _SHARED_LABEL_DISTANCE, self.font
            ):
                nearest = distances.index(min(distances))
                groups[nearest].extend(unlabelled)
                labels = labels[:nearest]  # a longer text may need another place
            labels = self._place_labels(groups, labels)
        return labels

    def _place_labels(
        self, groups: Sequence[Sequence[PlotPoint]], placed: tuple[PlotLabel, ...]
    ) -> tuple[PlotLabel, ...]:
        """Return ``placed`` and labels up to the first spot without space; none covers a label,
        point or axis."""
        frame = self.frame
        area = QRectF(0, 0, self.size.width(), self.size.height()).adjusted(
            frame.box.left() + 2,
            scaled_pixels(18, self.font),
            -4,
            2 - scaled_pixels(_BOTTOM, self.font),
        )
        obstacles = [
            QRectF(position.x() - 6, position.y() - 6, 12, 12)
            for position in map(self._position, self.points)
        ]
        lines = [QLineF(*pair) for pair in pairwise(self._front_positions(frame))]
        labels = list(placed)
        for group in groups[len(placed) :]:
            text = self._text(group)
            font = self._font(group[0])
            position = self._position(group[0])
            metrics = QFontMetricsF(font)
            size = QRectF(0, 0, metrics.horizontalAdvance(text) + 2, metrics.height())
            box = place_label(
                size,
                position,
                _RADIUS + 5,
                area,
                [*obstacles, *(label.box for label in labels)],
                lines,
            )
            if box is None:
                break
            labels.append(PlotLabel(tuple(group), text, font, position, box))
        return tuple(labels)

    def _text(self, group: Sequence[PlotPoint]) -> str:
        name = group[0].name
        more = len(group) - 1
        if group[0].is_least:
            name = tr("{name}, least").format(name=name)
        if more:
            return tr("{name} + {more} more").format(name=name, more=more)
        return name

    def _font(self, point: PlotPoint) -> QFont:
        return resized_font(
            self.font, SECONDARY, bold=point.name in (*self.marked, self.current)
        )

    def _position(self, point: PlotPoint) -> QPointF:
        return self.frame.point_at(point.x, point.y)

    def _distance(self, labelled: PlotPoint, others: Sequence[PlotPoint]) -> float:
        return max(
            QLineF(self._position(labelled), self._position(other)).length()
            for other in others
        )

    def point_groups(self) -> list[list[PlotPoint]]:
        """Return the points grouped by position, marked ones first, so that they keep their names;
        points that would hide each other form one group."""
        groups: list[list[PlotPoint]] = []
        for point in sorted(
            self.points,
            key=lambda one: (one.name not in self.marked, one.shape != BEST),
        ):
            position = self._position(point)
            groups_nearby = (
                one
                for one in groups
                if (self._position(one[0]) - position).manhattanLength()
                < _OVERLAP_DISTANCE
            )
            group = next(groups_nearby, None)
            if group is None:
                groups.append([point])
            else:
                group.append(point)
        return groups


SHAPES = ((BEST, "best trade-offs"), (OTHER, "others"), (DIAMOND, "recorded"))
"""The meaning of the points' shapes."""
_CLICK_RADIUS = 12.0


class ResultPlot(Plot):
    """Emits ``picked(name)`` if a point is clicked or reached with the arrow keys,
    ``opened(name)``."""

    picked = Signal(str)
    opened = Signal(str)

    def __init__(self) -> None:
        super().__init__(tr("Results"), QSize(280, 180))
        self._scatter: ScatterPlot | None = None
        self._marked: tuple[str, str] = ("", "")
        self._current = ""
        self._labels: tuple[PlotLabel, ...] = ()

    def show_scatter(self, scatter: ScatterPlot | None) -> None:
        self._scatter = scatter
        self.setAccessibleDescription(
            "; ".join(f"{point.name}: {point.text}" for point in self.points)
        )
        self.update()

    def set_marked(self, a: str, b: str, current: str) -> None:
        self._marked, self._current = (a, b), current
        self.update()

    @property
    def picture(self) -> ScatterPicture | None:
        """The painted picture, None if there is nothing to show."""
        if self._scatter is None:
            return None
        return ScatterPicture(
            self._scatter, self._marked, self._current, self.font(), self.size()
        )

    @property
    def points(self) -> tuple[PlotPoint, ...]:
        """The shown points, in order of tokens."""
        if self.picture is not None:
            return self.picture.points
        return ()

    def sizeHint(self) -> QSize:
        return QSize(640, 360)

    def paint_content(self, painter: QPainter) -> None:
        picture, self._labels = self.picture, ()
        if picture is not None:
            picture.paint(painter)
            self._labels = picture.labels

    def tip_at(self, position: QPointF) -> str:
        """Return a line of figures for the point under the pointer, and for each that shares its
        label."""
        name = self.point_at(position)
        matching = [point for point in self.points if point.name == name]
        label_groups = [
            point.points
            for point in self._labels
            if matching and matching[0] in point.points
        ]
        ordered = sorted(
            label_groups[0] if label_groups else matching,
            key=lambda point: point.name != name,
        )
        return "\n".join(f"{point.name}: {point.text}" for point in ordered)

    def point_at(self, position: QPointF) -> str:
        """Return the name of the point or label under the pointer, else ""."""
        if (picture := self.picture) is None:
            return ""
        for label in self._labels:
            if label.box.contains(position):
                return label.points[0].name
        candidates = []
        for point in picture.points:
            offset = picture.frame.point_at(point.x, point.y) - position
            candidates.append((offset.x() ** 2 + offset.y() ** 2, point.name))
        nearest = min(candidates, default=(1e9, ""))
        if nearest[0] <= _CLICK_RADIUS**2:
            return nearest[1]
        return ""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if name := self.point_at(event.position()):
            self.picked.emit(name)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if name := self.point_at(event.position()):
            self.opened.emit(name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_over_point = bool(self.point_at(event.position()))
        self.setCursor(
            Qt.CursorShape.PointingHandCursor
            if is_over_point
            else Qt.CursorShape.ArrowCursor
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        names = [point.name for point in self.points]
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: 1,
        }
        if event.key() in steps and names:
            if self._current in names:
                index = names.index(self._current)
            else:
                index = -1
            self.picked.emit(
                names[max(0, min(len(names) - 1, index + steps[Qt.Key(event.key())]))]
            )
        elif is_enter(event) and self._current:
            self.opened.emit(self._current)
        else:
            super().keyPressEvent(event)


class PlotPane(QWidget):
    """The plot below its title and legend."""

    def __init__(self) -> None:
        super().__init__()
        self.plot = ResultPlot()
        self.legend = PlotLegend((*SHAPES, *MUST_SHAPES))
        self._title = ElidedLabel("", "strong", min_chars=12)
        self.front: frozenset[str] = frozenset()
        """Names of the best trade-offs."""
        head = line_of_widgets(self._title, None, self.legend, padding=6)
        self.setLayout(column_of(head, self.plot, stretched=self.plot))

    def show_scatter(self, scatter: ScatterPlot | None) -> None:
        points = scatter.points if scatter is not None else ()
        self.front = frozenset(point.name for point in points if point.shape == BEST)
        self.plot.show_scatter(scatter)
        self.plot.setAccessibleName(
            scatter.title if scatter is not None else tr("Results")
        )
        self._title.show_text(scatter.title if scatter is not None else "")
        self.legend.show_shapes({point.worst or point.shape for point in points})
