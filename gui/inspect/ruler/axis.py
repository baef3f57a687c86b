"""The axis, the lines of limit, trigger and target, and the sums beside the bars."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.presentation.ruler import wording as ruler_text
from core.presentation.ruler.geometry import axis_ticks
from gui.inspect.ruler.bars import AFTER_LANE, BEFORE_LANE
from gui.inspect.ruler.frame import (
    LABEL_GAP,
    SAVING_GAP,
    RulerFrame,
    crisp_x,
    first_clear_x,
    fitting_label,
    paint_text,
    text_width,
    vertical_line,
)

MIN_LABEL_GAP = 12  # least pixels between two labels


def paint_axis(painter: QPainter, frame: RulerFrame) -> None:
    """Paint lines and labels of limit and trigger, then ticks, with the labels that fit."""
    label_spans = _paint_limits(painter, frame)
    theme, lanes = frame.theme, frame.lanes
    base = lanes.y(19) + 0.5
    painter.setPen(QPen(theme.control_border, frame.line_width))
    painter.drawLine(QLineF(lanes.left, base, frame.right, base))
    for x, tokens, labelled in axis_ticks(frame.view):
        tick_x = crisp_x(lanes.left + x)
        painter.setPen(QPen(theme.control_border, frame.line_width))
        painter.drawLine(vertical_line(tick_x, lanes.y(13 if labelled else 16), base))
        text = ruler_text.axis_label(tokens) if labelled else ""
        left = tick_x + 3
        right = left + text_width(frame.font, text)
        is_free = all(right + MIN_LABEL_GAP <= low or left >= high + LABEL_GAP for low, high in label_spans)
        if text and is_free and right <= frame.right:
            paint_text(painter, frame.font, theme.text2, frame.box(left, right, 0, 16), text)


def _paint_limits(painter: QPainter, frame: RulerFrame) -> list[tuple[float, float]]:
    """Paint limit and trigger; return the pixel spans of their labels."""
    marks, theme = frame.content.screen.marks, frame.theme
    limit = frame.right if marks.limit is None else frame.x(marks.limit)
    trigger = None if marks.trigger is None else frame.x(marks.trigger)
    if marks.limit is not None and limit <= frame.right + 1:
        _paint_line(painter, frame, min(limit, frame.right - 1), 4, QPen(theme.text2, 2))
    if trigger is not None and frame.lanes.left <= trigger <= frame.right:
        pen = QPen(theme.warn, 2)
        pen.setDashPattern([2.5, 2])
        _paint_line(painter, frame, trigger, 2, pen)
    else:
        trigger = None
    limit_text, trigger_text = _fitting_labels(frame, limit, trigger)
    label_spans = []
    if limit_text:
        left = limit - LABEL_GAP - text_width(frame.bold, limit_text)
        paint_text(painter, frame.bold, theme.text2, frame.box(left, limit - LABEL_GAP, 0, 16), limit_text)
        label_spans.append((left, limit))
    elif label_behind := fitting_label(frame.bold, marks.limit_labels, frame.right - limit - LABEL_GAP):
        # the trigger's label takes the space before the line
        right = limit + LABEL_GAP + text_width(frame.bold, label_behind)
        paint_text(painter, frame.bold, theme.text2, frame.box(limit + LABEL_GAP, right, 0, 16), label_behind)
        label_spans.append((limit, right))
    if trigger_text and trigger is not None:
        right = trigger + LABEL_GAP + text_width(frame.bold, trigger_text)
        paint_text(
            painter, frame.bold, theme.warn, frame.box(trigger + LABEL_GAP, right, 0, 16), trigger_text
        )
    if trigger is not None:
        label_spans.append((trigger - 2, trigger + LABEL_GAP + text_width(frame.bold, trigger_text)))
    return label_spans


def _fitting_labels(frame: RulerFrame, limit: float, trigger: float | None) -> tuple[str, str]:
    """Return the longest labels of limit and trigger that do not touch."""
    marks = frame.content.screen.marks
    limit_labels = marks.limit_labels if limit <= frame.right + 1 else ()
    if trigger is None:
        return (limit_labels[0] if limit_labels else "", "")
    for number in range(max(len(limit_labels), len(marks.trigger_labels))):
        limit_label = limit_labels[min(number, len(limit_labels) - 1)] if limit_labels else ""
        trigger_label = (
            marks.trigger_labels[min(number, len(marks.trigger_labels) - 1)] if marks.trigger_labels else ""
        )
        available = min(limit, frame.right) - trigger - 2 * LABEL_GAP - MIN_LABEL_GAP
        if text_width(frame.bold, limit_label) + text_width(frame.bold, trigger_label) <= available:
            return (limit_label, trigger_label)
    available = min(limit, frame.right) - trigger - LABEL_GAP
    return ("", fitting_label(frame.bold, marks.trigger_labels, available))


def _paint_line(painter: QPainter, frame: RulerFrame, x: float, top: float, pen: QPen) -> None:
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    painter.drawLine(vertical_line(float(round(x)), frame.lanes.y(top), frame.lanes.y(128)))


def paint_sums(painter: QPainter, frame: RulerFrame) -> None:
    """Paint the target line, the free space right of the before bar, the saving right of the after bar."""
    marks, theme = frame.content.screen.marks, frame.theme
    _paint_target(painter, frame)
    before, after = frame.content.before.sums[-1], frame.content.after.sums[-1]
    _paint_free_space(painter, frame, frame.x(before + marks.hidden), marks.before_distance)
    tone: QColor = theme.error if after > before else theme.ok
    box = saved_box(frame)
    if box is not None:
        if first_clear_x(frame, box.left(), box.width()) > box.left():
            painter.fillRect(box, theme.free)
        paint_text(painter, frame.total_font, tone, box, marks.after_saved)


def _paint_target(painter: QPainter, frame: RulerFrame) -> None:
    marks, theme, lanes = frame.content.screen.marks, frame.theme, frame.lanes
    target = None if marks.target is None else frame.x(marks.target)
    if target is None or not lanes.left <= target <= frame.right:
        return
    painter.setPen(QPen(theme.ok, 2))
    painter.drawLine(vertical_line(float(round(target)), lanes.y(75), lanes.y(128)))
    width = text_width(frame.font, marks.target_label)
    left = target + LABEL_GAP
    if left + width > frame.right or first_clear_x(frame, left + 1, width) > left + 1:
        left = target - LABEL_GAP - width
    box = frame.box(left, left + width, 84, 100)
    painter.fillRect(box, theme.surface)  # the edges of folds cross this box
    paint_text(painter, frame.font, theme.ok, box, marks.target_label)


def saved_box(frame: RulerFrame) -> QRectF | None:
    """Return the box of the saving: behind the after bar, right of the lines that would cross it; else on
    them, and the lines break. None if there is no space."""
    width = text_width(frame.total_font, frame.content.screen.marks.after_saved)
    bar_end = frame.x(frame.content.after.sums[-1] + frame.content.screen.marks.hidden) + SAVING_GAP
    clear_left = first_clear_x(frame, bar_end, width)
    left = clear_left if clear_left + width <= frame.right else bar_end
    is_visible = frame.lanes.left <= left and left + width <= frame.right
    return frame.box(left, left + width, *AFTER_LANE) if is_visible else None


def _paint_free_space(painter: QPainter, frame: RulerFrame, end: float, text: str) -> None:
    marks = frame.content.screen.marks
    right = frame.right if marks.trigger is None else min(frame.right, frame.x(marks.trigger))
    if right <= end:  # past the trigger: use the space up to the limit
        right = frame.right if marks.limit is None else min(frame.right, frame.x(marks.limit))
    width = text_width(frame.font, text)
    box: QRectF = frame.box(end, right - MIN_LABEL_GAP, *BEFORE_LANE)
    if end >= frame.lanes.left and box.width() >= width + LABEL_GAP:
        paint_text(painter, frame.font, frame.theme.text2, box, text, right=True)
