"""The picture of tokens against fidelity: axes, the front, points and their labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from core.presentation.compare.model import FRONT, RECORDED, ComparePoint
from core.presentation.plots import PlotAxis
from gui.language import tr
from gui.widgets.plot_frame import PlotArea, label_line, paint_axes, place_label
from gui.widgets.theme import SECONDARY, SMALL, Theme, resized_font, scaled_pixels

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 28, 30, 44
_RADIUS = 4.5
_HIDES = 4
"""Distance in pixels below which one point hides another."""
_NEAR = 48
"""Distance in pixels up to which one label can name two points."""


class PlottedPoints(Protocol):
    """What is plotted: points, the indexes of those on the front, and both scales."""

    @property
    def points(self) -> tuple[ComparePoint, ...]: ...

    @property
    def front(self) -> tuple[int, ...]: ...

    @property
    def x(self) -> PlotAxis: ...

    @property
    def y(self) -> PlotAxis: ...


@dataclass(frozen=True, slots=True)
class PlotLabel:
    """A label in ``box`` beside the point ``at``: the name of the first of ``points``, and how many more."""

    points: tuple[ComparePoint, ...]
    text: str
    font: QFont
    at: QPointF
    box: QRectF


@dataclass(frozen=True)  # without slots, for cached_property
class ComparePlotPicture:
    """The picture. ``marked`` are the names of A and B, ``current`` is the row's, ``size`` in pixels."""

    page: PlottedPoints
    marked: tuple[str, str]
    current: str
    theme: Theme
    font: QFont
    size: QSize

    @cached_property
    def points(self) -> tuple[ComparePoint, ...]:
        """The points in order of tokens."""
        return tuple(sorted(self.page.points, key=lambda one: (one.tokens, one.name)))

    @cached_property
    def frame(self) -> PlotArea:
        """The scales in pixels."""
        left, right, top, bottom = (scaled_pixels(one, self.font) for one in (_LEFT, _RIGHT, _TOP, _BOTTOM))
        width, height = self.size.width() - left - right, self.size.height() - top - bottom
        return PlotArea(QRectF(left, top, max(1, width), max(1, height)), self.page.x, self.page.y)

    def paint(self, painter: QPainter) -> None:
        frame = self.frame
        paint_axes(painter, frame, self.theme, self.font)
        self._titles(painter, frame)
        self._front(painter, frame)
        for point in self.points:
            self._point(painter, self._at(point), point)
        self._names(painter)

    def _titles(self, painter: QPainter, frame: PlotArea) -> None:
        painter.setFont(resized_font(self.font, SMALL))
        painter.setPen(self.theme.text2)
        painter.drawText(QPointF(12, scaled_pixels(16, self.font)), frame.y.title)
        below = frame.box.bottom() + scaled_pixels(22, self.font)
        room = QRectF(frame.box.left(), below, frame.box.width(), scaled_pixels(18, self.font))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop), frame.x.title)

    def _front(self, painter: QPainter, frame: PlotArea) -> None:
        places = self._corners(frame)
        painter.setPen(QPen(self.theme.ok, 1.4, Qt.PenStyle.DashLine))
        painter.drawPolyline(QPolygonF(places))

    def _corners(self, frame: PlotArea) -> list[QPointF]:
        page = self.page
        return [frame.at(page.points[at].tokens, page.points[at].fidelity) for at in page.front]

    def _ink(self, point: ComparePoint) -> QColor:
        return self.theme.kind[5] if point.shape == RECORDED else self.theme.kind[1]

    def _point(self, painter: QPainter, at: QPointF, point: ComparePoint) -> None:
        ink = self._ink(point)
        if point.name in (*self.marked, self.current):
            painter.setPen(QPen(self.theme.accent_text, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(at, _RADIUS + 4, _RADIUS + 4)
        painter.setPen(QPen(ink, 1.8))
        if point.shape == RECORDED:
            painter.setBrush(ink)
            d = _RADIUS + 1.5
            corners = [QPointF(0, -d), QPointF(d, 0), QPointF(0, d), QPointF(-d, 0)]
            painter.drawPolygon(QPolygonF([at + corner for corner in corners]))
            return
        painter.setBrush(ink if point.shape == FRONT else self.theme.surface)
        painter.drawEllipse(at, _RADIUS, _RADIUS)

    def _names(self, painter: QPainter) -> None:
        for label in self.labels:
            self._leader(painter, label)
            painter.fillRect(label.box, self.theme.surface)
            painter.setFont(label.font)
            first = label.points[0]
            painter.setPen(self._ink(first) if first.shape == RECORDED else self.theme.text)
            painter.drawText(label.box, int(Qt.AlignmentFlag.AlignCenter), label.text)

    def _leader(self, painter: QPainter, label: PlotLabel) -> None:
        if self.is_away(label):
            line = label_line(label.at, label.box)
            painter.setPen(QPen(self.theme.text3, 1))
            painter.drawLine(QLineF(line.pointAt((_RADIUS + 1) / line.length()), line.p2()))

    def is_away(self, label: PlotLabel) -> bool:
        """True if a label is far from its point, or nearer to another one."""
        own = label_line(label.at, label.box).length()
        others = (self._at(one) for one in self.points if one not in label.points)
        return own > _RADIUS + label.box.height() or any(
            label_line(at, label.box).length() < own for at in others
        )

    @cached_property
    def labels(self) -> tuple[PlotLabel, ...]:
        """The labels of all spots. A spot without space is named by the nearest label, or only by its
        tooltip."""
        groups = self.spots()
        labels = self._placed(groups, ())
        while len(labels) < len(groups):
            homeless = groups.pop(len(labels))
            apart = [self._distance(group[0], homeless) for group in groups]
            if min(apart, default=math.inf) <= scaled_pixels(_NEAR, self.font):
                nearest = apart.index(min(apart))
                groups[nearest].extend(homeless)
                labels = labels[:nearest]  # a longer text may need another place
            labels = self._placed(groups, labels)
        return labels

    def _placed(
        self, groups: Sequence[Sequence[ComparePoint]], placed: tuple[PlotLabel, ...]
    ) -> tuple[PlotLabel, ...]:
        """Return ``placed`` and labels up to the first spot without space; none covers a label, point or
        figure."""
        frame = self.frame
        within = QRectF(0, 0, self.size.width(), self.size.height()).adjusted(
            4, scaled_pixels(18, self.font), -4, 2 - scaled_pixels(_BOTTOM, self.font)
        )
        dots = [QRectF(at.x() - 6, at.y() - 6, 12, 12) for at in map(self._at, self.points)]
        sides = [frame.at(frame.x.low, tick.value).y() for tick in frame.y.ticks]
        dots += [QRectF(0, y - 6, frame.box.left(), 12) for y in sides]  # the figures of the axis
        lines = [QLineF(*pair) for pair in pairwise(self._corners(frame))]
        labels = list(placed)
        for group in groups[len(placed) :]:
            text, font, at = self._text(group), self._font(group[0]), self._at(group[0])
            metrics = QFontMetricsF(font)
            size = QRectF(0, 0, metrics.horizontalAdvance(text) + 2, metrics.height())
            box = place_label(size, at, _RADIUS + 5, within, [*dots, *(one.box for one in labels)], lines)
            if box is None:
                break
            labels.append(PlotLabel(tuple(group), text, font, at, box))
        return tuple(labels)

    def _text(self, group: Sequence[ComparePoint]) -> str:
        name, more = group[0].name, len(group) - 1
        return tr("{name} + {more} more").format(name=name, more=more) if more else name

    def _font(self, point: ComparePoint) -> QFont:
        return resized_font(self.font, SECONDARY, bold=point.name in (*self.marked, self.current))

    def _at(self, point: ComparePoint) -> QPointF:
        return self.frame.at(point.tokens, point.fidelity)

    def _distance(self, named: ComparePoint, others: Sequence[ComparePoint]) -> float:
        return max(QLineF(self._at(named), self._at(one)).length() for one in others)

    def spots(self) -> list[list[ComparePoint]]:
        """Return the points grouped by position, marked ones first, so that they keep their names; points
        that would hide each other form one group."""
        groups: list[list[ComparePoint]] = []
        for point in sorted(self.points, key=lambda one: (one.name not in self.marked, one.shape != FRONT)):
            at = self._at(point)
            groups_nearby = (one for one in groups if (self._at(one[0]) - at).manhattanLength() < _HIDES)
            group = next(groups_nearby, None)
            if group is None:
                groups.append([point])
            else:
                group.append(point)
        return groups
