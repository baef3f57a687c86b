"""Paints the rows of the message list: one message, or a message beside its result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.common import number_format
from core.presentation.lists.aligned_rows import PUT_BACK
from core.presentation.lists.row_plan import RowKind, origin_text, token_figure
from core.presentation.lists.row_texts import (
    HalfWords,
    LineDifference,
    left_words,
    line_difference,
    right_words,
)
from core.presentation.lists.side_rows import ListContent
from core.presentation.model import (
    DROPPED,
    EDITED,
    FATES,
    INSERTED_CODE,
    KEPT,
    PRUNED,
    SUMMARISED,
    RecordedRow,
)
from gui.inspect.lists.row_parts import (
    GLYPH_CENTRE,
    TAG_PAD,
    TINTED,
    RowParts,
    column_layout,
    glyph_slots,
    list_fonts,
    paint_gutter_glyph,
    paint_right_text,
    paint_text,
)
from gui.inspect.lists.table_model import AFTER, MessageListModel
from gui.language import tr
from gui.widgets.events import Index
from gui.widgets.icons import FATE_GLYPHS
from gui.widgets.theme import current_theme, with_opacity

SEE_BEFORE, UNDO, TOGGLE_SUMMARY = "before", "undo", "summary"
"""Links of a recorded compaction."""
_SEPARATOR_PAD, _MIN_DETAIL_WIDTH, _LEAST_TITLE = 10, 60, 330  # at body size 13
_GRIP, _DRAGGED_OPACITY = "⠿", 0.16


def paint_separator(
    parts: RowParts, painter: QPainter, rect: QRect, model: MessageListModel, row: int
) -> None:
    """Paint a row that is no message."""
    kind, index = model.plan.kinds[row], model.plan.left[row]
    content, theme, fonts = model.main, parts.theme, parts.fonts
    painter.fillRect(rect, theme.surface if kind == RowKind.SUMMARY else theme.surface2)
    if kind in (RowKind.COLLAPSED, RowKind.EXPANDED):
        _paint_collapsed(
            parts, painter, rect, model, index, is_open=kind == RowKind.EXPANDED
        )
    elif kind == RowKind.SYSTEM:
        _paint_system(parts, painter, rect, content)
    elif kind == RowKind.CUT:
        _paint_cut(parts, painter, rect, model, row)
    elif kind == RowKind.COMPACTED:
        text, face = content.cuts[index].text, fonts.small_bold
        # The dashes go first where the words do not fit.
        if face.metrics.horizontalAdvance(text) > rect.width() - 2 * fonts.px(
            _SEPARATOR_PAD
        ):
            text = text.strip("— ")
        left = max(
            fonts.px(_SEPARATOR_PAD),
            (rect.width() - face.metrics.horizontalAdvance(text)) / 2,
        )
        parts.paint_to_edge(
            painter, rect, face, text, theme.fate_text[SUMMARISED], rect.x() + left
        )
    else:
        if kind == RowKind.RECORDED:  # the view paints the summary over all of its rows
            painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, theme.hairline)
            _paint_recorded(
                parts, painter, rect, content.recorded[index], model.is_open(row)
            )


def _paint_system(
    parts: RowParts, painter: QPainter, rect: QRect, content: ListContent
) -> None:
    """Paint the tokens of the request that are in no message, as a row without a number."""
    fonts, columns, ink = parts.fonts, parts.columns, parts.theme.text2
    painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, parts.theme.hairline)
    paint_right_text(
        painter,
        rect,
        fonts.figure,
        number_format.UNKNOWN,
        ink,
        rect.x() + columns.number,
    )
    parts.paint_tokens(painter, rect, content.hidden, rect.x() + columns.tokens)
    text = tr(content.hidden_name)
    parts.paint_to_edge(
        painter, rect, fonts.small, text, ink, rect.x() + columns.message
    )


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
    # Qt takes the pattern in units of the pen's width.
    pen.setDashPattern((3, 2))
    painter.setPen(pen)
    for y in (rect.top(), rect.bottom()):
        painter.drawLine(rect.left(), y, rect.right(), y)
    chevron = "chevron-down" if is_open else "chevron"
    paint_gutter_glyph(painter, rect, fonts, chevron, theme.text2, GLYPH_CENTRE)
    paint_gutter_glyph(
        painter, rect, fonts, FATE_GLYPHS[run.fate], theme.fate_text[run.fate], 33
    )
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
    middle = rect.center().y()
    px = parts.fonts.px
    ink = theme.accent_text if is_dragged else theme.text
    if is_dragged:
        painter.fillRect(rect, with_opacity(theme.accent_text, _DRAGGED_OPACITY))
    painter.fillRect(rect.x(), middle, px(15), 2, ink)
    left: float = rect.x() + px(22)
    if model.can_drag(row):
        grip = ink if is_dragged else theme.text2
        left = parts.paint_to_edge(
            painter, rect, parts.fonts.small, _GRIP, grip, left
        ) + px(6)
    text, detail = model.cut_words(cut)
    right = parts.paint_to_edge(
        painter, rect, parts.fonts.small_bold, tr(text), ink, left
    )
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
    fonts = parts.fonts
    summary = tr("Hide its summary") if is_open else tr("Show its summary")
    shown: list[tuple[str, str, str]] = []
    if row.scope:
        shown.append((tr("See it as it was before"), tr("As before"), SEE_BEFORE))
        shown.append((tr("Undo this compaction…"), tr("Undo…"), UNDO))
    if is_open is not None:
        shown.append((summary, tr("Summary"), TOGGLE_SUMMARY))
    advance = fonts.small.metrics.horizontalAdvance
    gap = fonts.px(14)
    end = rect.right() - fonts.px(_SEPARATOR_PAD)
    width = sum(advance(text[0]) + gap for text in shown)
    # Short words are used for all links or for none, so that rows look alike.
    form = 0 if width + fonts.px(_LEAST_TITLE) <= rect.width() else 1
    links: list[PaintedLink] = []
    # From the right edge, as the links end there.
    for text in reversed(shown):
        left = end - ceil(advance(text[form]))
        links.insert(0, PaintedLink(text[form], left, end, text[2]))
        end = left - gap
    return tuple(links)


def _paint_recorded(
    parts: RowParts,
    painter: QPainter,
    rect: QRect,
    row: RecordedRow,
    is_open: bool | None,
) -> None:
    """Paint a compaction that the agent made; with a lock if its summary cannot be read."""
    links = recorded_links(parts, rect, row, is_open)
    for link in links:
        parts.paint_link(painter, rect, link.text, link.left)
    if links:
        end = links[0].left - parts.fonts.px(_SEPARATOR_PAD)
    else:
        end = rect.right()
    theme = parts.theme
    fonts = parts.fonts
    rect = QRect(rect.topLeft(), QSize(end - rect.x(), rect.height()))
    colour = {"error": theme.error, "opaque": theme.text2}.get(
        row.tone, theme.fate_text[SUMMARISED]
    )
    if row.is_hidden or is_open is not None:
        glyph = "chevron-down" if is_open else "chevron"
        if row.is_hidden:
            glyph = "lock"
        paint_gutter_glyph(painter, rect, fonts, glyph, colour, GLYPH_CENTRE)
    left = rect.x() + fonts.px(26)
    start = parts.paint_to_edge(
        painter, rect, fonts.small_bold, row.text, colour, left
    ) + fonts.px(9)
    width = min(
        fonts.px(_MIN_DETAIL_WIDTH), fonts.small.metrics.horizontalAdvance(row.detail)
    )
    if start + width <= rect.right() - fonts.px(
        _SEPARATOR_PAD
    ):  # otherwise there is no space for a word
        detail_colour = colour if row.tone == "error" else theme.text2
        parts.paint_to_edge(
            painter, rect, fonts.small, row.detail, detail_colour, start
        )


OUTDATED_OPACITY = 0.6
"""Opacity of values that are about to be replaced."""
_INITIAL_WIDTH = 480  # assumed width of a list until it is shown
_SOURCE_BAR_WIDTH, _SOURCE_OPACITY = (
    3,
    0.16,
)  # pixels of the bar at a source row, opacity over the row
_HIGHLIGHT_OPACITY = 0.07  # opacity of the text colour over highlighted rows
_PAD, _EDGE = 8, 3  # at body size 13


_difference = lru_cache(maxsize=512)(line_difference)  # of the rows in sight


class MessageRowPainter(RowParts):
    """Paints the rows of a model; ``highlighted`` are messages [start, end) of a side."""

    def __init__(self, model: MessageListModel, font: QFont) -> None:
        super().__init__(font)
        self._model = model
        self.current_row = self.current_cell = -1  # the result whose cell is selected
        self.is_right_selected = False
        self.focused = False
        self.sources: frozenset[int] = frozenset()
        self.highlighted: tuple[str, int, int] = ("before", 0, 0)
        self.is_outdated = False
        self.lay_out_columns(_INITIAL_WIDTH)

    def set_font(self, font: QFont) -> None:
        self.fonts = list_fonts(font)
        self.lay_out_columns(self.columns.width)

    def lay_out_columns(self, width: int) -> None:
        """Lay out the columns for a list of ``width`` pixels."""
        self.theme = current_theme()
        self.columns = column_layout(
            self.fonts,
            width,
            number=str(max(len(self._model.main.rows), 1)),
            tokens=token_figure(self._model.max_tokens),
            # In high contrast colours say nothing, so the fate is written as a word.
            gutter_word=tr(FATES[SUMMARISED]) if self.theme.high_contrast else "",
            flags=glyph_slots(self.flags.values()),
            is_stacked=self._model.state.is_stacked,
        )

    def paint_row(self, painter: QPainter, rect: QRect, row: int) -> None:
        self.theme = current_theme()
        plan = self._model.plan
        kind = plan.kinds[row]
        # A row must not leave its clip or opacity to the next one.
        painter.save()
        painter.setClipRect(rect)
        if kind == RowKind.MESSAGE:
            side, message = (
                ("before", plan.left[row])
                if plan.left[row] >= 0
                else (AFTER, plan.right[row])
            )
            self._paint_whole(
                painter, rect, side, message, is_current=row == self.current_row
            )
        elif kind in (RowKind.SPLIT, RowKind.CELL):
            self._paint_halves(painter, rect, row)
        else:
            paint_separator(
                self,
                painter,
                self.rect_of(row).translated(rect.topLeft()),
                self._model,
                row,
            )
        self._paint_marks(painter, rect, row)
        painter.restore()

    def _left(self, rect: QRect) -> QRect:
        return QRect(rect.x(), rect.y(), self.columns.split, rect.height())

    def _right(self, rect: QRect) -> QRect:
        return rect.adjusted(self.columns.split, 0, 0, 0)

    def rect_of(self, row: int) -> QRect:
        """Return the part of a row that is not a cell's, from the left of the list and the top of
        the row."""
        in_cell = self._model.plan.block_at(row) is not None
        if in_cell:
            width = self.columns.split
        else:
            width = self.columns.width
        return QRect(0, 0, width, self.fonts.row_pixels)

    def frame_of(self, rect: QRect, row: int) -> QRect:
        """Return the part of a row that is selected: beside a cell and below one, a half."""
        if self._model.state.is_stacked or not self.are_apart(row):
            return rect
        if self.is_right_selected:
            return self._right(rect)
        return self._left(rect)

    def are_apart(self, row: int) -> bool:
        """Return whether the halves of a row are two messages of which neither became the other."""
        plan = self._model.plan
        if plan.block_at(row) is not None:
            return True
        left, right = plan.left[row], plan.right[row]
        if plan.kinds[row] != RowKind.SPLIT or left < 0 or right < 0:
            return False
        return (
            self._model.aligned.results[left] != right
            and self._model.after.source(right) != left
        )

    def _paint_marks(self, painter: QPainter, rect: QRect, row: int) -> None:
        """Paint highlight, bar of a source, and the frame of the current row."""
        painter.setOpacity(1)
        accent = self.theme.accent_text
        bar = QRect(rect.topLeft(), QSize(_SOURCE_BAR_WIDTH, rect.height()))
        side, start, end = self.highlighted
        if start < end and self._overlaps(row, side, start, end):
            painter.fillRect(rect, with_opacity(self.theme.text, _HIGHLIGHT_OPACITY))
        if any(self._overlaps(row, "before", one, one + 1) for one in self.sources):
            painter.fillRect(bar, accent)
            painter.fillRect(
                self.frame_of(rect, row), with_opacity(accent, _SOURCE_OPACITY)
            )
        move = self._model.move
        if move is not None:
            first, after = sorted((move.origin, move.boundary))
            if self._overlaps(row, "before", first, after):
                painter.fillRect(bar, accent)
        if self._has_frame(row):
            self._paint_frame(painter, self.frame_of(rect, row))

    def _overlaps(self, row: int, side: str, start: int, end: int) -> bool:
        """Return whether a row stands for one of the messages [start, end) of a side."""
        first, after = self._messages_of(row, side)
        return first < end and start < after

    def _has_frame(self, row: int) -> bool:
        """Return whether a row is the current one and shows it: no empty one, none that is
        dragged."""
        # The frame is around the cell then, which the view paints.
        if row != self.current_row or self.current_cell >= 0:
            return False
        plan = self._model.plan
        is_empty = plan.kinds[row] == RowKind.CELL and plan.left[row] < 0
        is_dragged = plan.kinds[row] == RowKind.CUT and self._model.move is not None
        return not is_empty and not is_dragged

    def _paint_frame(self, painter: QPainter, frame: QRect) -> None:
        width = 2 if self.focused else 1
        painter.setPen(QPen(self.theme.accent_text, width, j=Qt.PenJoinStyle.MiterJoin))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # Half of the width lies outside of the rectangle, where the next row would cut it off.
        painter.drawRect(
            QRectF(frame).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        )

    def _messages_of(self, row: int, side: str) -> tuple[int, int]:
        """Return the messages [start, end) of a row on a side."""
        plan = self._model.plan
        if plan.kinds[row] in (RowKind.COLLAPSED, RowKind.EXPANDED):
            run = plan.collapsed[plan.left[row]]
            if side == self._model.main.side:
                return (run.start, run.end)
            return (0, 0)
        if plan.kinds[row] not in (RowKind.MESSAGE, RowKind.SPLIT, RowKind.CELL):
            return 0, 0
        if side == "before":
            message = plan.left[row]
        else:
            message = plan.right[row]
        if message >= 0:
            return (message, message + 1)
        return (0, 0)

    # Whole rows

    def _paint_whole(
        self, painter: QPainter, rect: QRect, side: str, index: int, *, is_current: bool
    ) -> None:
        """Paint a message over the full width."""
        content = self._model.side(side)
        fate = content.fate(index)
        self.paint_ground(painter, rect, fate, is_current=is_current)
        if self.is_outdated and fate != KEPT:
            painter.setOpacity(OUTDATED_OPACITY)
        if (
            side == AFTER
            and fate == INSERTED_CODE
            and (content.screen.provisional or content.stale)
        ):
            self.paint_hatch(painter, self.gutter(rect), self.theme.warn)
        self.paint_message(painter, rect, content, index, fate=fate)
        tag = self._tag(side, index)
        if tag and side != AFTER:
            paint_gutter_glyph(
                painter, rect, self.fonts, "undo", self.theme.text2, GLYPH_CENTRE
            )
        end: float = rect.x() + self.columns.message_end
        if tag:
            width = self.fonts.small.metrics.horizontalAdvance(tag) + self.fonts.px(
                2 * TAG_PAD + 6
            )
        else:
            width = 0
        span = (rect.x() + self.columns.message, end - width)
        if side != AFTER and fate == EDITED:
            result = self._model.aligned.results[index]
        else:
            result = -1
        if result >= 0 and self._model.state.is_stacked and self._model.is_split:
            self._paint_old(painter, rect, index, result, span)
            return
        right = self.paint_line(
            painter, rect, content, index, span, struck=fate in (PRUNED, DROPPED)
        )
        if tag:
            self.paint_tag(
                painter, rect, tag, right + self.fonts.px(6), self.theme.text2
            )

    def _tag(self, side: str, index: int) -> str:
        """Return what a message of the result was: "88 messages", "was #127"; of the source, if put
        back."""
        if side != AFTER:
            if index in self._model.aligned.put_back:
                return tr(PUT_BACK)
            return ""
        cell = self._model.aligned.cells.get(index)
        if cell is not None:
            return cell.subject
        was = origin_text(self._model.after.source(index), index)
        if was:
            return f"{tr('was')} {was}"
        return ""

    # Halves

    def _paint_halves(self, painter: QPainter, rect: QRect, row: int) -> None:
        plan, before = self._model.plan, self._model.before
        source, result = plan.left[row], plan.right[row]
        left = self._left(rect)
        is_current = row == self.current_row
        in_cell = self.are_apart(row) or (
            row > 0 and plan.kinds[row - 1] == RowKind.CELL
        )
        if source >= 0:
            fate = before.fate(source)
            self.paint_ground(painter, left, fate, is_current=is_current)
            self.paint_message(painter, left, before, source, fate=fate)
            if in_cell or result < 0 or fate != EDITED:
                span = (
                    left.x() + self.columns.message,
                    left.right() - self.fonts.px(_PAD),
                )
                self.paint_line(
                    painter,
                    left,
                    before,
                    source,
                    span,
                    struck=fate in (PRUNED, DROPPED),
                )
        elif plan.kinds[row] == RowKind.CELL or self._model.state.is_stacked or in_cell:
            painter.fillRect(left, self.theme.surface)
        else:
            self.paint_hatch(painter, left, self.theme.text3)
            self._paint_words(
                painter,
                left,
                left_words(plan, row, self._model.after.origins),
                self.columns.message,
            )
        if plan.kinds[row] == RowKind.CELL:
            return  # the view paints the cell over all of its rows
        if self.is_outdated:
            painter.setOpacity(OUTDATED_OPACITY)
        if result >= 0:
            self._paint_result(painter, rect, row)
        else:
            self._paint_reason(painter, self._right(rect), row)

    def half_words(self, row: int) -> tuple[HalfWords, bool] | None:
        """Return the words of a row that has no message at one side, and whether they are at the
        right."""
        plan = self._model.plan
        if plan.kinds[row] != RowKind.SPLIT:
            return None
        if plan.left[row] < 0:
            return left_words(plan, row, self._model.after.origins), False
        if plan.right[row] >= 0:
            return None
        model = self._model
        return right_words(
            plan, row, model.before.fates, model.aligned, model.after.origins
        ), True

    def _paint_reason(self, painter: QPainter, right: QRect, row: int) -> None:
        words = self.half_words(row)
        fate = self._model.before.fate(self._model.plan.left[row])
        self.paint_hatch(painter, right, self.theme.text3)
        painter.fillRect(
            right.x(),
            right.y(),
            self.fonts.px(_EDGE),
            right.height(),
            self.theme.fate_fill[fate],
        )
        if words is not None:
            self._paint_words(
                painter, right, words[0], self.columns.after - self.columns.split
            )

    def _paint_words(
        self, painter: QPainter, rect: QRect, words: HalfWords, inset: int
    ) -> None:
        face, theme, px = self.fonts.small, self.theme, self.fonts.px
        left = rect.x() + inset
        end = rect.right() - px(_PAD)
        width = min(face.metrics.horizontalAdvance(words.text), end - left)
        # The words stand on a hatch, so they need a ground of their own.
        ground = QRect(
            round(left) - px(4),
            rect.y() + px(2),
            round(width) + px(8),
            rect.height() - px(4),
        )
        painter.fillRect(ground, theme.surface)
        place = float(left)
        for text, colour in (
            (words.text[: words.start], theme.text2),
            (
                words.text[words.start : words.end],
                theme.accent_text if words.index >= 0 else theme.text2,
            ),
            (words.text[words.end :], theme.text2),
        ):
            start = place
            place = paint_text(painter, rect, face, text, colour, (place, end))
            if colour == theme.accent_text:
                painter.fillRect(
                    round(start),
                    rect.y() + self.underline,
                    round(place - start),
                    1,
                    colour,
                )

    def _paint_result(self, painter: QPainter, rect: QRect, row: int) -> None:
        """Paint the message of the result in the right half."""
        model, columns, plan = self._model, self.columns, self._model.plan
        source = plan.left[row]
        result = plan.right[row]
        right = self._right(rect)
        before, after = model.before, model.after
        is_beside = source >= 0 and not self.are_apart(row)
        fate = before.fate(source) if is_beside else after.fate(result)
        tint = self.theme.fate_tint[
            fate if fate in (*TINTED, EDITED) else INSERTED_CODE
        ]
        fill = self.theme.fate_fill[min(fate, SUMMARISED)]
        is_repaired = fate not in (*TINTED, EDITED) or fate == INSERTED_CODE
        if is_repaired and after.screen.is_repair:
            tint, fill = self.theme.repaired, self.theme.ok
        painter.fillRect(
            right, self.theme.surface if self.theme.high_contrast else tint
        )
        painter.fillRect(
            right.x(), right.y(), self.fonts.px(_EDGE), right.height(), fill
        )
        left: float = rect.x() + columns.after
        if not is_beside:
            self.paint_bar(
                painter, rect, after.rows.kinds[result], round(left) - self.fonts.px(6)
            )
            left += self.fonts.px(4)
        tokens = after.rows.tokens[result]
        # The same number twice would look like a change.
        if not is_beside or tokens != before.rows.tokens[source]:
            self.paint_tokens(painter, rect, tokens, rect.x() + columns.after_tokens)
        span = (left, float(rect.x() + columns.after_end))
        if fate != EDITED:
            self.paint_line(painter, rect, after, result, span)
            return
        if is_beside:
            old_span = (
                float(rect.x() + columns.message),
                float(right.x() - self.fonts.px(_PAD)),
            )
            self._paint_old(painter, self._left(rect), source, result, old_span)
        self._paint_new(
            painter, rect, source if is_beside else after.source(result), result, span
        )

    def _edit(self, source: int, result: int) -> tuple[str, str, LineDifference] | None:
        """Return both lines of an edited message and where they differ; None where they stand side
        by side from their beginning, without marks."""
        before, after = self._model.before, self._model.after
        if (edited := self._model.aligned.edits.get(result)) is not None:
            return *edited, _difference(*edited)._replace(start=0, is_marked=True)
        where = _difference(before.rows.text[source], after.rows.text[result])
        if (
            not where.is_marked
            or before.rows.lead[source]
            or before.rows.errors[source]
        ):
            return None
        return before.rows.text[source], after.rows.text[result], where

    def _paint_old(
        self,
        painter: QPainter,
        rect: QRect,
        source: int,
        result: int,
        span: tuple[float, float],
    ) -> float:
        """Paint the former line of an edited message; return its right edge."""
        before = self._model.before
        edit = self._edit(source, result)
        if edit is None or edit[0] == edit[1]:
            return self.paint_line(painter, rect, before, source, span)
        old, _, where = edit
        difference = where, where.old_end
        return self.paint_marked(
            painter, rect, self.face(before, source), old, difference, span, fate=PRUNED
        )

    def _paint_new(
        self,
        painter: QPainter,
        rect: QRect,
        source: int,
        result: int,
        span: tuple[float, float],
    ) -> None:
        """Paint the new line of an edited message; one that stands for it as a whole keeps its
        end."""
        after = self._model.after
        edit = self._edit(source, result)
        if edit is None:
            self.paint_line(painter, rect, after, result, span, elides_middle=True)
        elif edit[0] == edit[1]:
            words = HalfWords(tr("begins the same, differs further on"))
            self._paint_words(
                painter,
                self._right(rect),
                words,
                self.columns.after - self.columns.split,
            )
        else:
            _, new, where = edit
            difference = where, where.new_end
            self.paint_marked(
                painter,
                rect,
                self.face(after, result),
                new,
                difference,
                span,
                fate=EDITED,
            )


class MessageRowDelegate(QStyledItemDelegate):
    def __init__(self, rows: MessageRowPainter, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = rows

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._rows.columns.width, self._rows.fonts.row_pixels)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        self._rows.paint_row(painter, QRect(option.rect), index.row())


@dataclass(frozen=True, slots=True)
class RowLink:
    """A message to which a row leads."""

    side: str
    index: int


@dataclass(frozen=True, slots=True)
class RecordedLink:
    """A link of the recorded compaction in a row."""

    row: int
    action: str


def row_link(
    rows: MessageRowPainter, model: MessageListModel, row: int, x: int
) -> RowLink | RecordedLink | None:
    """Return the link of a row at ``x`` pixels from its left."""
    if model.plan.kinds[row] == RowKind.RECORDED:
        return _recorded_link(rows, model, row, x)
    if model.plan.kinds[row] != RowKind.SPLIT:
        return None
    found = rows.half_words(row)
    if found is None or found[0].index < 0:
        return None
    words, is_right = found
    advance = rows.fonts.small.metrics.horizontalAdvance
    if is_right:
        start = rows.columns.after
    else:
        start = rows.columns.message
    left = start + advance(words.text[: words.start])
    right = start + advance(words.text[: words.end])
    if left <= x <= right:
        return RowLink(words.side, words.index)
    return None


def _recorded_link(
    rows: MessageRowPainter, model: MessageListModel, row: int, x: int
) -> RecordedLink | None:
    shown = model.main.recorded[model.plan.left[row]]
    rect = rows.rect_of(row)
    links = recorded_links(rows, rect, shown, model.is_open(row))
    return next(
        (
            RecordedLink(row, link.action)
            for link in links
            if link.left <= x <= link.right
        ),
        None,
    )
