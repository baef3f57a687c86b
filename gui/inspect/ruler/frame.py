"""The context for painting the ruler: lanes, prepared content, view, theme and fonts."""

from __future__ import annotations

from collections.abc import Generator, Hashable
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QPainter, QPixmap

from core.presentation.loading_screen import expected_tokens, partial_screen
from core.presentation.model import MessageRows, Screen
from core.presentation.ruler import wording as ruler_text
from core.presentation.ruler.fold_lane import FoldLane, fold_lane
from core.presentation.ruler.geometry import (
    RulerRange,
    TokenSums,
    prefix_sums,
    prefix_sums_in_steps,
    token_sums,
    token_sums_in_steps,
)
from gui.language import tr
from gui.widgets.theme import BODY, SMALL, Theme, resized_font, tabular_font

LEGEND_MIN_WIDTH = 1400
"""Least width in pixels with a legend (ui.md section 6)."""


_SHOWN_FIELDS = ("before", "fates", "after", "runs", "bands", "handles", "valid", "marks")
"""The parts of a screen that the ruler shows."""


LABEL_GAP = 6  # pixels between a line and its label
SAVING_GAP = 10  # pixels between a line or bar and the saving


@dataclass(frozen=True, slots=True)
class RulerLanes:
    """The lanes' positions in pixels; ``unit`` is the font's height as a share of 13 pixels."""

    unit: float
    legend_shown: bool

    def y(self, value: float) -> float:
        """Return a height of ui.md section 6, scaled with the font."""
        return float(round(value * self.unit))

    @property
    def left(self) -> float:
        """Width of the gutter with names and totals."""
        return self.y(76)

    @property
    def right(self) -> float:
        """Margin at the right end."""
        return self.y(16)

    @property
    def height(self) -> int:
        return int(self.y(152 if self.legend_shown else 134))

    @property
    def overview(self) -> tuple[float, float]:
        """Top and bottom of the overview, shown while zoomed."""
        return (self.y(139), self.y(145)) if self.legend_shown else (self.height - 6.0, float(self.height))


@dataclass(frozen=True, slots=True)
class RulerContent:
    """A screen with its prefix sums. ``cached_pictures`` is its last picture, and what that depends on."""

    screen: Screen
    before: TokenSums
    strip: TokenSums
    after: TokenSums
    fold_lane: FoldLane
    total: int
    accessible_text: str = ""  # the screen in sentences
    cached_pictures: list[tuple[Hashable, QPixmap]] = field(default_factory=list, compare=False)

    def matches_screen(self, screen: Screen) -> bool:
        """True if another screen looks the same here."""
        return all(getattr(self.screen, name) == getattr(screen, name) for name in _SHOWN_FIELDS)


def prepared_content(screen: Screen, previous: RulerContent | None) -> Generator[None, None, RulerContent]:
    """Prepare a screen, in steps; parts equal to those of ``previous`` are reused."""
    rows, after = screen.before, screen.after
    if (
        previous
        and previous.screen.before.tokens == rows.tokens
        and previous.screen.before.kinds == rows.kinds
    ):
        before = previous.before
    else:
        sums = yield from prefix_sums_in_steps(rows.tokens)
        before = yield from token_sums_in_steps(sums, rows.tokens, rows.kinds)
    yield
    if previous and before is previous.before and previous.screen.fates == screen.fates:
        strip = previous.strip
    else:
        strip = yield from token_sums_in_steps(before.sums, rows.tokens, screen.fates)
    yield
    sums = yield from prefix_sums_in_steps(after.tokens)
    result = yield from token_sums_in_steps(sums, after.tokens, after.kinds)
    total = max(max(before.sums[-1], result.sums[-1]) + screen.marks.hidden, screen.marks.limit or 0)
    accessible_text = tr(ruler_text.spoken_ruler(screen))
    return RulerContent(
        screen, before, strip, result, fold_lane(screen.runs, strip, result.sums), total, accessible_text
    )


