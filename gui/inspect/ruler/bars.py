"""Paints bars, pair brackets, fate strip and the shapes between the bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import NamedTuple, TypeAlias

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontInfo,
    QFontMetricsF,
    QImage,
    QPainter,
    QPen,
    QPolygonF,
)

from core.common import number_format
from core.presentation.lists.row_plan import expected_tokens, merged_runs
from core.presentation.model import (
    DROPPED,
    EDITED,
    KEPT,
    SYSTEM,
    MessageRows,
)
from core.presentation.ruler import wording as ruler_text
from core.presentation.ruler.geometry import (
    FATE_WEIGHTS,
    GAP,
    KIND_WEIGHTS,
    RulerBand,
    RulerRange,
    RunLane,
    RunShape,
    TokenBar,
    axis_ticks,
    code_spans,
    error_marks,
    message_at,
    pair_groups,
    pair_spans,
    pixel_columns,
    prefix_sums,
    run_shapes,
)
from core.presentation.ruler.wording import AFTER, BEFORE
from core.presentation.screen_model import Screen, partial_screen
from gui.language import tr
from gui.widgets.theme import (
    BODY,
    SMALL,
    Theme,
    resized_font,
    tabular_font,
    with_opacity,
)

# What every painter of the ruler reads: lanes, prepared content, visible range, theme and fonts.


LABEL_GAP = 10  # pixels between two labels

_MUST_LANE = 14  # height at body size 13

Lane: TypeAlias = tuple[float, float]
"""Top and bottom, in pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulerLanes:
    """The lanes from top to bottom; ``unit`` is the font's height as a share of 13 pixels."""

    unit: float
    left: float  # width of the gutter with names and totals
    right: float  # margin at the right end
    bands: Lane
    musts: Lane  # empty without texts that must survive
    before: Lane
    pairs: Lane
    strip: Lane
    runs: Lane
    after: Lane
    axis: Lane
    height: int


