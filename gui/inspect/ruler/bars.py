"""Paints bars, pair brackets, fate strip and the shapes between the bars."""

from __future__ import annotations

from math import hypot

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QPolygonF

from core.common import number_format
from core.presentation.model import FATES, KINDS
from core.presentation.ruler.bands import AFTER, BEFORE
from core.presentation.ruler.geometry import (
    FATE_WEIGHTS,
    GAP,
    KIND_WEIGHTS,
    RunShape,
    TokenBar,
    code_spans,
    error_marks,
    message_at,
    pair_spans,
    pixel_columns,
    run_shapes,
)
from gui.inspect.ruler.frame import (
    Lane,
    RulerFrame,
    crisp_x,
    lane_box,
    paint_label,
    text_width,
    vertical_line,
)
from gui.language import tr
from gui.widgets.theme import with_opacity

EDITED, DROPPED, KEPT = (
    FATES.index("edited"),
    FATES.index("dropped"),
    FATES.index("kept"),
)
SYSTEM = KINDS.index("system")
MIN_EDGE_GAP = 6  # edges of a shape closer than this many pixels are fainter
MIN_BRACKET_WIDTH = 6  # pixels from which a pair has a bracket rather than a tick


def gutter_left(frame: RulerFrame) -> float:
    totals, available = frame.content.screen.ruler.totals, frame.lanes.left - 6
    longest = max(totals.before_total, totals.after_total, key=len)
    return max(
        2.0, min(14 * frame.lanes.unit, available - text_width(frame.bold, longest))
    )


def paint_before(painter: QPainter, frame: RulerFrame) -> None:
    """Paint the bar of the source and its pairs."""
    screen = frame.content.screen
    total = screen.ruler.totals.before_total
    lane = frame.lanes.before
    _paint_gutter(painter, frame, (lane[0] - 1, lane[1] + 1), BEFORE, total)
    _paint_bar(painter, frame, frame.content.before, screen.source.rows.errors, lane)
    paint_pairs(painter, frame)


def paint_after(painter: QPainter, frame: RulerFrame) -> None:
    screen = frame.content.screen
    total = screen.ruler.totals.after_total
    lane = frame.lanes.after
    height = frame.lanes.before[1] - frame.lanes.before[0]
    _paint_gutter(painter, frame, (lane[1] - height - 1, lane[1] + 1), AFTER, total)
    _paint_bar(painter, frame, frame.content.after, screen.result.rows.errors, lane)


def _paint_gutter(
    painter: QPainter, frame: RulerFrame, lane: Lane, name: str, total: str
) -> None:
    """Write a bar's name and total beside it, one above the other."""
    left, right, middle = gutter_left(frame), frame.lanes.left, (lane[0] + lane[1]) / 2
    name_box, total_box = (
        lane_box(left, right, (lane[0], middle)),
        lane_box(left, right, (middle, lane[1])),
    )
    paint_label(painter, frame.font, frame.theme.text2, name_box, tr(name))
    paint_label(painter, frame.bold, frame.theme.text, total_box, total)


def _paint_bar(
    painter: QPainter, frame: RulerFrame, bar: TokenBar, errors: bytes, lane: Lane
) -> None:
    """Paint a bar with the free space behind it; what is in no message is hatched in front of
    it."""
    lanes = frame.lanes
    painter.save()
    painter.setClipRect(frame.bars)
    theme, box = frame.theme, lane_box(lanes.left, frame.right, lane)
    painter.fillRect(box, theme.free)
    codes = pixel_columns(bar, frame.view, KIND_WEIGHTS)
    _paint_codes(
        painter, box, codes, dict(enumerate(theme.kind)) | {GAP: theme.surface}
    )
    for x, end in code_spans(
        codes, SYSTEM
    ):  # rare, and distinguished from AI by its hatching
        _paint_hatching(
            painter,
            QRectF(box.left() + x, box.top(), end - x, box.height()),
            theme.surface,
        )
    for start, end_x in error_marks(bar.sums, errors, frame.view):
        flag = QRectF(
            round(box.left() + start),
            box.top(),
            round(end_x - start),
            round(5 * frame.lanes.unit),
        )
        painter.fillRect(flag, theme.error)
    _paint_numbers(painter, frame, bar, box)
    if bar.sums[0]:
        system = lane_box(round(frame.x(0)), round(frame.x(bar.sums[0])), lane)
        painter.fillRect(system, theme.surface)
        _paint_hatching(painter, system, theme.text2)
    left, right = frame.x(0), frame.x(bar.sums[-1])
    if right > left:
        painter.setPen(QPen(theme.control_border, frame.line_width))
        width = max(1, round(right - left))
        painter.drawRect(
            QRectF(round(left) - 0.5, box.top() + 0.5, width, box.height() - 1)
        )
    painter.restore()


