"""The plot of context sizes by turn, with compactions and a playhead; and the controls that play
it."""

from __future__ import annotations

from PySide6.QtCore import (
    QEvent,
    QPointF,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QComboBox, QSlider, QWidget

from core.analysis.model import ReplayResult
from core.common import number_format
from core.presentation.compare.results import ReplayScale, replay_scale, size_at
from gui.compare.over_time_picture import ReplayPicture, end_label, track_colour
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import glyph_icon, set_glyph
from gui.widgets.plot_frame import Plot, PlotArea
from gui.widgets.text_labels import tabular_feature
from gui.widgets.theme import SECONDARY, current_theme, resized_font, scaled_pixels
from gui.widgets.view_layout import column_of, line_of_widgets

_LEFT, _TOP, _BOTTOM = 60, 26, 30
_RIGHT_MIN, _RIGHT_MAX = 90, 210
_CLICK_RADIUS = 8.0


class ReplayPlot(Plot):
    """Emits ``turn_wanted(turn)`` when the playhead moves, ``line_wanted(name)`` for a click on a
    line, ``compaction_wanted(1 or -1)`` for the next or previous compaction."""

    turn_wanted = Signal(int)
    line_wanted = Signal(str)
    play_wanted = Signal()
    compaction_wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__(tr("Context size, request by request"), QSize(360, 200))
        self._result: ReplayResult | None = None
        self._scale: ReplayScale | None = None
        self._turn, self._name = 1, ""
        self._picture: QPixmap | None = None
        self._is_dragging = False

    def sizeHint(self) -> QSize:
        return QSize(900, 460)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._repaint_picture()

    def show_result(self, result: ReplayResult | None) -> None:
        self._result = result
        if result is not None:
            self._scale = replay_scale(result)
        else:
            self._scale = None
        text = tr("{name} ends at {tokens:,} tokens")
        tracks = result.tracks if result is not None else ()
        ends = [
            text.format(name=track.name, tokens=track.sizes[-1])
            for track in tracks
            if track.sizes
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
        result, scale = self._result, self._scale
        if result is None or scale is None:
            return None
        metrics = QFontMetricsF(resized_font(self.font(), SECONDARY, bold=True))
        labels = (
            metrics.horizontalAdvance(end_label(track, scale.y.high))
            for track in result.tracks
        )
        widest = max(labels, default=0.0)
        left, top, bottom, min_right, max_right = (
            scaled_pixels(one, self.font())
            for one in (_LEFT, _TOP, _BOTTOM, _RIGHT_MIN, _RIGHT_MAX)
        )
        right = min(max(widest + 20, min_right), max_right)
        box = QRectF(
            left,
            top,
            max(1.0, self.width() - left - right),
            max(1.0, self.height() - top - bottom),
        )
        return PlotArea(box, scale.x, scale.y)

    def paint_content(self, painter: QPainter) -> None:
        result, scale, frame = self._result, self._scale, self.frame()
        if result is None or scale is None or frame is None:
            return
        if self._picture is None:
            lines = ReplayPicture(
                result, scale, frame, self.font(), self.width(), self._name
            )
            self._picture = self._pixmap_of(lines)
        painter.drawPixmap(0, 0, self._picture)
        self._paint_playhead(painter, result, frame)

    def _pixmap_of(self, lines: ReplayPicture) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(current_theme().surface)
        painter = QPainter(picture)
        lines.paint(painter)
        painter.end()
        return picture

    def _paint_playhead(
        self, painter: QPainter, result: ReplayResult, frame: PlotArea
    ) -> None:
        theme = current_theme()
        x = frame.point_at(self._turn, 0).x()
        colour: QColor = theme.accent_text if theme.dark else theme.accent_fill
        painter.setPen(QPen(colour, 1.6))
        painter.drawLine(QPointF(x, frame.box.top()), QPointF(x, frame.box.bottom()))
        top = frame.box.top() - 16
        corners = [(-6.5, 0), (6.5, 0), (6.5, 10), (0, 17), (-6.5, 10)]
        painter.setPen(QPen(theme.surface, 1))
        painter.setBrush(theme.accent_fill)
        painter.drawPolygon(
            QPolygonF([QPointF(x + dx, top + dy) for dx, dy in corners])
        )
        for index, line in enumerate(result.tracks):
            if (
                self._turn <= len(line.sizes)
                and line.sizes[self._turn - 1] <= frame.y.high
            ):
                painter.setPen(QPen(theme.surface, 1))
                painter.setBrush(track_colour(theme, index))
                painter.drawEllipse(
                    frame.point_at(self._turn, line.sizes[self._turn - 1]), 3.5, 3.5
                )

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
                    (
                        abs(
                            frame.point_at(turn, line.sizes[turn - 1]).y()
                            - position.y()
                        ),
                        line.name,
                    )
                )
        nearest = min(candidates, default=(1e9, ""))
        if nearest[0] <= _CLICK_RADIUS:
            return nearest[1]
        return ""

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
        """Arrows move the playhead, with Shift by ten, with Ctrl to a compaction; Home, End; Space
        plays."""
        result = self._result
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_PageDown: 10,
            Qt.Key.Key_PageUp: -10,
        }
        if result is None:
            super().keyPressEvent(event)
        elif (
            event.key() in steps
            and event.modifiers() & Qt.KeyboardModifier.ControlModifier
        ):
            self.compaction_wanted.emit(1 if steps[Qt.Key(event.key())] > 0 else -1)
        elif event.key() in steps:
            step = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
            turn = self._turn + steps[Qt.Key(event.key())] * step
            self.turn_wanted.emit(max(1, min(len(result.turns), turn)))
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.turn_wanted.emit(
                1 if event.key() == Qt.Key.Key_Home else len(result.turns)
            )
        elif event.key() == Qt.Key.Key_Space:
            self.play_wanted.emit()
        else:
            super().keyPressEvent(event)

    def tip_at(self, position: QPointF) -> str:
        """Return the figures at the turn under the pointer."""
        if self._result is None:
            return ""
        turn = self._turn_at(position)
        rows = [f"{line.name}: {size_at(line, turn)}" for line in self._result.tracks]
        return "\n".join(
            [tr("request {count}").format(count=number_format.count(turn)), *rows]
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._repaint_picture()


SPEEDS = (1, 4, 16)
"""Requests per second."""


class PlaybackControls(QWidget):
    """Emits ``turn_wanted(turn)`` for another request, from 1."""

    turn_wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.timer = QTimer(self)
        self.timer.timeout.connect(self._on_tick)
        self.previous, self.next = push_button(""), push_button("")
        for button, name in (
            (self.previous, tr("One request back")),
            (self.next, tr("One request on")),
        ):
            button.setToolTip(name)
            button.setAccessibleName(name)
            button.setIconSize(QSize(12, 12))
        self.play = push_button(
            tr("Play"), tip=tr("Let the playhead run; Space in the plot does it too.")
        )
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(tr("Request"))
        self.slider.setMinimum(1)
        self.turn_label = text_label("", "strong")
        self.turn_label.setFont(tabular_feature())
        self.speed = QComboBox()
        self.speed.setAccessibleName(tr("Speed"))
        for rate in SPEEDS:
            self.speed.addItem(tr("{rate} per second").format(rate=rate), rate)
        self.speed.setCurrentIndex(SPEEDS.index(4))
        self.inspect_button = push_button(tr("Inspect this moment"))
        self.inspect_button.setToolTip(
            tr(
                "Show what the chosen strategy had made of the session by this request, in Inspect."
            )
        )
        steps = (self.previous, self.play, self.next, self.slider, self.turn_label)
        parts = (*steps, self.speed, self.inspect_button)
        self.setLayout(
            column_of(
                line_of_widgets(
                    *parts, role="foot", gap=6, padding=6, stretched=self.slider
                )
            )
        )
        self._paint_icons()
        self.previous.clicked.connect(self._on_previous)
        self.next.clicked.connect(self._on_next)
        self.play.clicked.connect(self.toggle)
        self.slider.valueChanged.connect(self.turn_wanted)
        self.speed.currentIndexChanged.connect(self._on_speed)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._paint_icons()

    def _paint_icons(self) -> None:
        theme = current_theme()
        for button, glyph in ((self.previous, "chevron-left"), (self.next, "chevron")):
            button.setIcon(glyph_icon(glyph, theme.text, disabled=theme.text3))
        self._show_playing()

    def set_turns(self, turns: int) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setMaximum(turns)

    def show_turn(self, turn: int) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(turn)
        text = tr("request {turn:,} of {turns:,}")
        self.turn_label.setText(text.format(turn=turn, turns=self.slider.maximum()))

    def toggle(self) -> None:
        if self.timer.isActive():
            self.stop()
            return
        if self.slider.value() >= self.slider.maximum():
            self.turn_wanted.emit(1)
        self.timer.start(1000 // int(self.speed.currentData()))
        self._show_playing()

    def stop(self) -> None:
        self.timer.stop()
        self._show_playing()

    def _show_playing(self) -> None:
        is_playing, theme = self.timer.isActive(), current_theme()
        self.play.setText(tr("Pause") if is_playing else tr("Play"))
        set_glyph(self.play, "pause" if is_playing else "play", theme.text, theme.text3)

    def _on_tick(self) -> None:
        if self.slider.value() >= self.slider.maximum():
            self.stop()
        else:
            self._on_next()

    def _on_speed(self) -> None:
        self.timer.setInterval(1000 // int(self.speed.currentData()))

    def _on_previous(self) -> None:
        self.turn_wanted.emit(self.slider.value() - 1)

    def _on_next(self) -> None:
        self.turn_wanted.emit(self.slider.value() + 1)
