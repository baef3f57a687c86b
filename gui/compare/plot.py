"""The plot of results: filled points are the best trade-offs, hollow ones others, diamonds recorded."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from core.presentation.compare.results import BEST, DIAMOND, OTHER, PlotPoint, ScatterPlot
from gui.compare.plot_picture import PlotLabel, ScatterPicture
from gui.language import tr
from gui.widgets.events import is_enter
from gui.widgets.plot_frame import PlotArea, PlotLegend, paint_focus
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import Theme
from gui.widgets.view_layout import column_of, line_of_widgets

SHAPES = (
    (BEST, "best trade-offs"),
    (OTHER, "others"),
    (DIAMOND, "recorded"),
)
"""The meaning of the points' shapes."""
_CLICK_RADIUS = 12.0


class ResultPlot(QWidget):
    """Emits ``picked(name)`` if a point is clicked or reached with the arrow keys, ``opened(name)``."""

    picked = Signal(str)
    opened = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._scatter: ScatterPlot | None = None
        self._marked: tuple[str, str] = ("", "")
        self._current = ""
        self._labels: tuple[PlotLabel, ...] = ()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Results"))
        self.setMinimumSize(280, 180)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_scatter(self, scatter: ScatterPlot | None) -> None:
        self._scatter = scatter
        self.setAccessibleDescription("; ".join(f"{point.name}: {point.text}" for point in self.points))
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
            self._scatter, self._marked, self._current, self._theme, self.font(), self.size()
        )

    @property
    def points(self) -> tuple[PlotPoint, ...]:
        """The shown points, in order of tokens."""
        return self.picture.points if self.picture is not None else ()

    def sizeHint(self) -> QSize:
        return QSize(640, 360)

    def frame(self) -> PlotArea | None:
        """Return the scales in pixels, None if there is nothing to show."""
        return self.picture.frame if self.picture is not None else None

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.surface)
        picture, self._labels = self.picture, ()
        if picture is not None:
            picture.paint(painter)
            self._labels = picture.labels
        paint_focus(painter, self, self._theme)
        painter.end()

    def tooltip_text(self, name: str) -> str:
        """Return a line of figures for a point, and for each that shares its label."""
        matching = [point for point in self.points if point.name == name]
        label_groups = [point.points for point in self._labels if matching and matching[0] in point.points]
        ordered = sorted(label_groups[0] if label_groups else matching, key=lambda point: point.name != name)
        return "\n".join(f"{point.name}: {point.text}" for point in ordered)

    def point_at(self, position: QPointF) -> str:
        """Return the name of the point or label under the pointer, else ""."""
        frame = self.frame()
        if frame is None:
            return ""
        for label in self._labels:
            if label.box.contains(position):
                return label.points[0].name
        candidates = []
        for point in self.points:
            offset = frame.point_at(point.x, point.y) - position
            candidates.append((offset.x() ** 2 + offset.y() ** 2, point.name))
        nearest = min(candidates, default=(1e9, ""))
        return nearest[1] if nearest[0] <= _CLICK_RADIUS**2 else ""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if name := self.point_at(event.position()):
            self.picked.emit(name)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if name := self.point_at(event.position()):
            self.opened.emit(name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_over_point = bool(self.point_at(event.position()))
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_over_point else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        names = [point.name for point in self.points]
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1}
        if event.key() in steps and names:
            index = names.index(self._current) if self._current in names else -1
            self.picked.emit(names[max(0, min(len(names) - 1, index + steps[Qt.Key(event.key())]))])
        elif is_enter(event) and self._current:
            self.opened.emit(self._current)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            if name := self.point_at(QPointF(event.pos())):
                QToolTip.showText(event.globalPos(), self.tooltip_text(name), self)
            return True
        return super().event(event)


class PlotPane(QWidget):
    """The plot below its title and legend."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.plot, self.legend = ResultPlot(theme), PlotLegend(theme, SHAPES)
        self._title = ElidedLabel("", "strong", min_chars=12)
        self.front: frozenset[str] = frozenset()
        """Names of the best trade-offs."""
        head = line_of_widgets(self._title, None, self.legend, padding=6)
        self.setLayout(column_of(head, self.plot, stretched=self.plot))

    def set_theme(self, theme: Theme) -> None:
        self.plot.set_theme(theme)
        self.legend.set_theme(theme)

    def show_scatter(self, scatter: ScatterPlot | None) -> None:
        points = scatter.points if scatter is not None else ()
        self.front = frozenset(point.name for point in points if point.shape == BEST)
        self.plot.show_scatter(scatter)
        self.plot.setAccessibleName(scatter.title if scatter is not None else tr("Results"))
        self._title.show_text(scatter.title if scatter is not None else "")
        self.legend.show_shapes({point.shape for point in points})