def _paint_codes(
    painter: QPainter, box: QRectF, codes: bytes, colours: dict[int, QColor]
) -> None:
    """Paint one row of codes over the whole height of a box; codes without a colour stay clear."""
    image = QImage(codes, len(codes), 1, len(codes), QImage.Format.Format_Indexed8)
    image.setColorTable(
        [colours[code].rgba() if code in colours else 0 for code in range(256)]
    )
    painter.drawImage(box, image)


def _paint_hatching(painter: QPainter, box: QRectF, colour: QColor) -> None:
    painter.fillRect(box, QBrush(colour, Qt.BrushStyle.BDiagPattern))


def _paint_numbers(
    painter: QPainter, frame: RulerFrame, bar: TokenBar, box: QRectF
) -> None:
    """Print the number of each message wider than a third of the view."""
    step, width = frame.view.width / 3, frame.view.width
    found = {
        message_at(bar.sums, frame.view.tokens(min(place * step, width - 1)))
        for place in range(4)
    }
    for index in sorted(found - {-1}):
        left, right = frame.view.x(bar.sums[index]), frame.view.x(bar.sums[index + 1])
        if right - left > step:
            is_bright = frame.theme.kind[bar.codes[index]].lightnessF() > 0.5
            ink = QColor(Qt.GlobalColor.black if is_bright else Qt.GlobalColor.white)
            number_box = box.adjusted(max(left, 0.0) + 8, 0, 0, 0)
            paint_label(
                painter,
                frame.bold,
                ink,
                number_box,
                number_format.message_number(index),
            )


def paint_pairs(painter: QPainter, frame: RulerFrame) -> None:
    """Paint a bracket from each call to its last result, a tick where they are close."""
    painter.setPen(QPen(frame.theme.control_border, 1))
    painter.save()
    painter.setClipRect(frame.bars)
    for left, right in pair_spans(
        frame.content.pairs, frame.content.before.sums, frame.view
    ):
        paint_bracket(painter, frame, left, right)
    painter.restore()


def paint_bracket(
    painter: QPainter, frame: RulerFrame, left: float, right: float
) -> None:
    """Paint the bracket of a pair with the painter's pen, between two pixels of the view."""
    top, bottom = frame.lanes.pairs
    start, end = crisp_x(frame.lanes.left + left), crisp_x(frame.lanes.left + right)
    if right - left < MIN_BRACKET_WIDTH:
        painter.drawLine(vertical_line(start, (top, bottom)))
    else:
        corners = ((start, top), (start, bottom - 0.5), (end, bottom - 0.5), (end, top))
        painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in corners]))


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
    top, bottom = frame.lanes.strip
    box = lane_box(frame.lanes.left, frame.right, (top, bottom))
    _paint_codes(painter, box, codes, fills)
    _paint_codes(
        painter, QRectF(box.left(), top, box.width(), (bottom - top) / 2), codes, edited
    )
    for x, end in code_spans(codes, DROPPED):
        _paint_hatching(
            painter,
            QRectF(box.left() + x, top, end - x, bottom - top),
            frame.theme.surface,
        )
    painter.restore()


def paint_runs(painter: QPainter, frame: RulerFrame) -> None:
    """Paint straight trapezoids from the before bar to the after bar, one per run of equal fate."""
    painter.save()
    painter.setClipRect(frame.bars)
    (top, bottom), left = frame.lanes.runs, frame.lanes.left
    for shape in run_shapes(frame.content.run_lane, frame.view):
        colour = frame.theme.fate_fill[shape.fate]
        fill, edge = (0.10, 0.45) if shape.fate == KEPT else (0.19, 0.65)
        edge *= _edge_opacity(shape, bottom - top)
        places = (
            (shape.upper[0], top),
            (shape.upper[1], top),
            (shape.lower[1], bottom),
            (shape.lower[0], bottom),
        )
        corners = [QPointF(left + x, y) for x, y in places]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(with_opacity(colour, fill))
        painter.setRenderHint(
            QPainter.RenderHint.Antialiasing, False
        )  # flat ones take a hundred times longer
        painter.drawPolygon(QPolygonF(corners))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(with_opacity(colour, edge), frame.line_width))
        painter.drawPolyline(QPolygonF([corners[3], corners[0]]))
        painter.drawPolyline(
            QPolygonF(corners[:3] if shape.fate == KEPT else corners[1:3])
        )
    painter.restore()


def _edge_opacity(shape: RunShape, height: float) -> float:
    """Return an opacity from 1 down to 0.15: edges close together would merge into a solid area."""
    width = min(shape.upper[1] - shape.upper[0], shape.lower[1] - shape.lower[0])
    distance = width * height / hypot(shape.lower[0] - shape.upper[0], height)
    return max(0.15, min(1.0, distance / MIN_EDGE_GAP))
