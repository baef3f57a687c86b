"""The plot of context sizes by turn: a line per strategy, limit and trigger, compactions, the playhead."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from core.analysis.model import ReplayResult
from core.common import number_format
from core.presentation.compare.results import ReplayScale, replay_scale, size_at
from gui.compare.over_time_picture import ReplayPicture, end_label, track_colour
from gui.language import tr
from gui.widgets.plot_frame import PlotArea, paint_focus
from gui.widgets.theme import SECONDARY, Theme, resized_font, scaled_pixels

_LEFT, _TOP, _BOTTOM = 60, 26, 30
_RIGHT_MIN, _RIGHT_MAX = 90, 210
_CLICK_RADIUS = 8.0


class ReplayPlot(QWidget):
    """Emits ``turn_wanted(turn)`` when the playhead moves, ``line_wanted(name)`` for a click on a line,
    ``compaction_wanted(1 or -1)`` for the next or previous compaction."""

    turn_wanted = Signal(int)
    line_wanted = Signal(str)
    play_wanted = Signal()
    compaction_wanted = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._result: ReplayResult | None = None
        self._scale: ReplayScale | None = None
        self._turn, self._name = 1, ""
        self._picture: QPixmap | None = None
        self._is_dragging = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Context size, request by request"))
        self.setMinimumSize(360, 200)

    def sizeHint(self) -> QSize:
        return QSize(900, 460)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._repaint_picture()

    def show_result(self, result: ReplayResult | None) -> None:
        self._result = result
        self._scale = replay_scale(result) if result is not None else None
        text = tr("{name} ends at {tokens:,} tokens")
        tracks = result.tracks if result is not None else ()
        ends = [text.format(name=track.name, tokens=track.sizes[-1]) for track in tracks if track.sizes]
        self.setAccessibleDescription("; ".join(ends))
        self._repaint_picture()

    def set_turn(self, turn: int) -> None:
        self._turn = turn
        self.update()

    def set_line(self, name: str) -> None:
        if name != self._name:
            self._name = name
            self._repaint_picture()

    def _repaint_picture(self) -> None:
        self._picture = None
        self.update()

    def frame(self) -> PlotArea | None:
        """Return the scales in pixels."""
        result, scale = self._result, self._scale
        if result is None or scale is None:
            return None
        metrics = QFontMetricsF(resized_font(self.font(), SECONDARY, bold=True))
        labels = (metrics.horizontalAdvance(end_label(track, scale.y.high)) for track in result.tracks)
        widest = max(labels, default=0.0)
        left, top, bottom, min_right, max_right = (
            scaled_pixels(one, self.font()) for one in (_LEFT, _TOP, _BOTTOM, _RIGHT_MIN, _RIGHT_MAX)
        )
        right = min(max(widest + 20, min_right), max_right)
        box = QRectF(left, top, max(1.0, self.width() - left - right), max(1.0, self.height() - top - bottom))
        return PlotArea(box, scale.x, scale.y)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        frame = self.frame()
        if frame is None:
            painter.fillRect(self.rect(), self._theme.surface)
            painter.end()
            return
        if self._picture is None:
            self._picture = self._paint_picture(frame)
        painter.drawPixmap(0, 0, self._picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._playhead(painter, frame)
        paint_focus(painter, self, self._theme)
        painter.end()

    def _paint_picture(self, frame: PlotArea) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(self._theme.surface)
        painter = QPainter(picture)
        assert self._result is not None
        assert self._scale is not None
        style = self._theme, self.font(), self.width(), self._name
        ReplayPicture(self._result, self._scale, frame, *style).paint(painter)
        painter.end()
        return picture

    def _playhead(self, painter: QPainter, frame: PlotArea) -> None:
        result, theme = self._result, self._theme
        assert result is not None
        x = frame.point_at(self._turn, 0).x()
        colour: QColor = theme.accent_text if theme.dark else theme.accent_fill
        painter.setPen(QPen(colour, 1.6))
        painter.drawLine(QPointF(x, frame.box.top()), QPointF(x, frame.box.bottom()))
        top = frame.box.top() - 16
        corners = [(-6.5, 0), (6.5, 0), (6.5, 10), (0, 17), (-6.5, 10)]
        painter.setPen(QPen(theme.surface, 1))
        painter.setBrush(theme.accent_fill)
        painter.drawPolygon(QPolygonF([QPointF(x + dx, top + dy) for dx, dy in corners]))
        for index, line in enumerate(result.tracks):
            if self._turn <= len(line.sizes) and line.sizes[self._turn - 1] <= frame.y.high:
                painter.setPen(QPen(theme.surface, 1))
                painter.setBrush(track_colour(theme, index))
                painter.drawEllipse(frame.point_at(self._turn, line.sizes[self._turn - 1]), 3.5, 3.5)

    def _turn_at(self, position: QPointF) -> int:
        frame = self.frame()
        if frame is None or self._result is None:
            return 1
        return max(1, min(len(self._result.turns), round(frame.value_x(position.x()))))

    def line_at(self, position: QPointF) -> str:
        """Return the name of the line under the pointer, else ""."""
        frame, result = self.frame(), self._result
        if frame is None or result is None:
            return ""
        turn = self._turn_at(position)
        candidates = []
        for line in result.tracks:
            if turn <= len(line.sizes):
                candidates.append(
                    (abs(frame.point_at(turn, line.sizes[turn - 1]).y() - position.y()), line.name)
                )
        nearest = min(candidates, default=(1e9, ""))
        return nearest[1] if nearest[0] <= _CLICK_RADIUS else ""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Moves the playhead to the pointer; a click on a line chooses it."""
        if event.button() != Qt.MouseButton.LeftButton or self._result is None:
            return
        self._is_dragging = True
        if name := self.line_at(event.position()):
            self.line_wanted.emit(name)
        self.turn_wanted.emit(self._turn_at(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._is_dragging:
            self.turn_wanted.emit(self._turn_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._is_dragging = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move the playhead, with Shift by ten, with Ctrl to a compaction; Home, End; Space plays."""
        result = self._result
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}
        if result is None:
            super().keyPressEvent(event)
        elif event.key() in steps and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.compaction_wanted.emit(1 if steps[Qt.Key(event.key())] > 0 else -1)
        elif event.key() in steps:
            step = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
            turn = self._turn + steps[Qt.Key(event.key())] * step
            self.turn_wanted.emit(max(1, min(len(result.turns), turn)))
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.turn_wanted.emit(1 if event.key() == Qt.Key.Key_Home else len(result.turns))
        elif event.key() == Qt.Key.Key_Space:
            self.play_wanted.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Shows the figures at the turn under the pointer as a tooltip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._result is not None:
            turn = self._turn_at(QPointF(event.pos()))
            rows = [f"{line.name}: {size_at(line, turn)}" for line in self._result.tracks]
            QToolTip.showText(
                event.globalPos(),
                "\n".join([tr("request {count}").format(count=number_format.count(turn)), *rows]),
                self,
            )
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._repaint_picture()
