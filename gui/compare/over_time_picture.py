"""The static picture of a replay: axes, lines with their compactions, limit and trigger."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from core.analysis.model import ReplayCompaction, ReplayResult, ReplayTrack
from core.common import number_format
from core.presentation.compare.results import ReplayScale, over_limit_request
from core.presentation.plots import spread_apart
from gui.language import tr
from gui.widgets.plot_frame import PlotArea, paint_axes
from gui.widgets.theme import SECONDARY, SMALL, Theme, current_theme, resized_font

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
        limit, box, theme, is_labelled = (
            self.scale.limit,
            self.frame.box,
            self.theme,
            False,
        )
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
            x, y, ground = position.x() - width - 8, position.y() - 6, theme.bar_error
            if x < box.left() + metrics.horizontalAdvance(self.scale.limit_label) + 16:
                x, y, ground = position.x() + 8, position.y() + 14, theme.surface
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
