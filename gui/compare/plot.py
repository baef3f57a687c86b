"""Tokens against fidelity: filled points on the front, hollow ones beaten, diamonds for what was recorded."""

from __future__ import annotations

from itertools import pairwise
from typing import Protocol

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QToolTip, QWidget

from core.view import numbers
from core.view.compare_values import FRONT, RECORDED, ComparePoint
from core.view.plots import Axis
from gui.focus import paint_focus
from gui.insight.frame import PlotFrame, paint_axes, place
from gui.language import tr
from gui.theme import SECONDARY, SMALL, Theme, resized, scaled

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 28, 30, 44
_RADIUS, _GRAB = 4.5, 12.0


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


class ComparePlot(QWidget):
    """Emits ``picked(name)`` where a point is clicked or reached with the arrow keys."""

    picked = Signal(str)
    opened = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._page: Plotted | None = None
        self._marked: tuple[str, str] = ("", "")
        self._current = ""
        self._labels: dict[str, QRectF] = {}
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Tokens against fidelity"))
        self.setMinimumSize(280, 180)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self._theme = theme
        self.update()

    def show_page(self, page: Plotted | None) -> None:
        """Show the points of a comparison."""
        self._page = page
        self.setAccessibleDescription("; ".join(f"{one.name}: {_said(one)}" for one in self.points))
        self.update()

    def set_marked(self, a: str, b: str, current: str) -> None:
        """Point out A, B and the current row."""
        self._marked, self._current = (a, b), current
        self.update()

    @property
    def points(self) -> tuple[ComparePoint, ...]:
        """What is shown, in order of tokens."""
        points = self._page.points if self._page is not None else ()
        return tuple(sorted(points, key=lambda one: (one.tokens, one.name)))

    @property
    def label_boxes(self) -> dict[str, QRectF]:
        """Where the names stand since the last paint."""
        return dict(self._labels)

    def sizeHint(self) -> QSize:
        return QSize(640, 360)

    def frame(self) -> PlotFrame | None:
        """The scales in pixels, None without anything to show."""
        if self._page is None:
            return None
        left, right, top, bottom = (scaled(one, self.font()) for one in (_LEFT, _RIGHT, _TOP, _BOTTOM))
        box = QRectF(left, top, max(1, self.width() - left - right), max(1, self.height() - top - bottom))
        return PlotFrame(box, self._page.x, self._page.y)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Everything."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.surface)
        frame = self.frame()
        if frame is not None and self._page is not None:
            paint_axes(painter, frame, self._theme, self.font())
            self._titles(painter, frame)
            self._front(painter, frame)
            for point in self.points:
                self._point(painter, frame.at(point.tokens, point.fidelity), point)
            self._names(painter, frame)
        paint_focus(painter, self, self._theme)
        painter.end()

    def _titles(self, painter: QPainter, frame: PlotFrame) -> None:
        painter.setFont(resized(self.font(), SMALL))
        painter.setPen(self._theme.text2)
        painter.drawText(QPointF(12, scaled(16, self.font())), frame.y.title)
        below = frame.box.bottom() + scaled(22, self.font())
        room = QRectF(frame.box.left(), below, frame.box.width(), scaled(18, self.font()))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop), frame.x.title)

    def _front(self, painter: QPainter, frame: PlotFrame) -> None:
        places = self._corners(frame)
        painter.setPen(QPen(self._theme.ok, 1.4, Qt.PenStyle.DashLine))
        painter.drawPolyline(QPolygonF(places))

    def _corners(self, frame: PlotFrame) -> list[QPointF]:
        page = self._page
        assert page is not None
        return [frame.at(page.points[at].tokens, page.points[at].fidelity) for at in page.front]

    def _ink(self, point: ComparePoint) -> QColor:
        return self._theme.kind[5] if point.shape == RECORDED else self._theme.kind[1]

    def _point(self, painter: QPainter, at: QPointF, point: ComparePoint) -> None:
        ink = self._ink(point)
        if point.name in (*self._marked, self._current):
            painter.setPen(QPen(self._theme.accent_text, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(at, _RADIUS + 4, _RADIUS + 4)
        painter.setPen(QPen(ink, 1.8))
        if point.shape == RECORDED:
            painter.setBrush(ink)
            d = _RADIUS + 1.5
            corners = [QPointF(0, -d), QPointF(d, 0), QPointF(0, d), QPointF(-d, 0)]
            painter.drawPolygon(QPolygonF([at + corner for corner in corners]))
            return
        painter.setBrush(ink if point.shape == FRONT else self._theme.surface)
        painter.drawEllipse(at, _RADIUS, _RADIUS)

    def _names(self, painter: QPainter, frame: PlotFrame) -> None:
        """A name beside each spot, none over another or a point; marked ones first, so that they stay."""
        within = QRectF(self.rect()).adjusted(
            4, scaled(18, self.font()), -4, 2 - scaled(_BOTTOM, self.font())
        )
        places = [frame.at(one.tokens, one.fidelity) for one in self.points]
        dots = [QRectF(at.x() - 6, at.y() - 6, 12, 12) for at in places]
        sides = [frame.at(frame.x.low, tick.value).y() for tick in frame.y.ticks]
        dots += [QRectF(0, y - 6, frame.box.left(), 12) for y in sides]  # the figures of the axis
        lines = [QLineF(*pair) for pair in pairwise(self._corners(frame))]
        self._labels = {}
        for group in self._spots(frame):
            point, more = group[0], len(group) - 1
            text = tr("{name} + {more} more").format(name=point.name, more=more) if more else point.name
            font = resized(self.font(), SECONDARY, bold=point.name in (*self._marked, self._current))
            metrics = QFontMetricsF(font)
            size = QRectF(0, 0, metrics.horizontalAdvance(text) + 2, metrics.height())
            at = frame.at(point.tokens, point.fidelity)
            box = place(size, at, _RADIUS + 5, within, [*dots, *self._labels.values()], lines)
            if box is None:
                continue  # its tooltip and its row name it
            self._labels[point.name] = box
            painter.fillRect(box, self._theme.surface)
            painter.setFont(font)
            painter.setPen(self._ink(point) if point.shape == RECORDED else self._theme.text)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)

    def _spots(self, frame: PlotFrame) -> list[list[ComparePoint]]:
        """The points by where they lie; those that would hide each other share a name."""
        found: list[list[ComparePoint]] = []
        for point in sorted(self.points, key=lambda one: (one.name not in self._marked, one.shape != FRONT)):
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

    def names_at(self, name: str) -> tuple[str, ...]:
        """The names of the points that lie where this one lies, itself first."""
        frame = self.frame()
        groups = self._spots(frame) if frame is not None else []
        here = next((group for group in groups if any(one.name == name for one in group)), [])
        return tuple(one.name for one in here)

    def near(self, position: QPointF) -> str:
        """The name of the point or label under the pointer, else ""."""
        frame = self.frame()
        if frame is None:
            return ""
        for name, box in self._labels.items():
            if box.contains(position):
                return name
        found = []
        for point in self.points:
            off = frame.at(point.tokens, point.fidelity) - position
            found.append((off.x() ** 2 + off.y() ** 2, point.name))
        best = min(found, default=(1e9, ""))
        return best[1] if best[0] <= _GRAB**2 else ""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick what is under the pointer."""
        if name := self.near(event.position()):
            self.picked.emit(name)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open it."""
        if name := self.near(event.position()):
            self.opened.emit(name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A hand over what can be picked."""
        over = bool(self.near(event.position()))
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows go from point to point, Enter opens."""
        names = [point.name for point in self.points]
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1}
        if event.key() in steps and names:
            here = names.index(self._current) if self._current in names else -1
            self.picked.emit(names[max(0, min(len(names) - 1, here + steps[Qt.Key(event.key())]))])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current:
            self.opened.emit(self._current)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """The figures of a point as its tooltip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            name = self.near(QPointF(event.pos()))
            found = next((one for one in self.points if one.name == name), None)
            if found is not None:
                text = f"{', '.join(self.names_at(name))}: {_said(found)}"
                QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)


def _said(point: ComparePoint) -> str:
    """The figures of a point."""
    return point.text or tr("{count} tokens, fidelity {score}").format(
        count=numbers.count(point.tokens), score=numbers.score(point.fidelity)
    )
