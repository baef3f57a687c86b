"""Paints gauge, bars, pair brackets, fate strip and fold lane."""

from __future__ import annotations

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
    TokenBar,
    code_spans,
    error_marks,
    message_at,
    pair_spans,
    pixel_columns,
    placed_labels,
)
from core.presentation.ruler.wording import AFTER, BEFORE, CONTEXT
from gui.inspect.ruler.frame import (
    LABEL_GAP,
    Lane,
    RulerFrame,
    crisp_x,
    lane_box,
    paint_text,
    text_width,
    vertical_line,
)
from gui.language import tr
from gui.widgets.theme import with_opacity

EDITED, DROPPED, KEPT = FATES.index("edited"), FATES.index("dropped"), FATES.index("kept")
SYSTEM = KINDS.index("system")
MIN_EDGE_GAP = 6  # edges of a fold closer than this many pixels are fainter
MIN_BRACKET_WIDTH = 6  # pixels from which a pair has a bracket rather than a tick
_JOINED_BELOW = 120  # pixels between "after" and "now" below which they share a label


def paint_gauge(painter: QPainter, frame: RulerFrame) -> None:
    """Paint the size of the next request, before and after, against the limit."""
    gauge, lanes, theme = frame.content.screen.marks.gauge, frame.lanes, frame.theme
    total = max(gauge.limit or 0, gauge.now, gauge.after)
    if not total:
        return
    scale = (frame.right - lanes.left) / total

    def x(tokens: int) -> float:
        return lanes.left + tokens * scale

    name_box = lane_box(gutter_left(frame), lanes.left, lanes.gauge)
    paint_text(painter, frame.font, theme.text2, name_box, tr(CONTEXT))
    painter.fillRect(lane_box(lanes.left, frame.right, lanes.gauge), theme.free)
    overhead = min(gauge.overhead, gauge.after)
    for start, end, colour in (
        (0, gauge.now, with_opacity(theme.text3, 0.55)),
        (overhead, gauge.after, theme.text2),
        (gauge.limit or total, gauge.now, theme.error),
    ):
        if end > start:
            right = max(x(end), x(start) + 2)
            painter.fillRect(lane_box(x(start), right, lanes.gauge), colour)
    if overhead:
        _paint_hatching(painter, lane_box(lanes.left, x(overhead), lanes.gauge), theme.text2)
    lines = (
        (gauge.target, gauge.target_label, theme.ok, False),
        (gauge.trigger, gauge.trigger_label, theme.warn, False),
        (
            gauge.limit,
            gauge.limit_label,
            theme.error if gauge.now > (gauge.limit or total) else theme.text2,
            True,
        ),
    )
    shown = [
        (x(at), text, colour, is_end) for at, text, colour, is_end in lines if at is not None and at <= total
    ]
    for place, _, colour, _ in shown:
        line = min(place, frame.right - 1)
        painter.setPen(QPen(colour, 2))
        painter.drawLine(vertical_line(line, (lanes.gauge[0] - 2, lanes.gauge[1] + 2)))
    after_tone = theme.tone(gauge.after_tone)
    sizes = [
        (x(gauge.after), gauge.after_label, after_tone, True),
        (x(gauge.now), gauge.now_label, theme.text, True),
    ]
    if abs(sizes[0][0] - sizes[1][0]) < _JOINED_BELOW * lanes.unit or not gauge.after_label:
        joined_tone = theme.text if gauge.after_tone == "ok" else after_tone
        sizes = [(x(max(gauge.now, gauge.after)), gauge.joined_label, joined_tone, True)]
    _paint_gauge_labels(painter, frame, sizes, shown)


def _paint_gauge_labels(
    painter: QPainter,
    frame: RulerFrame,
    sizes: list[tuple[float, str, QColor, bool]],
    lines: list[tuple[float, str, QColor, bool]],
) -> None:
    """Paint labels that end or are centred at their place; a line without space for it has none."""
    labels = [label for label in (*lines, *sizes) if label[1]]
    room = frame.right - frame.lanes.left
    while (
        sum(text_width(frame.bold, text) + LABEL_GAP for _, text, _, _ in labels) > room and len(labels) > 1
    ):
        labels.pop(0)  # target and trigger go before the sizes
    labels.sort(key=lambda label: label[0])
    widths = [text_width(frame.bold, text) for _, text, _, _ in labels]
    wanted = [
        (place - width / 2 if is_end else place, width)
        for (place, _, _, is_end), width in zip(labels, widths, strict=True)
    ]
    starts = placed_labels(wanted, frame.lanes.left, frame.right, LABEL_GAP)
    for left, (_, text, colour, _), width in zip(starts, labels, widths, strict=True):
        paint_text(painter, frame.bold, colour, lane_box(left, left + width, frame.lanes.gauge_labels), text)


def gutter_left(frame: RulerFrame) -> float:
    marks, available = frame.content.screen.marks, frame.lanes.left - 6
    longest = max(marks.before_total, marks.after_total, key=len)
    return max(2.0, min(14 * frame.lanes.unit, available - text_width(frame.bold, longest)))


def paint_before(painter: QPainter, frame: RulerFrame) -> None:
    """Paint the bar of the source and its pairs."""
    screen = frame.content.screen
    total = screen.marks.before_total
    _paint_bar(painter, frame, frame.content.before, screen.before.errors, frame.lanes.before, BEFORE, total)
    paint_pairs(painter, frame)


def paint_after(painter: QPainter, frame: RulerFrame) -> None:
    screen = frame.content.screen
    total = screen.marks.after_total
    _paint_bar(painter, frame, frame.content.after, screen.after.errors, frame.lanes.after, AFTER, total)


