"""Paints a message row: gutter, number, kind bar, speaker, line, origin and tokens (ui.md section 5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QBrush, QPainter

from core.common.number_format import message
from core.presentation.lists.model import RowFlag
from core.presentation.lists.row_wording import HOT, fate_word, speaker_letter, token_figure, was_text
from core.presentation.model import FATES, KINDS, SPEAKERS
from gui.inspect.lists.column_layout import FLAG, ColumnLayout, ListFonts
from gui.inspect.lists.list_content import ListContent
from gui.inspect.lists.painting import fate_glyph, paint_text, right_text, see_through
from gui.inspect.lists.separator_rows import CHEVRON
from gui.language import tr
from gui.widgets.icons import FATE_GLYPHS
from gui.widgets.theme import Theme

OLD = 0.6
"""Opacity of values that are about to be replaced (ui.md section 8)."""
GLOW = 0.07
"""Opacity of the text colour over highlighted rows."""

_EDITED, _PRUNED, _DROPPED = (FATES.index(word) for word in ("edited", "pruned", "dropped"))
_SUMMARISED, _INSERTED = FATES.index("summarised"), len(FATES)
_TINTED = (_PRUNED, _SUMMARISED, _DROPPED, _INSERTED)
_SYSTEM = KINDS.index("system")


@dataclass(frozen=True, slots=True)
class RowAppearance:
    """The look of a row. ``ring`` is the width of its frame; ``stale`` hatches inserted messages; ``source``:
    the current sentence is from this row; ``flags`` are those of its source message."""

    ring: int = 0
    is_hovered: bool = False
    partner: bool = False
    source: bool = False
    is_outdated: bool = False
    stale: bool = False
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
    place: int
    appearance: RowAppearance

    def paint(self) -> None:
        fate = self.content.fate(self.place)
        self._ground(fate)
        if self.appearance.is_outdated:
            self.painter.setOpacity(OLD)
        self._gutter(fate)
        self._figures()
        self._who()
        self._line(struck=fate in (_PRUNED, _DROPPED))

    def _ground(self, fate: int) -> None:
        painter, rect, theme = self.painter, self.rect, self.theme
        tinted = fate in _TINTED and not theme.high_contrast
        plain = theme.selection if self.appearance.ring else theme.surface
        painter.fillRect(rect, theme.fate_tint[fate] if tinted else plain)
        if fate == _EDITED and not theme.high_contrast:
            painter.fillRect(self._gutter_rect(), theme.fate_tint[fate])
        if self.appearance.is_hovered:
            painter.fillRect(rect, see_through(theme.text, GLOW))
        if not tinted:
            line = QRect(rect.x(), rect.bottom(), rect.width(), 1)
            painter.fillRect(line, see_through(theme.hairline, 0.6))

    def _gutter_rect(self) -> QRect:
        return QRect(self.rect.x(), self.rect.y(), self.columns.gutter, self.rect.height())

    def _gutter(self, fate: int) -> None:
        painter, theme = self.painter, self.theme
        if fate == _INSERTED and self.appearance.stale:
            hatch = QBrush(see_through(theme.warn, 0.5), Qt.BrushStyle.BDiagPattern)
            painter.fillRect(self._gutter_rect(), hatch)
        if fate >= 0:
            colour = theme.fate_text[fate]
            fate_glyph(painter, self.rect, self.fonts, FATE_GLYPHS[fate], colour, CHEVRON)
            if theme.high_contrast and not self.columns.compact:
                left = self.rect.x() + self.fonts.px(20)
                paint_text(painter, self.rect, self.fonts.small, tr(fate_word(fate)), colour, left)
        self._flags()
        if self.appearance.partner:
            self._bracket()

    def _flags(self) -> None:
        centre = self.columns.gutter / self.fonts.scale - FLAG / 2
        for flag, name in FLAG_GLYPHS:
            if flag & self.appearance.flags:
                fate_glyph(self.painter, self.rect, self.fonts, name, self.theme.text, centre)
                centre -= FLAG

    def _bracket(self) -> None:
        """Paint the mark of a message that shares a pair with the selected one."""
        rect, tick, colour = self.rect, self.fonts.px(5), self.theme.accent_text
        self.painter.fillRect(rect.x() + 1, rect.y() + 3, 2, rect.height() - 6, colour)
        self.painter.fillRect(rect.x() + 1, rect.y() + 3, tick, 2, colour)
        self.painter.fillRect(rect.x() + 1, rect.bottom() - 4, tick, 2, colour)

    def _figures(self) -> None:
        painter, rect, theme, faces = self.painter, self.rect, self.theme, self.fonts
        edges, left = self.columns, self.rect.x()
        number = message(self.place).removeprefix("#")
        right_text(painter, rect, faces.figure, number, theme.text2, left + edges.number)
        tokens = self.content.rows.tokens[self.place]
        face = faces.figure_bold if tokens >= HOT else faces.figure
        right_text(painter, rect, face, token_figure(tokens), theme.text, left + edges.tokens)
        if edges.tokens_before:
            was = was_text(self.content.source(self.place), self.place)
            right_text(painter, rect, faces.figure, was, theme.text3, left + edges.tokens_before)

    def _who(self) -> None:
        painter, rect, edges, px = self.painter, self.rect, self.columns, self.fonts.px
        kind, speaker = self.content.rows.kinds[self.place], self.content.rows.speakers[self.place]
        height, colour = px(16), self.theme.kind[kind]
        bar = QRect(rect.x() + edges.bar, rect.y() + (rect.height() - height) // 2, px(4), height)
        if kind == _SYSTEM:
            for top in range(bar.y(), bar.bottom() + 1, 4):
                painter.fillRect(bar.x(), top, bar.width(), 2, colour)
        else:
            painter.fillRect(bar, colour)
        face = self.fonts.small_bold if edges.compact else self.fonts.small
        word = speaker_letter(speaker) if edges.compact else SPEAKERS[speaker]
        paint_text(painter, rect, face, word, self.theme.text2, rect.x() + edges.speaker)

    def _line(self, *, struck: bool) -> None:
        painter, rect, faces, rows = self.painter, self.rect, self.fonts, self.content.rows
        left, end = float(rect.x() + self.columns.message), rect.x() + self.columns.message_end
        if rows.errors[self.place]:
            left = paint_text(painter, rect, faces.mono, f"{tr('error')} ", self.theme.error, left, end)
        if lead := rows.lead[self.place]:
            face = faces.struck_mono_bold if struck else faces.mono_bold
            left = paint_text(painter, rect, face, f"{lead} ", self.theme.text, left, end)
        if struck:
            face = faces.struck_mono if rows.mono[self.place] else faces.struck
        else:
            face = faces.mono if rows.mono[self.place] else faces.body
        paint_text(painter, rect, face, rows.text[self.place], self.theme.text, left, end)
