"""Paints the rows between messages: collapsed runs, cuts, and compactions that are recorded in the
file."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter, QPen

from core.common import number_format
from core.presentation.lists.row_plan import RowKind
from core.presentation.lists.side_rows import ListContent
from core.presentation.model import RecordedRow
from gui.inspect.lists.painting import paint_gutter_glyph, paint_right_text
from gui.inspect.lists.row_parts import GLYPH_CENTRE, SUMMARISED, RowParts
from gui.inspect.lists.table_model import MessageListModel
from gui.language import tr
from gui.widgets.icons import FATE_GLYPHS
from gui.widgets.theme import with_opacity

SEE_BEFORE, UNDO, TOGGLE_SUMMARY = "before", "undo", "summary"
"""Links of a recorded compaction."""
_PAD, _MIN_DETAIL_WIDTH, _LEAST_TITLE = 10, 60, 330  # at body size 13
_GRIP, _DRAGGED_OPACITY = "⠿", 0.16


def paint_separator(
    parts: RowParts, painter: QPainter, rect: QRect, model: MessageListModel, row: int
) -> None:
    """Paint a row that is no message."""
    kind, index = model.plan.kinds[row], model.plan.left[row]
    content, theme, fonts = model.main, parts.theme, parts.fonts
    painter.fillRect(rect, theme.surface if kind == RowKind.SUMMARY else theme.surface2)
    if kind in (RowKind.COLLAPSED, RowKind.EXPANDED):
        _paint_collapsed(parts, painter, rect, model, index, is_open=kind == RowKind.EXPANDED)
    elif kind == RowKind.SYSTEM:
        _paint_system(parts, painter, rect, content)
    elif kind == RowKind.CUT:
        _paint_cut(parts, painter, rect, model, row)
    elif kind == RowKind.COMPACTED:
        text, face = content.cuts[index].text, fonts.small_bold
        if face.metrics.horizontalAdvance(text) > rect.width() - 2 * fonts.px(_PAD):
            text = text.strip("— ")
        left = max(fonts.px(_PAD), (rect.width() - face.metrics.horizontalAdvance(text)) / 2)
        parts.paint_to_edge(painter, rect, face, text, theme.fate_text[SUMMARISED], rect.x() + left)
    else:
        if kind == RowKind.RECORDED:  # the view paints the summary over all of its rows
            painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, theme.hairline)
            _paint_recorded(parts, painter, rect, content.recorded[index], model.is_open(row))


def _paint_system(parts: RowParts, painter: QPainter, rect: QRect, content: ListContent) -> None:
    """Paint the tokens of the request that are in no message, as a row without a number."""
    fonts, columns, ink = parts.fonts, parts.columns, parts.theme.text2
    painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, parts.theme.hairline)
    paint_right_text(
        painter, rect, fonts.figure, number_format.UNKNOWN, ink, rect.x() + columns.number
    )
    parts.paint_tokens(painter, rect, content.hidden, rect.x() + columns.tokens)
    text = tr(content.hidden_name)
    parts.paint_to_edge(painter, rect, fonts.small, text, ink, rect.x() + columns.message)


def _paint_collapsed(
    parts: RowParts,
    painter: QPainter,
    rect: QRect,
    model: MessageListModel,
    index: int,
    *,
    is_open: bool,
) -> None:
    theme, fonts, run = parts.theme, parts.fonts, model.plan.collapsed[index]
    pen = QPen(theme.control_border, 1)
    pen.setDashPattern((3, 2))
    painter.setPen(pen)
    for y in (rect.top(), rect.bottom()):
        painter.drawLine(rect.left(), y, rect.right(), y)
    chevron = "chevron-down" if is_open else "chevron"
    paint_gutter_glyph(painter, rect, fonts, chevron, theme.text2, GLYPH_CENTRE)
    paint_gutter_glyph(painter, rect, fonts, FATE_GLYPHS[run.fate], theme.fate_text[run.fate], 33)
    parts.paint_to_edge(
        painter, rect, fonts.small, tr(run.text), theme.text2, rect.x() + fonts.px(47)
    )


def _paint_cut(
    parts: RowParts, painter: QPainter, rect: QRect, model: MessageListModel, row: int
) -> None:
    """Paint a line of 2 pixels across the list with the name of the cut, and why it is there; of a
    dragged one in the accent colour where it is now and where it was."""
    cut, move, theme = model.main.cuts[model.plan.left[row]], model.move, parts.theme
    is_dragged = move is not None and move.name == cut.name
    middle, px, ink = (
        rect.center().y(),
        parts.fonts.px,
        theme.accent_text if is_dragged else theme.text,
    )
    if is_dragged:
        painter.fillRect(rect, with_opacity(theme.accent_text, _DRAGGED_OPACITY))
    painter.fillRect(rect.x(), middle, px(15), 2, ink)
    left: float = rect.x() + px(22)
    if model.can_drag(row):
        grip = ink if is_dragged else theme.text2
        left = parts.paint_to_edge(painter, rect, parts.fonts.small, _GRIP, grip, left) + px(6)
    text, detail = model.cut_words(cut)
    right = parts.paint_to_edge(painter, rect, parts.fonts.small_bold, tr(text), ink, left)
    if detail:
        right = parts.paint_to_edge(
            painter, rect, parts.fonts.small, tr(detail), theme.text2, right + px(8)
        )
    if cut.name and not is_dragged:
        right = parts.paint_link(painter, rect, tr("Why"), right + px(8))
    end = round(right) + px(8)
    painter.fillRect(end, middle, rect.right() - end + 1, 2, ink)


@dataclass(frozen=True, slots=True)
class PaintedLink:
    """A link in a row, between two pixels from the left of the list."""

    text: str
    left: int
    right: int
    action: str


def recorded_links(
    parts: RowParts, rect: QRect, row: RecordedRow, is_open: bool | None
) -> tuple[PaintedLink, ...]:
    """Return the links at the right of a recorded compaction: what the session was before, a file
    of that, its summary."""
    fonts, summary = parts.fonts, tr("Hide its summary") if is_open else tr("Show its summary")
    shown: list[tuple[str, str, str]] = []
    if row.scope:
        shown.append((tr("See it as it was before"), tr("As before"), SEE_BEFORE))
        shown.append((tr("Undo this compaction…"), tr("Undo…"), UNDO))
    if is_open is not None:
        shown.append((summary, tr("Summary"), TOGGLE_SUMMARY))
    advance, gap, end = (
        fonts.small.metrics.horizontalAdvance,
        fonts.px(14),
        rect.right() - fonts.px(_PAD),
    )
    width = sum(advance(text[0]) + gap for text in shown)
    form = 0 if width + fonts.px(_LEAST_TITLE) <= rect.width() else 1
    links: list[PaintedLink] = []
    for text in reversed(shown):
        left = end - ceil(advance(text[form]))
        links.insert(0, PaintedLink(text[form], left, end, text[2]))
        end = left - gap
    return tuple(links)


def _paint_recorded(
    parts: RowParts, painter: QPainter, rect: QRect, row: RecordedRow, is_open: bool | None
) -> None:
    """Paint a compaction that the agent made; with a lock if its summary cannot be read."""
    links = recorded_links(parts, rect, row, is_open)
    for link in links:
        parts.paint_link(painter, rect, link.text, link.left)
    end = links[0].left - parts.fonts.px(_PAD) if links else rect.right()
    theme, fonts, rect = (
        parts.theme,
        parts.fonts,
        QRect(rect.topLeft(), QSize(end - rect.x(), rect.height())),
    )
    colour = {"error": theme.error, "opaque": theme.text2}.get(
        row.tone, theme.fate_text[SUMMARISED]
    )
    if row.is_hidden or is_open is not None:
        glyph = "chevron-down" if is_open else "chevron"
        if row.is_hidden:
            glyph = "lock"
        paint_gutter_glyph(painter, rect, fonts, glyph, colour, GLYPH_CENTRE)
    left = rect.x() + fonts.px(26)
    start = parts.paint_to_edge(painter, rect, fonts.small_bold, row.text, colour, left) + fonts.px(
        9
    )
    width = min(fonts.px(_MIN_DETAIL_WIDTH), fonts.small.metrics.horizontalAdvance(row.detail))
    if start + width <= rect.right() - fonts.px(_PAD):  # otherwise there is no space for a word
        detail_colour = colour if row.tone == "error" else theme.text2
        parts.paint_to_edge(painter, rect, fonts.small, row.detail, detail_colour, start)