def _paint_bar(
    painter: QPainter, frame: RulerFrame, bar: TokenBar, errors: bytes, lane: Lane, name: str, total: str
) -> None:
    """Paint a bar with the free space behind it, and its name and total in the gutter."""
    lanes, left, middle = frame.lanes, gutter_left(frame), (lane[0] + lane[1]) / 2
    name_box = lane_box(left, lanes.left, (lane[0] - 1, middle))
    paint_text(painter, frame.font, frame.theme.text2, name_box, tr(name))
    total_box = lane_box(left, lanes.left, (middle, lane[1] + 1))
    paint_text(painter, frame.bold, frame.theme.text, total_box, total)
    painter.save()
    painter.setClipRect(frame.bars)
    theme, box = frame.theme, lane_box(lanes.left, frame.right, lane)
    painter.fillRect(box, theme.free)
    codes = pixel_columns(bar, frame.view, KIND_WEIGHTS)
    _paint_codes(painter, box, codes, dict(enumerate(theme.kind)) | {GAP: theme.surface})
    for x, end in code_spans(codes, SYSTEM):  # rare, and distinguished from AI by its hatching
        _paint_hatching(painter, QRectF(box.left() + x, box.top(), end - x, box.height()), theme.surface)
    for start, end_x in error_marks(bar.sums, errors, frame.view):
        flag = QRectF(round(box.left() + start), box.top(), round(end_x - start), round(5 * frame.lanes.unit))
        painter.fillRect(flag, theme.error)
    _paint_numbers(painter, frame, bar, box)
    left, right = frame.x(0), frame.x(bar.sums[-1])
    if right > left:
        painter.setPen(QPen(theme.control_border, frame.line_width))
        width = max(1, round(right - left))
        painter.drawRect(QRectF(round(left) - 0.5, box.top() + 0.5, width, box.height() - 1))
    painter.restore()


def _paint_codes(painter: QPainter, box: QRectF, codes: bytes, colours: dict[int, QColor]) -> None:
    """Paint one row of codes over the whole height of a box; codes without a colour stay clear."""
    image = QImage(codes, len(codes), 1, len(codes), QImage.Format.Format_Indexed8)
    image.setColorTable([colours[code].rgba() if code in colours else 0 for code in range(256)])
    painter.drawImage(box, image)


def _paint_hatching(painter: QPainter, box: QRectF, colour: QColor) -> None:
    painter.fillRect(box, QBrush(colour, Qt.BrushStyle.BDiagPattern))


def _paint_numbers(painter: QPainter, frame: RulerFrame, bar: TokenBar, box: QRectF) -> None:
    """Print the number of each message wider than a third of the view."""
    step, width = frame.view.width / 3, frame.view.width
    found = {message_at(bar.sums, frame.view.tokens(min(place * step, width - 1))) for place in range(4)}
    for index in sorted(found - {-1}):
        left, right = frame.view.x(bar.sums[index]), frame.view.x(bar.sums[index + 1])
        if right - left > step:
            is_bright = frame.theme.kind[bar.codes[index]].lightnessF() > 0.5
            ink = QColor(Qt.GlobalColor.black if is_bright else Qt.GlobalColor.white)
            number_box = box.adjusted(max(left, 0.0) + 8, 0, 0, 0)
            paint_text(painter, frame.bold, ink, number_box, number_format.message_number(index))


def paint_pairs(painter: QPainter, frame: RulerFrame) -> None:
    """Paint a bracket from each call to its last result, a tick where they are close."""
    painter.setPen(QPen(frame.theme.control_border, 1))
    painter.save()
    painter.setClipRect(frame.bars)
    for left, right in pair_spans(frame.content.pairs, frame.content.before.sums, frame.view):
        paint_bracket(painter, frame, left, right)
    painter.restore()


def paint_bracket(painter: QPainter, frame: RulerFrame, left: float, right: float) -> None:
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
    _paint_codes(painter, QRectF(box.left(), top, box.width(), (bottom - top) / 2), codes, edited)
    for x, end in code_spans(codes, DROPPED):
        _paint_hatching(painter, QRectF(box.left() + x, top, end - x, bottom - top), frame.theme.surface)
    painter.restore()


def paint_folds(painter: QPainter, frame: RulerFrame) -> None:
    """Paint straight trapezoids from the before bar to the after bar, one per run of equal fate."""
    painter.save()
    painter.setClipRect(frame.bars)
    (top, bottom), left = frame.lanes.folds, frame.lanes.left
    for fold in fold_shapes(frame.content.fold_lane, frame.view):
        colour = frame.theme.fate_fill[fold.fate]
        fill, edge = (0.10, 0.45) if fold.fate == KEPT else (0.19, 0.65)
        edge *= _edge_opacity(fold, bottom - top)
        places = (fold.upper[0], top), (fold.upper[1], top), (fold.lower[1], bottom), (fold.lower[0], bottom)
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
        painter.drawPolyline(QPolygonF(corners[:3] if fold.fate == KEPT else corners[1:3]))
    painter.restore()


def _edge_opacity(fold: FoldShape, height: float) -> float:
    """Return an opacity from 1 down to 0.15: edges close together would merge into a solid area."""
    width = min(fold.upper[1] - fold.upper[0], fold.lower[1] - fold.lower[0])
    distance = width * height / hypot(fold.lower[0] - fold.upper[0], height)
    return max(0.15, min(1.0, distance / MIN_EDGE_GAP))
