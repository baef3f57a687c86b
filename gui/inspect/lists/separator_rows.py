"""Paints the rows between messages: folds, cuts and compactions (ui.md section 5)."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter, QPen

from core.presentation.lists.row_plan import FoldedRun
from core.presentation.model import FATES, RecordedRow
from gui.inspect.lists.column_layout import ListFonts
from gui.inspect.lists.painting import paint_fate_glyph, paint_text
from gui.language import tr
from gui.widgets.icons import FATE_GLYPHS
from gui.widgets.theme import Theme

GLYPH_CENTRE = 11
"""Middle of a chevron or fate glyph in the gutter, at body size 13."""

_SUMMARISED = FATES.index("summarised")
_PAD, _MIN_DETAIL_WIDTH = 10, 60


def paint_folded_run(
    painter: QPainter, rect: QRect, theme: Theme, fonts: ListFonts, fold: FoldedRun, *, is_open: bool
) -> None:
    """Paint a dashed row with a chevron, the fate and what is folded."""
    pen = QPen(theme.control_border, 1)
    pen.setDashPattern((3, 2))
    painter.setPen(pen)
    for y in (rect.top(), rect.bottom()):
        painter.drawLine(rect.left(), y, rect.right(), y)
    paint_fate_glyph(
        painter, rect, fonts, "chevron-down" if is_open else "chevron", theme.text2, GLYPH_CENTRE
    )
    paint_fate_glyph(painter, rect, fonts, FATE_GLYPHS[fold.fate], theme.fate_text[fold.fate], 33)
    left, end = rect.x() + fonts.px(47), rect.right() - fonts.px(_PAD)
    paint_text(painter, rect, fonts.small, tr(fold.text), theme.text2, left, end)


def paint_cut(painter: QPainter, rect: QRect, theme: Theme, fonts: ListFonts, words: str) -> None:
    """Paint a line of 2 pixels across the list with the name of the cut."""
    middle, px = rect.center().y(), fonts.px
    painter.fillRect(rect.x(), middle, px(15), 2, theme.text)
    left, end = rect.x() + px(22), rect.right() - px(22)
    start = round(paint_text(painter, rect, fonts.small_bold, words, theme.text, left, end)) + px(8)
    painter.fillRect(start, middle, rect.right() - start + 1, 2, theme.text)


def paint_compacted(painter: QPainter, rect: QRect, theme: Theme, fonts: ListFonts, words: str) -> None:
    font, pad = fonts.small_bold, fonts.px(_PAD)
    left = rect.x() + max(pad, (rect.width() - font.metrics.horizontalAdvance(words)) / 2)
    paint_text(painter, rect, font, words, theme.fate_text[_SUMMARISED], left, rect.right() - pad)


def paint_recorded(
    painter: QPainter, rect: QRect, theme: Theme, fonts: ListFonts, item: RecordedRow, is_open: bool | None
) -> None:
    """Paint a compaction that the agent made; with a lock if its summary cannot be read."""
    painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, theme.hairline)
    colours = {"error": theme.error, "opaque": theme.text2}
    colour = colours.get(item.tone, theme.fate_text[_SUMMARISED])
    if item.is_hidden:
        paint_fate_glyph(painter, rect, fonts, "lock", colour, GLYPH_CENTRE)
    elif is_open is not None:
        paint_fate_glyph(painter, rect, fonts, "chevron-down" if is_open else "chevron", colour, GLYPH_CENTRE)
    left, end = rect.x() + fonts.px(26), rect.right() - fonts.px(_PAD)
    text_end = paint_text(painter, rect, fonts.small_bold, item.text, colour, left, end)
    detail_colour, start = colour if item.tone == "error" else theme.text2, text_end + fonts.px(9)
    min_detail_width = min(fonts.px(_MIN_DETAIL_WIDTH), fonts.small.metrics.horizontalAdvance(item.detail))
    if start + min_detail_width <= end:  # otherwise there is no space for a word
        paint_text(painter, rect, fonts.small, item.detail, detail_colour, start, end)


def paint_summary(painter: QPainter, rect: QRect, theme: Theme, fonts: ListFonts, summary: str) -> None:
    """Paint the beginning of a recorded summary; its tooltip has more."""
    words = " ".join(summary[:1000].split())
    painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, theme.hairline)
    left, end = rect.x() + fonts.px(30), rect.right() - fonts.px(_PAD)
    paint_text(painter, rect, fonts.body, words, theme.text2, left, end)
