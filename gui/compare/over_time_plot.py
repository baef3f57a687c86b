"""The plot of context sizes by turn, with compactions and a playhead; and the controls that play
it."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

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
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QComboBox, QSlider, QWidget

from core.analysis.model import ReplayCompaction, ReplayResult, ReplayTrack
from core.common import number_format
from core.presentation.compare.results import (
    ReplayScale,
    over_limit_request,
    replay_scale,
    size_at,
)
from core.presentation.plots import spread_apart
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import glyph_icon, set_glyph
from gui.widgets.plot_frame import Plot, PlotArea, paint_axes
from gui.widgets.text_labels import tabular_feature
from gui.widgets.theme import (
    SECONDARY,
    SMALL,
    Theme,
    current_theme,
    resized_font,
    scaled_pixels,
)
from gui.widgets.view_layout import column_of, line_of_widgets

# The static picture of a replay: axes, lines with their compactions, limit and trigger.


_DASHES: tuple[tuple[float, ...], ...] = (
    (1.0, 2.2),  # the first line is the uncompacted session
    (),
    (5.0, 2.5),
    (7.0, 2.0, 1.5, 2.0),
    (2.5, 1.8),
    (4.0, 1.6, 1.0, 1.6),
    (8.0, 3.0),
)
WIDTH = 1.8


def track_colour(theme: Theme, index: int) -> QColor:
    if index == 0:
        return theme.text3
    hues = (
        theme.kind[1],
        theme.kind[0],
        theme.kind[5],
        theme.ok,
        theme.warn,
        theme.accent_text,
    )
    return hues[(index - 1) % len(hues)]


def track_pen(theme: Theme, index: int, *, bold: bool = False) -> QPen:
    result = QPen(track_colour(theme, index), WIDTH + (0.8 if bold else 0.0))
    if index < len(_DASHES):
        dash = _DASHES[index % len(_DASHES)]
    else:
        dash = _DASHES[1 + index % (len(_DASHES) - 1)]
    if dash:
        result.setDashPattern(dash)
    result.setCapStyle(Qt.PenCapStyle.FlatCap)
    return result


def line_sample(painter: QPainter, theme: Theme, index: int, box: QRectF) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(track_pen(theme, index))
    y = box.center().y()
    painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
    painter.restore()


_GAP, _RING = 10, 4.2


@dataclass(frozen=True, slots=True)
class ReplayPicture:
    """The picture: the replay over its scales in ``frame``, ``width`` pixels wide; the line
    ``chosen`` is bold."""

    result: ReplayResult
    scale: ReplayScale
    frame: PlotArea
    font: QFont
    width: int
    chosen: str

    @property
    def theme(self) -> Theme:
        return current_theme()

    def paint(self, painter: QPainter) -> None:
        """Paint everything but the playhead."""
        frame, limit = self.frame, self.scale.limit
        if limit is not None:
            y = frame.point_at(0, limit).y()
            area = QRectF(
                frame.box.left(),
                frame.box.top(),
                frame.box.width(),
                y - frame.box.top(),
            )
            painter.fillRect(area, self.theme.bar_error)
        paint_axes(painter, frame, self.font, verticals=False)
        painter.setFont(resized_font(self.font, SMALL))
        title_y = frame.box.bottom() + 6 + painter.fontMetrics().ascent()
        painter.drawText(QPointF(_title_left(frame, painter), title_y), frame.x.title)
        painter.save()
        painter.setClipRect(frame.box.adjusted(-6, -2, 6, 2))
        for index, track in enumerate(self.result.tracks):
            self._paint_line(painter, index, track)
        painter.restore()
        self._paint_limits(painter)
        self._paint_end_labels(painter)
        self._paint_overflow(painter)

    def _paint_line(self, painter: QPainter, index: int, track: ReplayTrack) -> None:
        runs = {run.turn: run for run in track.compactions if not run.error}
        painter.setPen(track_pen(self.theme, index, bold=track.name == self.chosen))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(_line_path(self.frame, track.sizes, runs))
        painter.setPen(QPen(track_colour(self.theme, index), 1.8))
        painter.setBrush(self.theme.surface)
        for run in runs.values():
            painter.drawEllipse(self.frame.point_at(run.turn, run.after), _RING, _RING)

    def _paint_limits(self, painter: QPainter) -> None:
        theme, scale, box = self.theme, self.scale, self.frame.box
        painter.setFont(resized_font(self.font, SMALL, bold=True))
        trigger_label = tr("trigger {tokens}").format(
            tokens=number_format.count(scale.trigger or 0)
        )
        for value, text, colour, style, ground in (
            (
                scale.limit,
                scale.limit_label,
                theme.text2,
                Qt.PenStyle.SolidLine,
                theme.bar_error,
            ),
            (
                scale.trigger,
                trigger_label,
                theme.warn,
                Qt.PenStyle.DashLine,
                theme.surface,
            ),
        ):
            if value is not None:
                y = self.frame.point_at(0, value).y()
                painter.setPen(QPen(colour, 1.6, style))
                painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
                _paint_label(painter, QPointF(box.left() + 6, y - 4), text, ground)
        if scale.limit is None:
            painter.setPen(theme.text2)
            y = box.top() - QFontMetricsF(painter.font()).descent() - 2
            painter.drawText(QPointF(box.left() + 6, y), scale.limit_label)

    def _paint_end_labels(self, painter: QPainter) -> None:
        """Paint the names at the ends of the lines, without overlap."""
        frame, box = self.frame, self.frame.box
        tracks = [
            (index, track)
            for index, track in enumerate(self.result.tracks)
            if track.sizes
        ]
        painter.setFont(resized_font(self.font, SECONDARY, bold=True))
        metrics = QFontMetricsF(painter.font())
        ends = [
            frame.point_at(0, min(track.sizes[-1], frame.y.high)).y()
            for _, track in tracks
        ]
        label_ys = spread_apart(ends, metrics.height() + 2, box.top() + 2, box.bottom())
        for (index, track), y, line_y in zip(tracks, label_ys, ends, strict=True):
            end = frame.point_at(len(track.sizes), 0).x()
            painter.setPen(QPen(track_colour(self.theme, index), 1))
            if abs(y - line_y) > 3 or len(track.sizes) < len(self.result.turns):
                painter.drawLine(
                    QPointF(max(end, box.left()) + 2, line_y),
                    QPointF(box.right() + 7, y),
                )
            width = self.width - box.right() - 14
            text = metrics.elidedText(
                end_label(track, frame.y.high), Qt.TextElideMode.ElideRight, width
            )
            painter.drawText(
                QPointF(box.right() + _GAP, y + metrics.ascent() / 2 - 1), text
            )

    def _paint_overflow(self, painter: QPainter) -> None:
        """Mark where lines exceed the limit; the first one in words."""
        limit = self.scale.limit
        box = self.frame.box
        theme = self.theme
        is_labelled = False
        for track in self.result.tracks:
            turn = over_limit_request(track, limit)
            if limit is None or not turn:
                continue
            position = self.frame.point_at(turn, limit)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.error)
            painter.drawEllipse(position, 4, 4)
            text = tr("{name}: over the limit from request {turn:,}").format(
                name=track.name, turn=turn
            )
            painter.setFont(resized_font(self.font, SMALL, bold=True))
            metrics = QFontMetricsF(painter.font())
            width = metrics.horizontalAdvance(text)
            x = position.x() - width - 8
            y = position.y() - 6
            ground = theme.bar_error
            if x < box.left() + metrics.horizontalAdvance(self.scale.limit_label) + 16:
                x = position.x() + 8
                y = position.y() + 14
                ground = theme.surface
            if not is_labelled and x + width < box.right():
                painter.setPen(theme.error)
                _paint_label(painter, QPointF(x, y), text, ground)
                is_labelled = True


def end_label(track: ReplayTrack, top: float) -> str:
    """Return a line's name, with its last size if that is above the plot."""
    if not track.sizes or track.sizes[-1] <= top:
        return track.name
    return f"{track.name} ▲ {number_format.abbreviated(track.sizes[-1])} at the end"


