"""The delegate of the lists: paints whole rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.common.number_format import message_number
from core.presentation.lists.row_plan import RowFlag, RowKind
from core.presentation.lists.row_wording import (
    LARGE_MESSAGE_TOKENS,
    fate_word,
    origin_text,
    speaker_letter,
    speaker_word,
    token_figure,
)
from core.presentation.model import FATES, KINDS, RecordedRow
from gui.inspect.lists.painting import (
    FLAG_WIDTH,
    ColumnLayout,
    FontFace,
    ListFonts,
    column_layout,
    draw_text,
    list_fonts,
    paint_gutter_glyph,
    paint_right_text,
    paint_text,
)
from gui.inspect.lists.table_model import MessageListModel
from gui.language import tr
from gui.widgets.icons import FATE_GLYPHS
from gui.widgets.theme import Theme, current_theme, with_opacity

OUTDATED_OPACITY = 0.6
"""Opacity of values that are about to be replaced."""
FLAG_GLYPHS = (
    (RowFlag.MARK, "mark"),
    (RowFlag.KEEP, "pin-keep"),
    (RowFlag.DROP, "pin-drop"),
    (RowFlag.NOTE, "note"),
)
"""The order of the flags in the gutter, from the right."""

_INITIAL_WIDTH = 480  # assumed width of a list until it is shown
_SOURCE_BAR_WIDTH, _SOURCE_OPACITY = 3, 0.16  # pixels of the bar at a source row, opacity over the row
_HIGHLIGHT_OPACITY = 0.07  # opacity of the text colour over highlighted rows
_GLYPH_CENTRE, _PAD, _MIN_DETAIL_WIDTH = 11, 10, 60  # at body size 13
_EDITED, _PRUNED, _SUMMARISED, _DROPPED = map(FATES.index, ("edited", "pruned", "summarised", "dropped"))
_INSERTED = len(FATES)
_TINTED = (_PRUNED, _SUMMARISED, _DROPPED, _INSERTED)
_SYSTEM = KINDS.index("system")


def glyph_slots(flags: Iterable[RowFlag]) -> int:
    """Return the number of gutter slots for these flags."""
    return max((flag.bit_count() for flag in set(flags)), default=0)


class MessageRowDelegate(QStyledItemDelegate):
    """``highlighted_range`` are messages [start, end); ``flags`` are by source message."""

    def __init__(self, model: MessageListModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self.flags: Mapping[int, RowFlag] = {}
        self.theme: Theme = current_theme()  # of the last layout or row: rows look it up too often
        self.fonts: ListFonts = list_fonts(parent.font())
        self.columns: ColumnLayout
        self.current_row = -1
        self.focused = False
        self.selected: frozenset[int] = frozenset()  # the messages of the selected one's pairs
        self.sources: frozenset[int] = frozenset()
        self.highlighted_range: tuple[int, int] = (0, 0)
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
            has_origin=self._model.content.side == "after",
            number=str(max(len(self._model.content.rows), 1)),
            tokens=token_figure(self._model.max_tokens),
            gutter_word=tr(FATES[_SUMMARISED]) if self.theme.high_contrast else "",
            flags=glyph_slots(self.flags.values()),
        )

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(self.columns.width, self.fonts.row_pixels)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        self.theme = current_theme()
        row, rect = index.row(), QRect(option.rect)
        kind, place = self._model.plan.kind_and_index(row)
        start, end = self._messages_of(kind, place)
        is_highlighted = start < self.highlighted_range[1] and self.highlighted_range[0] < end
        painter.save()
        painter.setClipRect(rect)
        if kind == RowKind.MESSAGE:
            self._paint_message(painter, rect, place, is_highlighted, row == self.current_row)
        else:
            self._paint_separator(painter, rect, row, is_highlighted)
        painter.setOpacity(1)
        if self.sources and any(start <= source < end for source in self.sources):
            accent = self.theme.accent_text
            painter.fillRect(QRect(rect.topLeft(), QSize(_SOURCE_BAR_WIDTH, rect.height())), accent)
            painter.fillRect(rect, with_opacity(accent, _SOURCE_OPACITY))
        if row == self.current_row:
            width = 2 if self.focused else 1
            painter.setPen(QPen(self.theme.accent_text, width, j=Qt.PenJoinStyle.MiterJoin))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(rect).adjusted(width / 2, width / 2, -width / 2, -width / 2))
        painter.restore()

    def _messages_of(self, kind: int, place: int) -> tuple[int, int]:
        """Return the messages [start, end) of a row."""
        if kind == RowKind.MESSAGE:
            return place, place + 1
        if kind in (RowKind.FOLD, RowKind.OPEN_FOLD):
            fold = self._model.plan.folded_runs[place]
            return fold.start, fold.end
        return 0, 0

    # Message rows

    def _paint_message(
        self, painter: QPainter, rect: QRect, index: int, is_highlighted: bool, is_current: bool
    ) -> None:
        theme, fate = self.theme, self._model.content.fate(index)
        gutter = QRect(rect.x(), rect.y(), self.columns.gutter, rect.height())
        is_tinted = fate in _TINTED and not theme.high_contrast
        background = theme.selection if is_current else theme.surface
        painter.fillRect(rect, theme.fate_tint[fate] if is_tinted else background)
        if fate == _EDITED and not theme.high_contrast:
            painter.fillRect(gutter, theme.fate_tint[fate])
        if is_highlighted:
            painter.fillRect(rect, with_opacity(theme.text, _HIGHLIGHT_OPACITY))
        if not is_tinted:
            painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, with_opacity(theme.hairline, 0.6))
        if self.is_outdated:
            painter.setOpacity(OUTDATED_OPACITY)
        if fate == _INSERTED and (self._model.content.draft or self._model.content.stale):
            painter.fillRect(gutter, QBrush(with_opacity(theme.warn, 0.5), Qt.BrushStyle.BDiagPattern))
        self._paint_gutter(painter, rect, index, fate)
        self._paint_bracket(painter, rect, index)
        self._paint_numbers(painter, rect, index)
        self._paint_speaker(painter, rect, index)
        self._paint_line(painter, rect, index, struck=fate in (_PRUNED, _DROPPED))

    def _paint_gutter(self, painter: QPainter, rect: QRect, index: int, fate: int) -> None:
        theme, fonts = self.theme, self.fonts
        if fate >= 0:
            colour = theme.fate_text[fate]
            paint_gutter_glyph(painter, rect, fonts, FATE_GLYPHS[fate], colour, _GLYPH_CENTRE)
            if theme.high_contrast and not self.columns.compact:
                draw_text(painter, rect, fonts.small, tr(fate_word(fate)), colour, rect.x() + fonts.px(20))
        centre = self.columns.gutter / fonts.scale - FLAG_WIDTH / 2
        flags = self._model.content.row_flags(index, self.flags)
        for flag, name in FLAG_GLYPHS:
            if flag & flags:
                paint_gutter_glyph(painter, rect, fonts, name, theme.text, centre)
                centre -= FLAG_WIDTH

    def _paint_bracket(self, painter: QPainter, rect: QRect, index: int) -> None:
        """Paint this row's part of the bracket from a call to its last result."""
        pair = self._model.content.pair_messages(index)
        if len(pair) == 1:
            return
        colour = self.theme.accent_text if index in self.selected else self.theme.control_border
        x, middle = rect.x() + self.columns.pair, rect.center().y()
        if index > pair[0]:
            painter.fillRect(x, rect.top(), 1, middle - rect.top(), colour)
        if index < pair[-1]:
            painter.fillRect(x, middle, 1, rect.bottom() - middle + 1, colour)
        painter.fillRect(x, middle, self.columns.bar - self.columns.pair - self.fonts.px(2), 1, colour)

    def _paint_numbers(self, painter: QPainter, rect: QRect, index: int) -> None:
        theme, fonts, columns, left = self.theme, self.fonts, self.columns, rect.x()
        number = message_number(index).removeprefix("#")
        paint_right_text(painter, rect, fonts.figure, number, theme.text2, left + columns.number)
        tokens = self._model.content.rows.tokens[index]
        face = fonts.figure_bold if tokens >= LARGE_MESSAGE_TOKENS else fonts.figure
        paint_right_text(painter, rect, face, token_figure(tokens), theme.text, left + columns.tokens)
        if columns.origin:
            origin = origin_text(self._model.content.source(index), index)
            paint_right_text(painter, rect, fonts.figure, origin, theme.text3, left + columns.origin)

    def _paint_speaker(self, painter: QPainter, rect: QRect, index: int) -> None:
        columns, px, rows = self.columns, self.fonts.px, self._model.content.rows
        height, colour = px(16), self.theme.kind[rows.kinds[index]]
        bar = QRect(rect.x() + columns.bar, rect.y() + (rect.height() - height) // 2, px(4), height)
        if rows.kinds[index] == _SYSTEM:
            for top in range(bar.y(), bar.bottom() + 1, 4):
                painter.fillRect(bar.x(), top, bar.width(), 2, colour)
        else:
            painter.fillRect(bar, colour)
        speaker = rows.speakers[index]
        face = self.fonts.small_bold if columns.compact else self.fonts.small
        word = speaker_letter(speaker) if columns.compact else speaker_word(speaker)
        draw_text(painter, rect, face, word, self.theme.text2, rect.x() + columns.speaker)

    def _paint_line(self, painter: QPainter, rect: QRect, index: int, *, struck: bool) -> None:
        fonts, rows, ink = self.fonts, self._model.content.rows, self.theme.text
        left, end = float(rect.x() + self.columns.message), rect.x() + self.columns.message_end
        if rows.errors[index]:
            left = paint_text(painter, rect, fonts.mono, f"{tr('error')} ", self.theme.error, left, end)
        if lead := rows.lead[index]:
            left = paint_text(painter, rect, fonts.mono_bold, f"{lead} ", ink, left, end, struck=struck)
        face = fonts.mono if rows.mono[index] else fonts.body
        paint_text(painter, rect, face, rows.text[index], ink, left, end, struck=struck)

    # Rows between messages

    def _paint_separator(self, painter: QPainter, rect: QRect, row: int, is_highlighted: bool) -> None:
        kind, place = self._model.plan.kind_and_index(row)
        content, theme, fonts = self._model.content, self.theme, self.fonts
        painter.fillRect(rect, theme.surface if kind == RowKind.SUMMARY else theme.surface2)
        if is_highlighted:
            painter.fillRect(rect, with_opacity(theme.text, _HIGHLIGHT_OPACITY))
        if kind in (RowKind.FOLD, RowKind.OPEN_FOLD):
            self._paint_fold(painter, rect, place, is_open=kind == RowKind.OPEN_FOLD)
        elif kind == RowKind.CUT:
            self._paint_cut(painter, rect, content.cuts[place].text)
        elif kind == RowKind.COMPACTED:
            text, face = content.cuts[place].text, fonts.small_bold
            if face.metrics.horizontalAdvance(text) > rect.width() - 2 * fonts.px(_PAD):
                text = text.strip("— ")
            left = max(fonts.px(_PAD), (rect.width() - face.metrics.horizontalAdvance(text)) / 2)
            self._paint_words(painter, rect, face, text, theme.fate_text[_SUMMARISED], rect.x() + left)
        else:
            painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, theme.hairline)
            if kind == RowKind.SUMMARY:
                words = " ".join(content.recorded[place].summary[:1000].split())
                self._paint_words(painter, rect, fonts.body, words, theme.text2, rect.x() + fonts.px(30))
            else:
                self._paint_recorded(painter, rect, content.recorded[place], self._model.is_open(row))

    def _paint_words(
        self, painter: QPainter, rect: QRect, face: FontFace, text: str, colour: QColor, left: float
    ) -> float:
        """Paint text from ``left``, elided at the right edge of the list; return its right edge."""
        return paint_text(painter, rect, face, text, colour, left, rect.right() - self.fonts.px(_PAD))

    def _paint_fold(self, painter: QPainter, rect: QRect, place: int, *, is_open: bool) -> None:
        theme, fonts, fold = self.theme, self.fonts, self._model.plan.folded_runs[place]
        pen = QPen(theme.control_border, 1)
        pen.setDashPattern((3, 2))
        painter.setPen(pen)
        for y in (rect.top(), rect.bottom()):
            painter.drawLine(rect.left(), y, rect.right(), y)
        chevron = "chevron-down" if is_open else "chevron"
        paint_gutter_glyph(painter, rect, fonts, chevron, theme.text2, _GLYPH_CENTRE)
        paint_gutter_glyph(painter, rect, fonts, FATE_GLYPHS[fold.fate], theme.fate_text[fold.fate], 33)
        self._paint_words(painter, rect, fonts.small, tr(fold.text), theme.text2, rect.x() + fonts.px(47))

    def _paint_cut(self, painter: QPainter, rect: QRect, text: str) -> None:
        """Paint a line of 2 pixels across the list with the name of the cut."""
        middle, px, ink = rect.center().y(), self.fonts.px, self.theme.text
        painter.fillRect(rect.x(), middle, px(15), 2, ink)
        left = rect.x() + px(22)
        right = round(self._paint_words(painter, rect, self.fonts.small_bold, text, ink, left)) + px(8)
        painter.fillRect(right, middle, rect.right() - right + 1, 2, ink)

    def _paint_recorded(self, painter: QPainter, rect: QRect, row: RecordedRow, is_open: bool | None) -> None:
        """Paint a compaction that the agent made; with a lock if its summary cannot be read."""
        theme, fonts = self.theme, self.fonts
        colour = {"error": theme.error, "opaque": theme.text2}.get(row.tone, theme.fate_text[_SUMMARISED])
        if row.is_hidden or is_open is not None:
            glyph = "lock" if row.is_hidden else "chevron-down" if is_open else "chevron"
            paint_gutter_glyph(painter, rect, fonts, glyph, colour, _GLYPH_CENTRE)
        left = rect.x() + fonts.px(26)
        start = self._paint_words(painter, rect, fonts.small_bold, row.text, colour, left) + fonts.px(9)
        width = min(fonts.px(_MIN_DETAIL_WIDTH), fonts.small.metrics.horizontalAdvance(row.detail))
        if start + width <= rect.right() - fonts.px(_PAD):  # otherwise there is no space for a word
            detail_colour = colour if row.tone == "error" else theme.text2
            self._paint_words(painter, rect, fonts.small, row.detail, detail_colour, start)
