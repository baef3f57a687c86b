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

from core.common import number_format
from core.presentation.replay.model import ReplayPage
from core.presentation.replay.turn_wording import size_at
from gui.language import tr
from gui.replay.line_style import track_colour
from gui.replay.plot_picture import ReplayPictureStyle, paint_picture
from gui.widgets.focus_ring import paint_focus
from gui.widgets.plot_frame import PlotArea
from gui.widgets.theme import SECONDARY, Theme, resized_font, scaled_pixels

_LEFT, _TOP, _BOTTOM = 60, 26, 30
_RIGHT_MIN, _RIGHT_MAX = 90, 210
_CLICK_RADIUS = 8.0


class ReplayPlot(QWidget):
    """Emits ``turn_wanted(turn)`` when the playhead moves, ``line_wanted(name)`` for a click on a line."""

    turn_wanted = Signal(int)
    line_wanted = Signal(str)
    play_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._page: ReplayPage | None = None
        self._turn, self._name = 1, ""
        self._picture: QPixmap | None = None
        self._is_dragging = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Context size, turn by turn"))
        self.setMinimumSize(360, 200)

    def sizeHint(self) -> QSize:
        return QSize(900, 460)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._repaint_picture()

    def show_page(self, page: ReplayPage | None) -> None:
        self._page = page
        lines = page.lines if page is not None else ()
        ends = [
            tr("{name} ends at {tokens:,} tokens").format(name=line.name, tokens=line.sizes[-1])
            for line in lines
            if line.sizes
        ]
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
        page = self._page
        if page is None:
            return None
        metrics = QFontMetricsF(resized_font(self.font(), SECONDARY, bold=True))
        widest = max(
            (metrics.horizontalAdvance(one.end_label or one.name) for one in page.lines), default=0.0
        )
        left, top, bottom, min_right, max_right = (
            scaled_pixels(one, self.font()) for one in (_LEFT, _TOP, _BOTTOM, _RIGHT_MIN, _RIGHT_MAX)
        )
        right = min(max(widest + 20, min_right), max_right)
        box = QRectF(left, top, max(1.0, self.width() - left - right), max(1.0, self.height() - top - bottom))
        return PlotArea(box, page.x, page.y)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        frame = self.frame()
        if frame is None or self._page is None:
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
        assert self._page is not None
        style = ReplayPictureStyle(self._theme, self.font(), self.width(), self._name)
        paint_picture(painter, frame, self._page, style)
        painter.end()
        return picture

    def _playhead(self, painter: QPainter, frame: PlotArea) -> None:
        page, theme = self._page, self._theme
        assert page is not None
        x = frame.point_at(self._turn, 0).x()
        colour: QColor = theme.accent_text if theme.dark else theme.accent_fill
        painter.setPen(QPen(colour, 1.6))
        painter.drawLine(QPointF(x, frame.box.top()), QPointF(x, frame.box.bottom()))
        top = frame.box.top() - 16
        corners = [(-6.5, 0), (6.5, 0), (6.5, 10), (0, 17), (-6.5, 10)]
        painter.setPen(QPen(theme.surface, 1))
        painter.setBrush(theme.accent_fill)
        painter.drawPolygon(QPolygonF([QPointF(x + dx, top + dy) for dx, dy in corners]))
        for index, line in enumerate(page.lines):
            if self._turn <= len(line.sizes) and line.sizes[self._turn - 1] <= frame.y.high:
                painter.setPen(QPen(theme.surface, 1))
                painter.setBrush(track_colour(theme, index))
                painter.drawEllipse(frame.point_at(self._turn, line.sizes[self._turn - 1]), 3.5, 3.5)

    def _turn_at(self, position: QPointF) -> int:
        frame = self.frame()
        if frame is None or self._page is None:
            return 1
        return max(1, min(self._page.turns, round(frame.value_x(position.x()))))

    def line_at(self, position: QPointF) -> str:
        """Return the name of the line under the pointer, else ""."""
        frame, page = self.frame(), self._page
        if frame is None or page is None:
            return ""
        turn = self._turn_at(position)
        candidates = []
        for line in page.lines:
            if turn <= len(line.sizes):
                candidates.append(
                    (abs(frame.point_at(turn, line.sizes[turn - 1]).y() - position.y()), line.name)
                )
        nearest = min(candidates, default=(1e9, ""))
        return nearest[1] if nearest[0] <= _CLICK_RADIUS else ""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Moves the playhead to the pointer; a click on a line chooses it."""
        if event.button() != Qt.MouseButton.LeftButton or self._page is None:
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
        """Arrows move the playhead, with Shift by ten; Home, End; Space plays."""
        page = self._page
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}
        if page is None:
            super().keyPressEvent(event)
        elif event.key() in steps:
            step = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
            turn = self._turn + steps[Qt.Key(event.key())] * step
            self.turn_wanted.emit(max(1, min(page.turns, turn)))
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.turn_wanted.emit(1 if event.key() == Qt.Key.Key_Home else page.turns)
        elif event.key() == Qt.Key.Key_Space:
            self.play_wanted.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Shows the figures at the turn under the pointer as a tooltip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._page is not None:
            turn = self._turn_at(QPointF(event.pos()))
            rows = [f"{line.name}: {size_at(line, turn)}" for line in self._page.lines]
            QToolTip.showText(
                event.globalPos(),
                "\n".join([tr("turn {count}").format(count=number_format.count(turn)), *rows]),
                self,
            )
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._repaint_picture()
