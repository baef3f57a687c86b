"""Tokens against fidelity as a picture: axes, the front, points, and a name beside each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from core.view.compare_values import FRONT, RECORDED, ComparePoint
from core.view.plots import Axis
from gui.insight.frame import PlotFrame, paint_axes, place, reach
from gui.language import tr
from gui.theme import SECONDARY, SMALL, Theme, resized, scaled

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 28, 30, 44
_RADIUS = 4.5


class Plotted(Protocol):
    """What is plotted: points, the places of those on the front, and both scales."""

    @property
    def points(self) -> tuple[ComparePoint, ...]: ...

    @property
    def front(self) -> tuple[int, ...]: ...

    @property
    def x(self) -> Axis: ...

    @property
    def y(self) -> Axis: ...


@dataclass(frozen=True, slots=True)
class ComparePicture:
    """``marked`` are the names of A and B, ``current`` that of the row, ``size`` is the whole in pixels."""

    page: Plotted
    marked: tuple[str, str]
    current: str
    theme: Theme
    font: QFont
    size: QSize

    @property
    def points(self) -> tuple[ComparePoint, ...]:
        """In order of tokens."""
        return tuple(sorted(self.page.points, key=lambda one: (one.tokens, one.name)))

    @property
    def frame(self) -> PlotFrame:
        """The scales in pixels."""
        left, right, top, bottom = (scaled(one, self.font) for one in (_LEFT, _RIGHT, _TOP, _BOTTOM))
        width, height = self.size.width() - left - right, self.size.height() - top - bottom
        return PlotFrame(QRectF(left, top, max(1, width), max(1, height)), self.page.x, self.page.y)

    def paint(self, painter: QPainter) -> dict[str, QRectF]:
        """Everything; where the names stand."""
        frame = self.frame
        paint_axes(painter, frame, self.theme, self.font)
        self._titles(painter, frame)
        self._front(painter, frame)
        for point in self.points:
            self._point(painter, frame.at(point.tokens, point.fidelity), point)
        return self._names(painter, frame)

    def _titles(self, painter: QPainter, frame: PlotFrame) -> None:
        painter.setFont(resized(self.font, SMALL))
        painter.setPen(self.theme.text2)
        painter.drawText(QPointF(12, scaled(16, self.font)), frame.y.title)
        below = frame.box.bottom() + scaled(22, self.font)
        room = QRectF(frame.box.left(), below, frame.box.width(), scaled(18, self.font))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop), frame.x.title)

    def _front(self, painter: QPainter, frame: PlotFrame) -> None:
        places = self._corners(frame)
        painter.setPen(QPen(self.theme.ok, 1.4, Qt.PenStyle.DashLine))
        painter.drawPolyline(QPolygonF(places))

    def _corners(self, frame: PlotFrame) -> list[QPointF]:
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

    def _names(self, painter: QPainter, frame: PlotFrame) -> dict[str, QRectF]:
        """A name beside each spot, none over another or a point; marked ones first, so that they stay."""
        within = QRectF(0, 0, self.size.width(), self.size.height()).adjusted(
            4, scaled(18, self.font), -4, 2 - scaled(_BOTTOM, self.font)
        )
        places = [frame.at(one.tokens, one.fidelity) for one in self.points]
        dots = [QRectF(at.x() - 6, at.y() - 6, 12, 12) for at in places]
        sides = [frame.at(frame.x.low, tick.value).y() for tick in frame.y.ticks]
        dots += [QRectF(0, y - 6, frame.box.left(), 12) for y in sides]  # the figures of the axis
        lines = [QLineF(*pair) for pair in pairwise(self._corners(frame))]
        labels: dict[str, QRectF] = {}
        for group in self.spots():
            point, more = group[0], len(group) - 1
            text = tr("{name} + {more} more").format(name=point.name, more=more) if more else point.name
            font = resized(self.font, SECONDARY, bold=point.name in (*self.marked, self.current))
            metrics = QFontMetricsF(font)
            size = QRectF(0, 0, metrics.horizontalAdvance(text) + 2, metrics.height())
            at = frame.at(point.tokens, point.fidelity)
            box = place(size, at, _RADIUS + 5, within, [*dots, *labels.values()], lines)
            if box is None:
                continue  # its tooltip and its row name it
            labels[point.name] = box
            self._leader(painter, at, box)
            painter.fillRect(box, self.theme.surface)
            painter.setFont(font)
            painter.setPen(self._ink(point) if point.shape == RECORDED else self.theme.text)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
        return labels

    def _leader(self, painter: QPainter, at: QPointF, box: QRectF) -> None:
        """A line to a name that stands away from its point."""
        line = reach(at, box)
        if line.length() > _RADIUS + box.height():
            painter.setPen(QPen(self.theme.text3, 1))
            painter.drawLine(QLineF(line.pointAt((_RADIUS + 1) / line.length()), line.p2()))

    def spots(self) -> list[list[ComparePoint]]:
        """The points by where they lie; those that would hide each other share a name."""
        frame = self.frame
        found: list[list[ComparePoint]] = []
        for point in sorted(self.points, key=lambda one: (one.name not in self.marked, one.shape != FRONT)):
            at = frame.at(point.tokens, point.fidelity)
            near = (
                one for one in found if (frame.at(one[0].tokens, one[0].fidelity) - at).manhattanLength() < 4
            )
            group = next(near, None)
            if group is None:
                found.append([point])
            else:
                group.append(point)
        return found
