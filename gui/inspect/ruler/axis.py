"""The axis, the lines of limit, trigger and target, and the sums beside the bars."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.presentation.ruler import wording as ruler_text
from core.presentation.ruler.geometry import axis_ticks
from gui.inspect.ruler.bars import AFTER_LANE, BEFORE_LANE
from gui.inspect.ruler.frame import (
    BESIDE,
    NEAR,
    RulerFrame,
    clear_of_lines,
    crisp_x,
    fitting_label,
    put_text,
    text_width,
    vertical_line,
)

APART = 12  # least pixels between two labels


def paint_axis(painter: QPainter, frame: RulerFrame) -> None:
    """Paint lines and labels of limit and trigger, then ticks, with the labels that fit."""
    label_spans = _bounds(painter, frame)
    theme, lanes = frame.theme, frame.lanes
    base = lanes.y(19) + 0.5
    painter.setPen(QPen(theme.control_border, frame.line))
    painter.drawLine(QLineF(lanes.left, base, frame.right, base))
    for x, tokens, labelled in axis_ticks(frame.view):
        at = crisp_x(lanes.left + x)
        painter.setPen(QPen(theme.control_border, frame.line))
        painter.drawLine(vertical_line(at, lanes.y(13 if labelled else 16), base))
        text = ruler_text.axis_label(tokens) if labelled else ""
        left = at + 3
        right = left + text_width(frame.font, text)
        free = all(right + APART <= low or left >= high + NEAR for low, high in label_spans)
        if text and free and right <= frame.right:
            put_text(painter, frame.font, theme.text2, frame.box(left, right, 0, 16), text)


def _bounds(painter: QPainter, frame: RulerFrame) -> list[tuple[float, float]]:
    """Paint limit and trigger; return the pixel spans of their labels."""
    marks, theme = frame.content.screen.marks, frame.theme
    limit = frame.right if marks.limit is None else frame.x(marks.limit)
    trigger = None if marks.trigger is None else frame.x(marks.trigger)
    if marks.limit is not None and limit <= frame.right + 1:
        _line(painter, frame, min(limit, frame.right - 1), 4, QPen(theme.text2, 2))
    if trigger is not None and frame.lanes.left <= trigger <= frame.right:
        pen = QPen(theme.warn, 2)
        pen.setDashPattern([2.5, 2])
        _line(painter, frame, trigger, 2, pen)
    else:
        trigger = None
    limit_text, trigger_text = _labels(frame, limit, trigger)
    label_spans = []
    if limit_text:
        left = limit - NEAR - text_width(frame.bold, limit_text)
        put_text(painter, frame.bold, theme.text2, frame.box(left, limit - NEAR, 0, 16), limit_text)
        label_spans.append((left, limit))
    elif behind := fitting_label(frame.bold, marks.limit_labels, frame.right - limit - NEAR):
        # the trigger's label takes the space before the line
        right = limit + NEAR + text_width(frame.bold, behind)
        put_text(painter, frame.bold, theme.text2, frame.box(limit + NEAR, right, 0, 16), behind)
        label_spans.append((limit, right))
    if trigger_text and trigger is not None:
        right = trigger + NEAR + text_width(frame.bold, trigger_text)
        put_text(painter, frame.bold, theme.warn, frame.box(trigger + NEAR, right, 0, 16), trigger_text)
    if trigger is not None:
        label_spans.append((trigger - 2, trigger + NEAR + text_width(frame.bold, trigger_text)))
    return label_spans


def _labels(frame: RulerFrame, limit: float, trigger: float | None) -> tuple[str, str]:
    """Return the longest labels of limit and trigger that do not touch."""
    marks = frame.content.screen.marks
    ends = marks.limit_labels if limit <= frame.right + 1 else ()
    if trigger is None:
        return (ends[0] if ends else "", "")
    for place in range(max(len(ends), len(marks.trigger_labels))):
        one = ends[min(place, len(ends) - 1)] if ends else ""
        two = marks.trigger_labels[min(place, len(marks.trigger_labels) - 1)] if marks.trigger_labels else ""
        room = min(limit, frame.right) - trigger - 2 * NEAR - APART
        if text_width(frame.bold, one) + text_width(frame.bold, two) <= room:
            return (one, two)
    room = min(limit, frame.right) - trigger - NEAR
    return ("", fitting_label(frame.bold, marks.trigger_labels, room))


def _line(painter: QPainter, frame: RulerFrame, x: float, top: float, pen: QPen) -> None:
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    painter.drawLine(vertical_line(float(round(x)), frame.lanes.y(top), frame.lanes.y(128)))


def paint_sums(painter: QPainter, frame: RulerFrame) -> None:
    """Paint the target line, the free space right of the before bar, the saving right of the after bar."""
    marks, theme = frame.content.screen.marks, frame.theme
    _target(painter, frame)
    before, after = frame.content.before.sums[-1], frame.content.after.sums[-1]
    _free(painter, frame, frame.x(before + marks.hidden), marks.before_free)
    tone: QColor = theme.error if after > before else theme.ok
    box = saved_box(frame)
    if box is not None:
        if clear_of_lines(frame, box.left(), box.width()) > box.left():
            painter.fillRect(box, theme.free)
        put_text(painter, frame.total_font, tone, box, marks.after_saved)


def _target(painter: QPainter, frame: RulerFrame) -> None:
    marks, theme, lanes = frame.content.screen.marks, frame.theme, frame.lanes
    target = None if marks.target is None else frame.x(marks.target)
    if target is None or not lanes.left <= target <= frame.right:
        return
    painter.setPen(QPen(theme.ok, 2))
    painter.drawLine(vertical_line(float(round(target)), lanes.y(75), lanes.y(128)))
    width = text_width(frame.font, marks.target_label)
    left = target + NEAR
    if left + width > frame.right or clear_of_lines(frame, left + 1, width) > left + 1:
        left = target - NEAR - width
    box = frame.box(left, left + width, 84, 100)
    painter.fillRect(box, theme.surface)  # the edges of folds cross this box
    put_text(painter, frame.font, theme.ok, box, marks.target_label)


def saved_box(frame: RulerFrame) -> QRectF | None:
    """Return the box of the saving: behind the after bar, right of the lines that would cross it; else on
    them, and the lines break. None if there is no space."""
    width = text_width(frame.total_font, frame.content.screen.marks.after_saved)
    bar_end = frame.x(frame.content.after.sums[-1] + frame.content.screen.marks.hidden) + BESIDE
    clear = clear_of_lines(frame, bar_end, width)
    left = clear if clear + width <= frame.right else bar_end
    is_in = frame.lanes.left <= left and left + width <= frame.right
    return frame.box(left, left + width, *AFTER_LANE) if is_in else None


def _free(painter: QPainter, frame: RulerFrame, end: float, text: str) -> None:
    marks = frame.content.screen.marks
    wall = frame.right if marks.trigger is None else min(frame.right, frame.x(marks.trigger))
    if wall <= end:  # past the trigger: use the space up to the limit
        wall = frame.right if marks.limit is None else min(frame.right, frame.x(marks.limit))
    width = text_width(frame.font, text)
    box: QRectF = frame.box(end, wall - APART, *BEFORE_LANE)
    if end >= frame.lanes.left and box.width() >= width + NEAR:
        put_text(painter, frame.font, frame.theme.text2, box, text, right=True)