def ruler_lanes(font: QFont, *, has_musts: bool = False) -> RulerLanes:
    """Return the lanes, scaled with the font; that of the musts pushes the others down."""
    unit = QFontInfo(font).pixelSize() / BODY
    down = _MUST_LANE if has_musts else 0

    def lane(top: float, bottom: float) -> Lane:
        return float(round(top * unit)), float(round(bottom * unit))

    return RulerLanes(
        unit=unit,
        left=float(round(76 * unit)),
        right=float(round(16 * unit)),
        bands=lane(4, 19),
        musts=lane(20, 20 + down),
        before=lane(21 + down, 43 + down),
        pairs=lane(45 + down, 49 + down),
        strip=lane(51 + down, 55 + down),
        runs=lane(55 + down, 64 + down),
        after=lane(64 + down, 76 + down),
        axis=lane(78 + down, 92 + down),
        height=round((92 + down) * unit),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RulerContent:
    """A screen with its prefix sums, which begin behind what is in no message; ``total`` tokens
    fill the width."""

    screen: Screen
    before: TokenBar
    strip: TokenBar
    after: TokenBar
    run_lane: RunLane
    pairs: list[tuple[int, int]]
    total: int
    accessible_text: str = ""  # the screen in sentences

    def pairs_of(self, message: int) -> list[tuple[int, int]]:
        """Return the calls with their last results that are or include a message."""
        partners = (message, *self.screen.source.partners.get(message, ()))
        return [
            pair
            for pair in self.pairs
            if pair[0] in partners and pair[0] <= message <= pair[1]
        ]

    def matches_screen(self, screen: Screen) -> bool:
        """True if another screen looks the same here."""
        mine, other = (
            (one.ruler, one.source.fates, one.source.rows, one.result.rows)
            for one in (self.screen, screen)
        )
        return mine == other


def ruler_content(screen: Screen) -> RulerContent:
    start = screen.ruler.totals.hidden
    before = TokenBar(
        prefix_sums(screen.source.rows.tokens, start), screen.source.rows.kinds
    )
    strip = TokenBar(before.sums, screen.source.fates)
    after = TokenBar(
        prefix_sums(screen.result.rows.tokens, start), screen.result.rows.kinds
    )
    runs = RunLane(merged_runs(screen.ruler.runs), strip, after.sums)
    total = max(before.sums[-1], after.sums[-1])
    text = tr(ruler_text.spoken_ruler(screen))
    return RulerContent(
        screen=screen,
        before=before,
        strip=strip,
        after=after,
        run_lane=runs,
        pairs=pair_groups(screen.source.partners),
        total=total,
        accessible_text=text,
    )


def growing_content(rows: MessageRows) -> RulerContent:
    """Prepare rows of a transcript that is being counted."""
    screen = partial_screen(rows)
    before = TokenBar(prefix_sums(rows.tokens), rows.kinds)
    nothing = TokenBar((0,), b"")
    strip = TokenBar(before.sums, bytes([KEPT]) * len(rows))
    total = expected_tokens(rows, before.sums[-1])
    return RulerContent(
        screen=screen,
        before=before,
        strip=strip,
        after=nothing,
        run_lane=RunLane((), strip, (0,)),
        pairs=[],
        total=total,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RulerFrame:
    theme: Theme
    lanes: RulerLanes
    view: RulerRange
    content: RulerContent
    font: QFont
    bold: QFont
    width: float

    @property
    def right(self) -> float:
        """Right end of the bars, in pixels of the widget."""
        return self.lanes.left + self.view.width

    def x(self, tokens: float) -> float:
        """Return the widget's pixel of a position in tokens."""
        return self.lanes.left + self.view.x(tokens)

    @property
    def bars(self) -> QRectF:
        """The part of the widget that scrolls when zoomed."""
        return QRectF(self.lanes.left, 0, self.view.width, self.lanes.height)

    @property
    def line_width(self) -> float:
        return 2.0 if self.theme.high_contrast else 1.0


def ruler_frame(
    theme: Theme,
    lanes: RulerLanes,
    view: RulerRange,
    content: RulerContent,
    font: QFont,
    width: float,
) -> RulerFrame:
    small, bold = (
        tabular_font(resized_font(font, SMALL, bold=bold)) for bold in (False, True)
    )
    return RulerFrame(
        theme=theme,
        lanes=lanes,
        view=view,
        content=content,
        font=small,
        bold=bold,
        width=width,
    )


def lane_box(left: float, right: float, lane: Lane) -> QRectF:
    return QRectF(left, lane[0], right - left, lane[1] - lane[0])


def text_width(font: QFont, text: str) -> float:
    """Return the pixels of a text in one line."""
    return QFontMetricsF(font).horizontalAdvance(text)


def paint_label(
    painter: QPainter, font: QFont, colour: QColor, box: QRectF, text: str
) -> float:
    """Write one line at the left side of ``box``, vertically centred; return its right edge."""
    painter.setFont(font)
    painter.setPen(colour)
    flags = (
        Qt.AlignmentFlag.AlignLeft
        | Qt.AlignmentFlag.AlignVCenter
        | Qt.TextFlag.TextDontClip
    )
    painter.drawText(box, flags, text)
    return box.left() + text_width(font, text)


def crisp_x(x: float) -> float:
    """Return the middle of the pixel at ``x``, where a thin line is sharp."""
    return float(round(x)) + 0.5


def vertical_line(x: float, lane: Lane) -> QLineF:
    return QLineF(x, lane[0], x, lane[1])


MIN_EDGE_GAP = 6  # edges of a shape closer than this many pixels are fainter
MIN_BRACKET_WIDTH = 6  # pixels from which a pair has a bracket rather than a tick


def gutter_left(frame: RulerFrame) -> float:
    totals = frame.content.screen.ruler.totals
    available = frame.lanes.left - 6
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
    left = gutter_left(frame)
    right = frame.lanes.left
    middle = (lane[0] + lane[1]) / 2
    name_box = lane_box(left, right, (lane[0], middle))
    total_box = lane_box(left, right, (middle, lane[1]))
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
    theme = frame.theme
    box = lane_box(lanes.left, frame.right, lane)
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
    left = frame.x(0)
    right = frame.x(bar.sums[-1])
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
    step = frame.view.width / 3
    width = frame.view.width
    found = {
        message_at(bar.sums, frame.view.tokens(min(place * step, width - 1)))
        for place in range(4)
    }
    for index in sorted(found - {-1}):
        left = frame.view.x(bar.sums[index])
        right = frame.view.x(bar.sums[index + 1])
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
    start = crisp_x(frame.lanes.left + left)
    end = crisp_x(frame.lanes.left + right)
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


# Paints bands with their labels, axis, and the saving.


_HANDLE_ROOM = 9  # pixels on both sides of a cut that its handle covers


class BandLabel(NamedTuple):
    """A label of a band from ``left`` on, ``width`` pixels wide: its name and ``detail``."""

    band: RulerBand
    detail: str
    left: float
    width: float


def paint_bands(painter: QPainter, frame: RulerFrame) -> None:
    """Paint one box per visible band, tinted by its fate, and the labels over them."""
    theme, (top, bottom) = frame.theme, frame.lanes.bands
    for band, left, right in _visible_bands(frame):
        if band.fate == KEPT:
            colour = theme.control_border
        else:
            colour = theme.fate_text[band.fate]
        painter.setPen(QPen(colour, frame.line_width))
        painter.setBrush(
            theme.surface if band.fate == KEPT else theme.fate_tint[band.fate]
        )
        painter.drawRect(
            QRectF(
                crisp_x(left), top + 0.5, round(right - left) - 1.0, bottom - top - 1
            )
        )
    for label in band_labels(frame):
        fate = label.band.fate
        if fate == KEPT:
            colour = theme.text2
        else:
            colour = theme.fate_text[fate]
        box = lane_box(label.left, label.left + label.width, frame.lanes.bands)
        end = paint_label(painter, frame.bold, colour, box, label.band.name)
        behind = box.adjusted(end - box.left(), 0, 0, 0)
        paint_label(painter, frame.font, colour, behind, _behind_name(label.detail))
    _paint_system_label(painter, frame)


def _paint_system_label(painter: QPainter, frame: RulerFrame) -> None:
    """Name the hatched block above it, as long as there is room."""
    left = max(frame.x(0), frame.lanes.left)
    right = frame.x(frame.content.before.sums[0])
    for text in frame.content.screen.ruler.totals.hidden_labels[1:]:
        if text_width(frame.font, text) <= right - left - 4:
            box = lane_box(left + 2, right, frame.lanes.bands)
            paint_label(painter, frame.font, frame.theme.text2, box, text)
            return


def _visible_bands(frame: RulerFrame) -> list[tuple[RulerBand, float, float]]:
    sums, lanes = frame.content.before.sums, frame.lanes
    bands = (
        (
            band,
            max(frame.x(sums[band.start]), lanes.left),
            min(frame.x(sums[band.end]), frame.right),
        )
        for band in frame.content.screen.ruler.bands
    )
    return [(band, left, right) for band, left, right in bands if right - left >= 1]


def band_labels(frame: RulerFrame) -> list[BandLabel]:
    """Return each band's label inside it, long or short; one without room there lies over a
    neighbour, apart from the other labels and from all handles."""
    sums = frame.content.before.sums
    handles = [
        frame.x(sums[handle.index]) for handle in frame.content.screen.ruler.handles
    ]
    blocked = [(x - _HANDLE_ROOM, x + _HANDLE_ROOM) for x in handles]
    labels, others = [], []
    for band, left, right in _visible_bands(frame):
        room = right - left - 2 * _HANDLE_ROOM
        texts = ((detail, _label_width(frame, band, detail)) for detail in band.details)
        fitting = next((one for one in texts if one[1] <= room), None)
        if fitting is None:
            others.append((band, left, right))
        else:
            detail, width = fitting
            labels.append(BandLabel(band, detail, (left + right - width) / 2, width))
    for band, left, right in others:
        if (
            label := _label_beside(frame, band, (left, right), labels, blocked)
        ) is not None:
            labels.append(label)
    return labels


def _label_beside(
    frame: RulerFrame,
    band: RulerBand,
    ends: tuple[float, float],
    labels: Sequence[BandLabel],
    blocked: Sequence[tuple[float, float]],
) -> BandLabel | None:
    """Return the label of a narrow band over a neighbour, the name alone where nothing longer
    fits."""
    taken = [(one.left - LABEL_GAP, one.left + one.width + LABEL_GAP) for one in labels]
    obstacles = [*taken, *blocked]
    for detail in (band.details[-1], ""):
        width = _label_width(frame, band, detail)
        starts = (
            ends[0] + _HANDLE_ROOM,
            ends[0] - _HANDLE_ROOM - width,
            ends[1] + _HANDLE_ROOM,
            ends[1] - _HANDLE_ROOM - width,
        )
        for start in starts:
            if start < frame.lanes.left or start + width > frame.right:
                continue
            if not _keeps_order(band, start, labels):
                continue
            if all(start + width <= low or start >= high for low, high in obstacles):
                return BandLabel(band, detail, start, width)
    return None


def _keeps_order(band: RulerBand, start: float, labels: Sequence[BandLabel]) -> bool:
    """Return whether labels stand in the order of their bands; else each names another's."""
    return all((start < one.left) == (band.start < one.band.start) for one in labels)


def _label_width(frame: RulerFrame, band: RulerBand, detail: str) -> float:
    return text_width(frame.bold, band.name) + text_width(
        frame.font, _behind_name(detail)
    )


def _behind_name(detail: str) -> str:
    if detail:
        return f" · {detail}"
    return ""


def paint_axis(painter: QPainter, frame: RulerFrame) -> None:
    """Paint ticks below the bars, with the labels that fit, and the saving right of the after
    bar."""
    theme, lanes = frame.theme, frame.lanes
    top, bottom = lanes.axis
    pen = QPen(theme.control_border, frame.line_width)
    painter.setPen(pen)
    painter.drawLine(QLineF(lanes.left, top + 0.5, frame.right, top + 0.5))
    for x, tokens, is_labelled in axis_ticks(frame.view):
        tick_x = crisp_x(lanes.left + x)
        painter.setPen(pen)
        painter.drawLine(vertical_line(tick_x, (top, top + (5 if is_labelled else 3))))
        label_box = lane_box(tick_x + 4, frame.right, (top + 1, bottom))
        if is_labelled:
            text = ruler_text.axis_label(tokens)
        else:
            text = ""
        if text and text_width(frame.font, text) <= label_box.width():
            paint_label(painter, frame.font, theme.text2, label_box, text)
    _paint_saving(painter, frame)


def _paint_saving(painter: QPainter, frame: RulerFrame) -> None:
    """Write what is saved right of the after bar; in a box at the right end where there is no
    room."""
    theme = frame.theme
    lanes = frame.lanes
    text = frame.content.screen.ruler.totals.reduction
    if not text:
        return
    left = frame.x(frame.content.after.sums[-1]) + 8
    width = text_width(frame.bold, text)
    if left < lanes.left or left + width > frame.right:
        left = frame.right - width - 6
        box = QRectF(
            left - 6,
            lanes.after[0] - 1,
            width + 12,
            lanes.after[1] - lanes.after[0] + 2,
        )
        painter.setPen(QPen(theme.control_border, frame.line_width))
        painter.setBrush(theme.surface)
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
    paint_label(
        painter, frame.bold, theme.text, lane_box(left, frame.right, lanes.after), text
    )
