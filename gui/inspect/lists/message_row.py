"""Paints a message row: gutter, number, kind bar, speaker, line, origin and tokens (ui.md section 5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QBrush, QPainter

from core.common.number_format import message_number
from core.presentation.lists.model import RowFlag
from core.presentation.lists.row_wording import (
    LARGE_MESSAGE_TOKENS,
    fate_word,
    origin_text,
    speaker_letter,
    token_figure,
)
from core.presentation.model import FATES, KINDS, SPEAKERS
from gui.inspect.lists.column_layout import FLAG_WIDTH, ColumnLayout, ListFonts
from gui.inspect.lists.list_content import ListContent
from gui.inspect.lists.painting import paint_fate_glyph, paint_right_text, paint_text, with_opacity
from gui.inspect.lists.separator_rows import GLYPH_CENTRE
from gui.language import tr
from gui.widgets.icons import FATE_GLYPHS
from gui.widgets.theme import Theme

OUTDATED_OPACITY = 0.6
"""Opacity of values that are about to be replaced (ui.md section 8)."""
HIGHLIGHT_OPACITY = 0.07
"""Opacity of the text colour over highlighted rows."""

_EDITED, _PRUNED, _DROPPED = (FATES.index(word) for word in ("edited", "pruned", "dropped"))
_SUMMARISED, _INSERTED = FATES.index("summarised"), len(FATES)
_TINTED = (_PRUNED, _SUMMARISED, _DROPPED, _INSERTED)
_SYSTEM = KINDS.index("system")


@dataclass(frozen=True, slots=True)
class RowAppearance:
    """The look of a row. ``ring_width`` is the width of its frame; ``is_stale`` hatches inserted
    messages; ``is_source``: the current sentence is from this row; ``flags`` are those of its source
    message."""

    ring_width: int = 0
    is_hovered: bool = False
    is_partner: bool = False
    is_source: bool = False
    is_outdated: bool = False
    is_stale: bool = False
    flags: RowFlag = RowFlag.NONE


FLAG_GLYPHS = (
    (RowFlag.MARK, "mark"),
    (RowFlag.KEEP, "pin-keep"),
    (RowFlag.DROP, "pin-drop"),
    (RowFlag.NOTE, "note"),
)
"""The order of the flags in the gutter, from the right."""


def glyph_slots(flags: Iterable[RowFlag]) -> int:
    """Return the number of gutter slots for these flags."""
    return max((flag.bit_count() for flag in set(flags)), default=0)


@dataclass(frozen=True, slots=True)
class MessageRow:
    painter: QPainter
    rect: QRect
    theme: Theme
    fonts: ListFonts
    columns: ColumnLayout
    content: ListContent
    index: int
    appearance: RowAppearance

    def paint(self) -> None:
        fate = self.content.fate(self.index)
        self._paint_background(fate)
        if self.appearance.is_outdated:
            self.painter.setOpacity(OUTDATED_OPACITY)
        self._paint_gutter(fate)
        self._paint_numbers()
        self._paint_speaker()
        self._paint_text(struck=fate in (_PRUNED, _DROPPED))

    def _paint_background(self, fate: int) -> None:
        painter, rect, theme = self.painter, self.rect, self.theme
        is_tinted = fate in _TINTED and not theme.high_contrast
        background = theme.selection if self.appearance.ring_width else theme.surface
        painter.fillRect(rect, theme.fate_tint[fate] if is_tinted else background)
        if fate == _EDITED and not theme.high_contrast:
            painter.fillRect(self._gutter_rect(), theme.fate_tint[fate])
        if self.appearance.is_hovered:
            painter.fillRect(rect, with_opacity(theme.text, HIGHLIGHT_OPACITY))
        if not is_tinted:
            line = QRect(rect.x(), rect.bottom(), rect.width(), 1)
            painter.fillRect(line, with_opacity(theme.hairline, 0.6))

    def _gutter_rect(self) -> QRect:
        return QRect(self.rect.x(), self.rect.y(), self.columns.gutter, self.rect.height())

    def _paint_gutter(self, fate: int) -> None:
        painter, theme = self.painter, self.theme
        if fate == _INSERTED and self.appearance.is_stale:
            hatch = QBrush(with_opacity(theme.warn, 0.5), Qt.BrushStyle.BDiagPattern)
            painter.fillRect(self._gutter_rect(), hatch)
        if fate >= 0:
            colour = theme.fate_text[fate]
            paint_fate_glyph(painter, self.rect, self.fonts, FATE_GLYPHS[fate], colour, GLYPH_CENTRE)
            if theme.high_contrast and not self.columns.compact:
                left = self.rect.x() + self.fonts.px(20)
                paint_text(painter, self.rect, self.fonts.small, tr(fate_word(fate)), colour, left)
        self._paint_flags()
        if self.appearance.is_partner:
            self._paint_bracket()

    def _paint_flags(self) -> None:
        centre = self.columns.gutter / self.fonts.scale - FLAG_WIDTH / 2
        for flag, name in FLAG_GLYPHS:
            if flag & self.appearance.flags:
                paint_fate_glyph(self.painter, self.rect, self.fonts, name, self.theme.text, centre)
                centre -= FLAG_WIDTH

    def _paint_bracket(self) -> None:
        """Paint the mark of a message that shares a pair with the selected one."""
        rect, tick, colour = self.rect, self.fonts.px(5), self.theme.accent_text
        self.painter.fillRect(rect.x() + 1, rect.y() + 3, 2, rect.height() - 6, colour)
        self.painter.fillRect(rect.x() + 1, rect.y() + 3, tick, 2, colour)
        self.painter.fillRect(rect.x() + 1, rect.bottom() - 4, tick, 2, colour)

    def _paint_numbers(self) -> None:
        painter, rect, theme, fonts = self.painter, self.rect, self.theme, self.fonts
        columns, left = self.columns, self.rect.x()
        number = message_number(self.index).removeprefix("#")
        paint_right_text(painter, rect, fonts.figure, number, theme.text2, left + columns.number)
        tokens = self.content.rows.tokens[self.index]
        font = fonts.figure_bold if tokens >= LARGE_MESSAGE_TOKENS else fonts.figure
        paint_right_text(painter, rect, font, token_figure(tokens), theme.text, left + columns.tokens)
        if columns.tokens_before:
            previous_number = origin_text(self.content.source(self.index), self.index)
            paint_right_text(
                painter, rect, fonts.figure, previous_number, theme.text3, left + columns.tokens_before
            )

    def _paint_speaker(self) -> None:
        painter, rect, columns, px = self.painter, self.rect, self.columns, self.fonts.px
        kind, speaker = self.content.rows.kinds[self.index], self.content.rows.speakers[self.index]
        height, colour = px(16), self.theme.kind[kind]
        bar = QRect(rect.x() + columns.bar, rect.y() + (rect.height() - height) // 2, px(4), height)
        if kind == _SYSTEM:
            for top in range(bar.y(), bar.bottom() + 1, 4):
                painter.fillRect(bar.x(), top, bar.width(), 2, colour)
        else:
            painter.fillRect(bar, colour)
        font = self.fonts.small_bold if columns.compact else self.fonts.small
        word = speaker_letter(speaker) if columns.compact else SPEAKERS[speaker]
        paint_text(painter, rect, font, word, self.theme.text2, rect.x() + columns.speaker)

    def _paint_text(self, *, struck: bool) -> None:
        painter, rect, fonts, rows = self.painter, self.rect, self.fonts, self.content.rows
        left, end = float(rect.x() + self.columns.message), rect.x() + self.columns.message_end
        if rows.errors[self.index]:
            left = paint_text(painter, rect, fonts.mono, f"{tr('error')} ", self.theme.error, left, end)
        if lead_text := rows.lead[self.index]:
            face = fonts.struck_mono_bold if struck else fonts.mono_bold
            left = paint_text(painter, rect, face, f"{lead_text} ", self.theme.text, left, end)
        if struck:
            face = fonts.struck_mono if rows.mono[self.index] else fonts.struck
        else:
            face = fonts.mono if rows.mono[self.index] else fonts.body
        paint_text(painter, rect, face, rows.text[self.index], self.theme.text, left, end)
