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


def paint_picture(painter: QPainter, frame: PlotArea, page: ReplayPage, look: ReplayPictureStyle) -> None:
    """Paint everything but the playhead."""
    if page.limit is not None:
        _overflow(painter, frame, look, page.limit)
    paint_axes(painter, frame, look.theme, look.font, verticals=False)
    painter.setFont(resized_font(look.font, SMALL))
    below = frame.box.bottom() + 6 + painter.fontMetrics().ascent()
    painter.drawText(QPointF(_title_left(frame, painter), below), frame.x.title)
    painter.save()
    painter.setClipRect(frame.box.adjusted(-6, -2, 6, 2))
    for place in range(len(page.lines)):
        _line(painter, frame, page, look, place)
    painter.restore()
    _bounds(painter, frame, page, look)
    _ends(painter, frame, page, look)
    _overs(painter, frame, page, look)


def _overflow(painter: QPainter, frame: PlotArea, look: ReplayPictureStyle, limit: int) -> None:
    y = frame.at(0, limit).y()
    painter.fillRect(
        QRectF(frame.box.left(), frame.box.top(), frame.box.width(), y - frame.box.top()),
        look.theme.bar_error,
    )


def _bounds(painter: QPainter, frame: PlotArea, page: ReplayPage, look: ReplayPictureStyle) -> None:
    shade = look.theme
    painter.setFont(resized_font(look.font, SMALL, bold=True))
    metrics = QFontMetricsF(painter.font())
    for value, text, ink, style, ground in (
        (page.limit, page.limit_label, shade.text2, Qt.PenStyle.SolidLine, shade.bar_error),
        (page.trigger, page.trigger_label, shade.warn, Qt.PenStyle.DashLine, shade.surface),
    ):
        if value is None:
            continue
        y = frame.at(0, value).y()
        painter.setPen(QPen(ink, 1.6, style))
        painter.drawLine(QPointF(frame.box.left(), y), QPointF(frame.box.right(), y))
        _words(painter, QPointF(frame.box.left() + 6, y - 4), text, ground)
    if page.limit is None and page.limit_label:
        painter.setPen(shade.text2)
        painter.drawText(
            QPointF(frame.box.left() + 6, frame.box.top() - metrics.descent() - 2), page.limit_label
        )


def _line(painter: QPainter, frame: PlotArea, page: ReplayPage, look: ReplayPictureStyle, place: int) -> None:
    line = page.lines[place]
    if not line.sizes:
        return
    marks = {mark.turn: mark for mark in page.marks if mark.line == place}
    bold = line.name == look.chosen
    painter.setPen(track_pen(look.theme, place, bold=bold))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(_path(frame, line.sizes, marks))
    painter.setPen(QPen(track_colour(look.theme, place), 1.8))
    painter.setBrush(look.theme.surface)
    for mark in marks.values():
        painter.drawEllipse(frame.at(mark.turn, mark.after), _RING, _RING)


def _ends(painter: QPainter, frame: PlotArea, page: ReplayPage, look: ReplayPictureStyle) -> None:
    """Paint the names at the ends of the lines, without overlap."""
    lines = [(place, one) for place, one in enumerate(page.lines) if one.sizes]
    painter.setFont(resized_font(look.font, SECONDARY, bold=True))
    metrics = QFontMetricsF(painter.font())
    ends = [frame.at(0, min(one.sizes[-1], frame.y.high)).y() for _, one in lines]
    placed = spread_apart(ends, metrics.height() + 2, frame.box.top() + 2, frame.box.bottom())
    for (place, one), y, was in zip(lines, placed, ends, strict=True):
        end = frame.at(len(one.sizes), 0).x()
        painter.setPen(QPen(track_colour(look.theme, place), 1))
        if abs(y - was) > 3 or len(one.sizes) < page.turns:
            painter.drawLine(QPointF(max(end, frame.box.left()) + 2, was), QPointF(frame.box.right() + 7, y))
        text = metrics.elidedText(
            one.end_label or one.name, Qt.TextElideMode.ElideRight, look.width - frame.box.right() - 14
        )
        painter.drawText(QPointF(frame.box.right() + _GAP, y + metrics.ascent() / 2 - 1), text)


def _overs(painter: QPainter, frame: PlotArea, page: ReplayPage, look: ReplayPictureStyle) -> None:
    """Mark where lines exceed the limit; the first time in words."""
    is_labelled = False
    for one in page.lines:
        if not one.over_from or page.limit is None:
            continue
        at = frame.at(one.over_from, page.limit)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.theme.error)
        painter.drawEllipse(at, 4, 4)
        text = tr("{name}: over the limit from turn {turn:,}").format(name=one.name, turn=one.over_from)
        painter.setFont(resized_font(look.font, SMALL, bold=True))
        width = QFontMetricsF(painter.font()).horizontalAdvance(text)
        left_label = QFontMetricsF(painter.font()).horizontalAdvance(page.limit_label) + 16
        x, y, ground = at.x() - width - 8, at.y() - 6, look.theme.bar_error
        if x < frame.box.left() + left_label:  # beside the limit's own label; the line rises from here
            x, y, ground = at.x() + 8, at.y() + 14, look.theme.surface
        if not is_labelled and x + width < frame.box.right():
            painter.setPen(look.theme.error)
            _words(painter, QPointF(x, y), text, ground)
            is_labelled = True


def _words(painter: QPainter, at: QPointF, text: str, ground: QColor) -> None:
    metrics = QFontMetricsF(painter.font())
    high = metrics.capHeight() + 5
    box = QRectF(at.x() - 2, at.y() + 2 - high, metrics.horizontalAdvance(text) + 4, high)
    painter.fillRect(box, ground)
    painter.drawText(at, text)


def _path(frame: PlotArea, sizes: array[int], marks: dict[int, ReplayCompactionMark]) -> QPainterPath:
    """Return the line of a strategy, vertical at compactions. At most a few points per pixel."""
    path = QPainterPath()
    every = max(1, len(sizes) // max(1, round(frame.box.width())))
    for turn in range(1, len(sizes) + 1):
        mark = marks.get(turn)
        if mark is None and turn % every and turn not in (1, len(sizes)):
            continue
        if mark is not None and path.elementCount():
            path.lineTo(frame.at(turn, mark.before))
        at = frame.at(turn, sizes[turn - 1])
        if path.elementCount():
            path.lineTo(at)
        else:
            path.moveTo(at)
    return path


def _title_left(frame: PlotArea, painter: QPainter) -> float:
    """Return where the axis title begins: right of the plot, and of the last figure under it."""
    last = frame.x.ticks[-1] if frame.x.ticks else None
    if last is None:
        return frame.box.right() + 8
    half = painter.fontMetrics().horizontalAdvance(last.label) / 2
    return max(frame.box.right() + 8, frame.at(last.value, frame.y.low).x() + half + 8)
