"""What every painter of the ruler reads: lanes, prepared content, visible range, theme and
fonts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QPainter

from core.presentation.lists.row_plan import expected_tokens, merged_runs
from core.presentation.model import FATES, MessageRows
from core.presentation.ruler import bands as ruler_text
from core.presentation.ruler.geometry import (
    RulerRange,
    RunLane,
    TokenBar,
    pair_groups,
    prefix_sums,
)
from core.presentation.screen_model import Screen, partial_screen
from gui.language import tr
from gui.widgets.theme import BODY, SMALL, Theme, resized_font, tabular_font

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
    before, nothing = (
        TokenBar(prefix_sums(rows.tokens), rows.kinds),
        TokenBar((0,), b""),
    )
    strip = TokenBar(before.sums, bytes([FATES.index("kept")]) * len(rows))
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
