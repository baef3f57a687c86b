"""The static picture of a replay: axes, lines with their compactions, limit and trigger."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from core.presentation.plots import spread_apart
from core.presentation.replay.model import ReplayCompactionMark, ReplayPage
from gui.language import tr
from gui.replay.line_style import track_colour, track_pen
from gui.widgets.plot_frame import PlotArea, paint_axes
from gui.widgets.theme import SECONDARY, SMALL, Theme, resized_font

_GAP, _RING = 10, 4.2


@dataclass(frozen=True, slots=True)
class ReplayPictureStyle:
    """Colours and font, the picture's width in pixels, and the highlighted line."""

    theme: Theme
    font: QFont
    width: int
    chosen: str


def paint_picture(painter: QPainter, frame: PlotArea, page: ReplayPage, style: ReplayPictureStyle) -> None:
    """Paint everything but the playhead."""
    if page.limit is not None:
        _paint_overflow_area(painter, frame, style, page.limit)
    paint_axes(painter, frame, style.theme, style.font, verticals=False)
    painter.setFont(resized_font(style.font, SMALL))
    title_y = frame.box.bottom() + 6 + painter.fontMetrics().ascent()
    painter.drawText(QPointF(_title_left(frame, painter), title_y), frame.x.title)
    painter.save()
    painter.setClipRect(frame.box.adjusted(-6, -2, 6, 2))
    for index in range(len(page.lines)):
        _paint_line(painter, frame, page, style, index)
    painter.restore()
    _paint_limits(painter, frame, page, style)
    _paint_end_labels(painter, frame, page, style)
    _paint_overflow_marks(painter, frame, page, style)


def _paint_overflow_area(painter: QPainter, frame: PlotArea, style: ReplayPictureStyle, limit: int) -> None:
    y = frame.point_at(0, limit).y()
    painter.fillRect(
        QRectF(frame.box.left(), frame.box.top(), frame.box.width(), y - frame.box.top()),
        style.theme.bar_error,
    )


def _paint_limits(
    painter: QPainter, frame: PlotArea, page: ReplayPage, picture_style: ReplayPictureStyle
) -> None:
    theme = picture_style.theme
    painter.setFont(resized_font(picture_style.font, SMALL, bold=True))
    metrics = QFontMetricsF(painter.font())
    for value, text, colour, style, background in (
        (page.limit, page.limit_label, theme.text2, Qt.PenStyle.SolidLine, theme.bar_error),
        (page.trigger, page.trigger_label, theme.warn, Qt.PenStyle.DashLine, theme.surface),
    ):
        if value is None:
            continue
        y = frame.point_at(0, value).y()
        painter.setPen(QPen(colour, 1.6, style))
        painter.drawLine(QPointF(frame.box.left(), y), QPointF(frame.box.right(), y))
        _paint_label(painter, QPointF(frame.box.left() + 6, y - 4), text, background)
    if page.limit is None and page.limit_label:
        painter.setPen(theme.text2)
        painter.drawText(
            QPointF(frame.box.left() + 6, frame.box.top() - metrics.descent() - 2), page.limit_label
        )


def _paint_line(
    painter: QPainter, frame: PlotArea, page: ReplayPage, style: ReplayPictureStyle, index: int
) -> None:
    line = page.lines[index]
    if not line.sizes:
        return
    marks = {mark.turn: mark for mark in page.marks if mark.line == index}
    bold = line.name == style.chosen
    painter.setPen(track_pen(style.theme, index, bold=bold))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(_line_path(frame, line.sizes, marks))
    painter.setPen(QPen(track_colour(style.theme, index), 1.8))
    painter.setBrush(style.theme.surface)
    for mark in marks.values():
        painter.drawEllipse(frame.point_at(mark.turn, mark.after), _RING, _RING)


def _paint_end_labels(
    painter: QPainter, frame: PlotArea, page: ReplayPage, style: ReplayPictureStyle
) -> None:
    """Paint the names at the ends of the lines, without overlap."""
    lines = [(index, line) for index, line in enumerate(page.lines) if line.sizes]
    painter.setFont(resized_font(style.font, SECONDARY, bold=True))
    metrics = QFontMetricsF(painter.font())
    ends = [frame.point_at(0, min(line.sizes[-1], frame.y.high)).y() for _, line in lines]
    label_ys = spread_apart(ends, metrics.height() + 2, frame.box.top() + 2, frame.box.bottom())
    for (index, line), y, line_y in zip(lines, label_ys, ends, strict=True):
        end = frame.point_at(len(line.sizes), 0).x()
        painter.setPen(QPen(track_colour(style.theme, index), 1))
        if abs(y - line_y) > 3 or len(line.sizes) < page.turns:
            painter.drawLine(
                QPointF(max(end, frame.box.left()) + 2, line_y), QPointF(frame.box.right() + 7, y)
            )
        text = metrics.elidedText(
            line.end_label or line.name, Qt.TextElideMode.ElideRight, style.width - frame.box.right() - 14
        )
        painter.drawText(QPointF(frame.box.right() + _GAP, y + metrics.ascent() / 2 - 1), text)


def _paint_overflow_marks(
    painter: QPainter, frame: PlotArea, page: ReplayPage, style: ReplayPictureStyle
) -> None:
    """Mark where lines exceed the limit; the first time in words."""
    is_labelled = False
    for line in page.lines:
        if not line.over_limit_turn or page.limit is None:
            continue
        position = frame.point_at(line.over_limit_turn, page.limit)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.theme.error)
        painter.drawEllipse(position, 4, 4)
        text = tr("{name}: over the limit from turn {turn:,}").format(
            name=line.name, turn=line.over_limit_turn
        )
        painter.setFont(resized_font(style.font, SMALL, bold=True))
        width = QFontMetricsF(painter.font()).horizontalAdvance(text)
        left_label = QFontMetricsF(painter.font()).horizontalAdvance(page.limit_label) + 16
        x, y, background = position.x() - width - 8, position.y() - 6, style.theme.bar_error
        if x < frame.box.left() + left_label:  # beside the limit's own label; the line rises from here
            x, y, background = position.x() + 8, position.y() + 14, style.theme.surface
        if not is_labelled and x + width < frame.box.right():
            painter.setPen(style.theme.error)
            _paint_label(painter, QPointF(x, y), text, background)
            is_labelled = True


def _paint_label(painter: QPainter, position: QPointF, text: str, background: QColor) -> None:
    metrics = QFontMetricsF(painter.font())
    height = metrics.capHeight() + 5
    box = QRectF(position.x() - 2, position.y() + 2 - height, metrics.horizontalAdvance(text) + 4, height)
    painter.fillRect(box, background)
    painter.drawText(position, text)


def _line_path(frame: PlotArea, sizes: array[int], marks: dict[int, ReplayCompactionMark]) -> QPainterPath:
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
    last_tick = frame.x.ticks[-1] if frame.x.ticks else None
    if last_tick is None:
        return frame.box.right() + 8
    half_width = painter.fontMetrics().horizontalAdvance(last_tick.label) / 2
    return max(frame.box.right() + 8, frame.point_at(last_tick.value, frame.y.low).x() + half_width + 8)