def _paint_label(
    painter: QPainter, position: QPointF, text: str, background: QColor
) -> None:
    metrics = QFontMetricsF(painter.font())
    height = metrics.capHeight() + 5
    box = QRectF(
        position.x() - 2,
        position.y() + 2 - height,
        metrics.horizontalAdvance(text) + 4,
        height,
    )
    painter.fillRect(box, background)
    painter.drawText(position, text)


def _line_path(
    frame: PlotArea, sizes: array[int], marks: dict[int, ReplayCompaction]
) -> QPainterPath:
    """Return the line of a strategy, vertical at compactions. At most a few points per pixel."""
    path = QPainterPath()
    turns_per_point = max(1, len(sizes) // max(1, round(frame.box.width())))
    for turn in range(1, len(sizes) + 1):
        mark = marks.get(turn)
        if mark is None and turn % turns_per_point and turn not in (1, len(sizes)):
            continue
        if mark is not None and path.elementCount():
            path.lineTo(frame.point_at(turn, mark.before))
        position = frame.point_at(turn, sizes[turn - 1])
        if path.elementCount():
            path.lineTo(position)
        else:
            path.moveTo(position)
    return path


def _title_left(frame: PlotArea, painter: QPainter) -> float:
    """Return where the axis title begins: right of the plot, and of the last figure under it."""
    if frame.x.ticks:
        last_tick = frame.x.ticks[-1]
    else:
        last_tick = None
    if last_tick is None:
        return frame.box.right() + 8
    half_width = painter.fontMetrics().horizontalAdvance(last_tick.label) / 2
    return max(
        frame.box.right() + 8,
        frame.point_at(last_tick.value, frame.y.low).x() + half_width + 8,
    )


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
        result = self._result
        scale = self._scale
        frame = self.frame()
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
        frame = self.frame()
        result = self._result
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
        self.previous = push_button("")
        self.next = push_button("")
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
        is_playing = self.timer.isActive()
        theme = current_theme()
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
