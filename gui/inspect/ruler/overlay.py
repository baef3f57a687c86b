"""Paints what changes without the bars: handles, boundary ticks, the visible part, selection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from core.presentation.ruler.geometry import boundary_pixels
from core.presentation.ruler.model import CutHandle
from gui.inspect.ruler.bars import AFTER_LANE, BEFORE_LANE
from gui.inspect.ruler.frame import RulerFrame, crisp_x, paint_text, text_width, vertical_line
from gui.widgets.icons import paint_glyph

MIN_FRAMED_WIDTH = 8.0
"""From this width in pixels, a selected message is only framed, so that its colour and number stay
visible."""
GRAB_DISTANCE = 7.5
"""Pixels to each side of a handle in which it can be grabbed."""


@dataclass(frozen=True, slots=True)
class PaintedHandle:
    """A handle as it is painted: at boundary ``index``, which may differ from the last preview."""

    handle: CutHandle
    index: int
    is_active: bool  # hovered or focused
    is_moving: bool
    shows_ticks: bool  # show valid boundaries
    tip: str


@dataclass(frozen=True, slots=True)
class OutlinedRange:
    """A range of messages [first, end) of one side to be outlined."""

    side: str
    first: int
    end: int


def range_box(frame: RulerFrame, outlined: OutlinedRange, min_width: float = 5.0) -> QRectF | None:
    """Return the box of a range; None if it is not in view."""
    side_sums = frame.content.before if outlined.side == "before" else frame.content.after
    if not 0 <= outlined.first < outlined.end <= len(side_sums.codes):
        return None
    left, right = frame.x(side_sums.sums[outlined.first]), frame.x(side_sums.sums[outlined.end])
    if right < frame.lanes.left or left > frame.right:
        return None
    grow = max(0.0, min_width - (right - left)) / 2
    lane = BEFORE_LANE if outlined.side == "before" else AFTER_LANE
    return frame.box(max(left - grow, frame.lanes.left - 2), min(right + grow, frame.right + 2), *lane)


def paint_outlines(
    painter: QPainter,
    frame: RulerFrame,
    visible: OutlinedRange,
    selected: OutlinedRange,
    hovered: OutlinedRange,
) -> None:
    """Outline the visible part of the before list, the selected message and the hovered ones."""
    theme = frame.theme
    for outlined, colour, width, grow in (
        (hovered, theme.text, 1.0, 0.0),
        (selected, theme.accent_text, 2.0, 1.0),
        (visible, theme.accent_text, 1.5, 2.0),
    ):
        box = range_box(frame, outlined)
        if box is None:
            continue
        if outlined is selected and box.width() < MIN_FRAMED_WIDTH:
            painter.fillRect(box.adjusted(-1, 0, 1, 0), theme.surface)
            painter.fillRect(box.adjusted(1, 2, -1, -2), theme.accent_text)
        painter.setPen(QPen(colour, width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(-grow, -grow, grow, grow), 1.5, 1.5)


def paint_ticks(painter: QPainter, frame: RulerFrame) -> None:
    """Paint valid boundaries as ticks in the lane of the fate strip, stretches without one hatched."""
    theme, lanes, sums = frame.theme, frame.lanes, frame.content.before.sums
    top, bottom = lanes.y(69), lanes.y(75)
    end = min(frame.right, frame.x(sums[-1]))
    painter.fillRect(QRectF(lanes.left, top, end - lanes.left, bottom - top), theme.surface)
    painter.setPen(QPen(theme.text2, 1))
    for x, stretch in boundary_pixels(frame.content.screen.valid, sums, frame.view):
        if x < 0:
            continue
        if stretch > x:
            box = QRectF(lanes.left + x, top, stretch - x, bottom - top)
            painter.fillRect(box, QBrush(theme.text3, Qt.BrushStyle.BDiagPattern))
        painter.drawLine(vertical_line(crisp_x(lanes.left + x), top, bottom))


def handle_x(frame: RulerFrame, handle: PaintedHandle) -> float:
    """Return the pixel of a handle."""
    return frame.x(frame.content.before.sums[handle.index])


def handle_box(frame: RulerFrame, handle: PaintedHandle) -> QRectF:
    x = handle_x(frame, handle)
    return frame.box(x - GRAB_DISTANCE, x + GRAB_DISTANCE, 19, 40)


def _pentagon(x: float, top: float, unit: float, grow: float) -> QPolygonF:
    half, height, shoulder = 6 * unit + grow, 17 * unit, 11 * unit
    return QPolygonF(
        [
            QPointF(x - half, top - grow),
            QPointF(x + half, top - grow),
            QPointF(x + half, top + shoulder + grow / 2),
            QPointF(x, top + height + grow * 1.3),
            QPointF(x - half, top + shoulder + grow / 2),
        ]
    )


def paint_handles(painter: QPainter, frame: RulerFrame, handles: Sequence[PaintedHandle]) -> None:
    """Paint a pentagon over a line at each cut; a ring round the active one, a lock on a locked one."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for handle in sorted(handles, key=_is_active):
        x = float(round(handle_x(frame, handle)))
        if frame.lanes.left - 1 <= x <= frame.right + 1:
            _paint_handle(painter, frame, handle, x)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _is_active(handle: PaintedHandle) -> bool:
    return handle.is_active


def _paint_handle(painter: QPainter, frame: RulerFrame, handle: PaintedHandle, x: float) -> None:
    theme, lanes = frame.theme, frame.lanes
    top = lanes.y(20)
    for width, colour in ((4, theme.surface), (2, theme.text)):
        painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(vertical_line(x, top + 12 * lanes.unit, lanes.y(76)))
    painter.setPen(Qt.PenStyle.NoPen)
    rings: list[tuple[float, QColor]] = [(1.5, theme.surface), (0.0, theme.text)]
    if handle.is_active:
        rings = [
            (5.0, theme.surface),
            (4.0, theme.accent_text),
            (2.0, theme.surface),
            (0.0, theme.accent_fill),
        ]
    for grow, colour in rings:
        painter.setBrush(colour)
        painter.drawPolygon(_pentagon(x, top, lanes.unit, grow))
    if handle.handle.locked:
        size = 9 * lanes.unit
        ink = theme.on_accent if handle.is_active else theme.surface
        paint_glyph(painter, "lock", QRectF(x - size / 2, top + 1.5, size, size), ink)


def paint_tip(painter: QPainter, frame: RulerFrame, handle: PaintedHandle) -> None:
    """Paint the meaning of a moving handle's place beside its line."""
    theme = frame.theme
    width = text_width(frame.bold, handle.tip) + 16
    x = handle_x(frame, handle)
    left = x + 8 if x + 8 + width <= frame.right else x - 8 - width
    box = frame.box(left, left + width, 77, 97)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.control_border, frame.line_width))
    painter.setBrush(theme.surface)
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    paint_text(painter, frame.bold, theme.text, box.adjusted(8, 0, 0, 0), handle.tip)
