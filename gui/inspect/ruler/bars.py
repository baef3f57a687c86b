"""Paints the two bars, the fate strip and the fold lane, from columns of pixels."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QPolygonF

from core.common import number_format
from core.presentation.model import FATES, KINDS
from core.presentation.ruler.fold_lane import FoldShape, fold_shapes
from core.presentation.ruler.geometry import (
    FATE_WEIGHTS,
    GAP,
    KIND_WEIGHTS,
    RulerRange,
    TokenSums,
    code_spans,
    error_marks,
    message_at,
    message_extent,
    pixel_columns,
)
from core.presentation.ruler.wording import AFTER, BEFORE
from gui.inspect.ruler.frame import RulerFrame, faded_colour, first_clear_x, paint_text, text_width
from gui.language import tr

EDITED, DROPPED, KEPT = FATES.index("edited"), FATES.index("dropped"), FATES.index("kept")
SYSTEM = KINDS.index("system")

BEFORE_LANE = (40, 68)
AFTER_LANE = (100, 128)
MIN_EDGE_GAP = 6  # edges of a fold closer than this many pixels are fainter


def paint_bars(painter: QPainter, frame: RulerFrame) -> None:
    """Paint both bars with the free space behind them, and their names and totals in the gutter."""
    marks, content = frame.content.screen.marks, frame.content
    sides = (
        (BEFORE_LANE, content.before, content.screen.before.errors, tr(BEFORE), marks.before_total),
        (AFTER_LANE, content.after, content.screen.after.errors, tr(AFTER), marks.after_total),
    )
    for (top, bottom), side_sums, errors, name, total in sides:
        _paint_gutter(painter, frame, top, bottom, name, total)
        painter.save()
        painter.setClipRect(frame.bars)
        end = frame.x(side_sums.sums[-1] + marks.hidden)
        free = frame.box(end, frame.right, top, bottom)
        if free.width() > 0:
            painter.fillRect(free, frame.theme.free)
        if marks.hidden:
            _paint_hidden(painter, frame, frame.box(frame.x(side_sums.sums[-1]), end, top, bottom))
        _paint_bar(painter, frame, side_sums, errors, frame.box(frame.lanes.left, frame.right, top, bottom))
        painter.restore()


def _paint_hidden(painter: QPainter, frame: RulerFrame, box: QRectF) -> None:
    """Paint the hidden part of every request before the messages; with its label if it fits."""
    painter.fillRect(box, frame.theme.free)
    _paint_hatching(painter, box, frame.theme.text2)
    painter.setPen(QPen(frame.theme.control_border, frame.line_width))
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
    labels = frame.content.screen.marks.hidden_labels
    for text in labels:
        width = text_width(frame.font, text) + 8
        left = first_clear_x(frame, box.center().x() - width / 2, width)
        if box.left() + 2 <= left and left + width <= box.right() - 2:
            label_box = QRectF(left, box.top() + 5, width, box.height() - 10)
            painter.fillRect(label_box, frame.theme.surface)
            paint_text(painter, frame.font, frame.theme.text2, label_box.adjusted(4, 0, 0, 0), text)
            return


def _paint_gutter(
    painter: QPainter, frame: RulerFrame, top: float, bottom: float, name: str, total: str
) -> None:
    middle = (top + bottom) / 2
    marks, available = frame.content.screen.marks, frame.lanes.left - 6
    longest = max(marks.before_total, marks.after_total, key=len)
    font = next(
        (
            candidate
            for candidate in (frame.total_font, frame.bold)
            if text_width(candidate, longest) <= available - 8
        ),
        frame.font,
    )
    left = max(2.0, min(14 * frame.lanes.unit, available - text_width(font, longest)))
    paint_text(painter, frame.font, frame.theme.text2, frame.box(left, available, top - 1, middle), name)
    paint_text(painter, font, frame.theme.text, frame.box(left, available, middle, bottom + 1), total)


def _paint_bar(
    painter: QPainter, frame: RulerFrame, side_sums: TokenSums, errors: bytes, box: QRectF
) -> None:
    theme = frame.theme
    codes = kind_columns(side_sums, frame.view)
    _paint_codes(painter, box, codes, dict(enumerate(theme.kind)) | {GAP: theme.surface})
    for x, end in code_spans(codes, SYSTEM):  # rare, and distinguished from ai by its hatching
        _paint_hatching(painter, QRectF(box.left() + x, box.top(), end - x, box.height()), theme.surface)
    for left, right in error_marks(side_sums.sums, errors, frame.view):
        cap = QRectF(round(box.left() + left), box.top() + 1, round(right - left), frame.lanes.y(4))
        painter.fillRect(cap, theme.error)
    _paint_numbers(painter, frame, side_sums, box)
    left, right = frame.x(0), frame.x(side_sums.sums[-1])
    if right > left:
        painter.setPen(QPen(theme.control_border, frame.line_width))
        painter.drawRect(
            QRectF(round(left) - 0.5, box.top() + 0.5, max(1, round(right - left)), box.height() - 1)
        )


def kind_columns(side_sums: TokenSums, view: RulerRange) -> bytes:
    """Return the pixel columns of a bar, cached while its view stays."""
    if view not in side_sums.pixel_columns:
        side_sums.pixel_columns.clear()
        side_sums.pixel_columns[view] = pixel_columns(side_sums, view, KIND_WEIGHTS)
    return side_sums.pixel_columns[view]


def _paint_codes(painter: QPainter, box: QRectF, codes: bytes, colours: dict[int, QColor]) -> None:
    """Paint one row of codes over the whole height of a box; codes without a colour stay clear."""
    image = QImage(codes, len(codes), 1, len(codes), QImage.Format.Format_Indexed8)
    image.setColorTable([colours[code].rgba() if code in colours else 0 for code in range(256)])
    painter.drawImage(box, image)


def _paint_hatching(painter: QPainter, box: QRectF, colour: QColor) -> None:
    painter.fillRect(box, QBrush(colour, Qt.BrushStyle.BDiagPattern))


def _paint_numbers(painter: QPainter, frame: RulerFrame, side_sums: TokenSums, box: QRectF) -> None:
    """Print the number of each message wider than a third of the view."""
    step = frame.view.width / 3
    last = -1
    for position in range(4):
        index = message_at(side_sums.sums, frame.view.tokens(min(position * step, frame.view.width - 1)))
        if index < 0 or index == last:
            continue
        last = index
        left, right = message_extent(side_sums.sums, frame.view, index, index + 1)
        if right - left <= step:
            continue
        fill = frame.theme.kind[side_sums.codes[index]]
        ink = QColor(Qt.GlobalColor.black if fill.lightnessF() > 0.5 else Qt.GlobalColor.white)
        start = max(left, 0.0) + 8
        paint_text(
            painter, frame.bold, ink, box.adjusted(start, 0, 0, 0), number_format.message_number(index)
        )


def paint_strip(painter: QPainter, frame: RulerFrame) -> None:
    """Paint the fate strip: edited at half height, the others full, dropped hatched."""
    fates = frame.content.strip.codes
    if fates.count(KEPT) == len(fates):
        return
    painter.save()
    painter.setClipRect(frame.bars)
    codes = pixel_columns(frame.content.strip, frame.view, FATE_WEIGHTS, gaps=False)
    fills = dict(enumerate(frame.theme.fate_fill))
    edited = {EDITED: fills.pop(EDITED)}
    fills.pop(KEPT)
    left, right = frame.lanes.left, frame.right
    _paint_codes(painter, frame.box(left, right, 69, 75), codes, fills)
    _paint_codes(painter, frame.box(left, right, 69, 72), codes, edited)
    for x, end in code_spans(codes, DROPPED):
        _paint_hatching(painter, frame.box(left + x, left + end, 69, 75), frame.theme.surface)
    painter.restore()


def paint_lane(painter: QPainter, frame: RulerFrame) -> None:
    """Paint straight trapezoids from the before bar to the after bar, one per run of equal fate."""
    painter.save()
    painter.setClipRect(frame.bars)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    top, bottom = frame.lanes.y(75), frame.lanes.y(100)
    for fold in fold_shapes(frame.content.fold_lane, frame.view):
        colour = frame.theme.fate_fill[fold.fate]
        fill, edge = (0.10, 0.45) if fold.fate == KEPT else (0.19, 0.65)
        edge *= _edge_opacity(fold, bottom - top)
        corners = _corners(frame.lanes.left, fold.upper, fold.lower, top, bottom)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(faded_colour(colour, fill))
        painter.drawPolygon(QPolygonF(corners))
        painter.setPen(QPen(faded_colour(colour, edge), frame.line_width))
        painter.drawPolyline(QPolygonF([corners[3], corners[0]]))
        painter.drawPolyline(QPolygonF(corners[:3] if fold.fate == KEPT else corners[1:3]))
    painter.restore()


def _edge_opacity(fold: FoldShape, height: float) -> float:
    """Return an opacity from 1 down to 0.15: edges close together would merge into a solid area."""
    width = min(fold.upper[1] - fold.upper[0], fold.lower[1] - fold.lower[0])
    distance = width * height / hypot(fold.lower[0] - fold.upper[0], height)
    return max(0.15, min(1.0, distance / MIN_EDGE_GAP))


def _corners(
    left: float, upper: tuple[float, float], lower: tuple[float, float], top: float, bottom: float
) -> Sequence[QPointF]:
    return (
        QPointF(left + upper[0], top),
        QPointF(left + upper[1], top),
        QPointF(left + lower[1], bottom),
        QPointF(left + lower[0], bottom),
    )