def growing_content(rows: MessageRows) -> Generator[None, None, RulerContent]:
    """Prepare rows of a transcript that is being counted, in steps."""
    screen = partial_screen(rows)
    sums = yield from prefix_sums_in_steps(rows.tokens)
    before = yield from token_sums_in_steps(sums, rows.tokens, rows.kinds)
    strip, no_rows = replace(before, codes=screen.fates), token_sums(prefix_sums(()), (), b"")
    return RulerContent(
        screen, before, strip, no_rows, fold_lane((), strip, no_rows.sums), expected_tokens(rows, sums[-1])
    )


@dataclass(frozen=True, slots=True)
class RulerFrame:
    theme: Theme
    lanes: RulerLanes
    view: RulerRange
    content: RulerContent
    font: QFont
    bold: QFont
    total_font: QFont
    width: float

    @property
    def right(self) -> float:
        """Right end of the bars, in pixels of the widget."""
        return self.lanes.left + self.view.width

    def x(self, tokens: float) -> float:
        """Return the widget's pixel of a position in tokens."""
        return self.lanes.left + self.view.x(tokens)

    def box(self, x0: float, x1: float, top: float, bottom: float) -> QRectF:
        """Return a rectangle from two pixels and two heights of ui.md section 6."""
        y0, y1 = self.lanes.y(top), self.lanes.y(bottom)
        return QRectF(x0, y0, x1 - x0, y1 - y0)

    @property
    def bars(self) -> QRectF:
        """The part of the widget that scrolls when zoomed."""
        return QRectF(self.lanes.left, 0, self.view.width, self.lanes.height)

    @property
    def line_width(self) -> float:
        return 2.0 if self.theme.high_contrast else 1.0


def ruler_frame(
    theme: Theme, lanes: RulerLanes, view: RulerRange, content: RulerContent, font: QFont, width: float
) -> RulerFrame:
    small_font, bold = resized_font(font, SMALL), resized_font(font, SMALL, bold=True)
    total = resized_font(font, 12, bold=True)
    return RulerFrame(
        theme, lanes, view, content, tabular_font(small_font), tabular_font(bold), tabular_font(total), width
    )


def font_scale(font: QFont) -> float:
    """Return the font's height as a share of the 13 pixels that the lanes were designed for."""
    return QFontInfo(font).pixelSize() / BODY


def text_width(font: QFont, text: str) -> float:
    """Return the pixels of a text in one line."""
    return QFontMetricsF(font).horizontalAdvance(text)


def fitting_label(font: QFont, labels: tuple[str, ...], available: float) -> str:
    """Return the first (longest) of the labels that fits into ``available`` pixels; "" if none does."""
    return next((label for label in labels if text_width(font, label) <= available), "")


def paint_text(
    painter: QPainter, font: QFont, colour: QColor, box: QRectF, text: str, *, right: bool = False
) -> None:
    """Write one line, vertically centred in ``box``, at its left or right side."""
    painter.setFont(font)
    painter.setPen(colour)
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip, text)


def faded_colour(colour: QColor, alpha: float) -> QColor:
    """Return the colour at ``alpha`` from 0 to 1."""
    result = QColor(colour)
    result.setAlphaF(alpha)
    return result


def crisp_x(x: float) -> float:
    """Return the middle of the pixel at ``x``, where a thin line is sharp."""
    return float(round(x)) + 0.5


def vertical_line(x: float, top: float, bottom: float) -> QLineF:
    return QLineF(x, top, x, bottom)


def first_clear_x(frame: RulerFrame, left: float, width: float) -> float:
    """Return the first place from ``left`` on where no line crosses a text of that width, in pixels."""
    marks = frame.content.screen.marks
    line_xs = [frame.x(tokens) for tokens in (marks.target, marks.trigger, marks.limit) if tokens is not None]
    for line in sorted(line_xs):
        if left - LABEL_GAP < line < left + width + LABEL_GAP:
            left = line + SAVING_GAP
    return left
