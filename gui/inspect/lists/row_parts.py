"""Paints the parts of a message's row: gutter, number, bracket, speaker, text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontInfo,
    QFontMetricsF,
    QPainter,
    QPen,
)

from core.common.number_format import message_number
from core.presentation.lists.row_plan import (
    LARGE_MESSAGE_TOKENS,
    RowFlag,
    fate_word,
    speaker_letter,
    speaker_word,
    token_figure,
)
from core.presentation.lists.row_texts import LineDifference
from core.presentation.lists.side_rows import ListContent
from core.presentation.model import (
    DROPPED,
    EDITED,
    INSERTED_CODE,
    KEPT,
    PRUNED,
    SUMMARISED,
    SYSTEM,
)
from gui.language import tr
from gui.widgets.icons import FATE_GLYPHS, paint_glyph
from gui.widgets.theme import (
    BODY,
    SECONDARY,
    SMALL,
    Theme,
    current_theme,
    mono_font,
    resized_font,
    tabular_font,
    with_opacity,
)

# Fonts, columns and painted text of the message lists, all derived from the metrics of one font.


COMPACT_BELOW = 800
"""Pixels at body size 13: narrower lists abbreviate the speaker."""
FLAG_WIDTH = 13
"""Pixels at body size 13: width of a flag's glyph in the gutter."""
LINE_HEIGHT = 18 / BODY
"""Line height over font size."""
_MIN_TEXT_WIDTH = 8  # least pixels for a text with an ellipsis
_GLYPH_SIZE = 12
_GUTTER, _EDGE, _COLUMN_PAD = 22, 3, 10  # at body size 13
_MEASURED_SHARE = 1.3  # a longer text, in average characters per available width, is not measured further


@dataclass(frozen=True, slots=True)
class FontFace:
    """A font with its metrics, so that rows are painted without measuring again."""

    font: QFont
    metrics: QFontMetricsF

    def baseline(self, top: float, height: float) -> float:
        return top + (height + self.metrics.ascent() - self.metrics.descent()) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFonts:
    """The fonts of a list. ``scale`` is 1 at a body of 13 pixels."""

    scale: float
    row_pixels: int  # height of a row
    body: FontFace
    mono: FontFace
    mono_bold: FontFace
    small: FontFace
    small_bold: FontFace
    figure: FontFace
    figure_bold: FontFace
    legend: FontFace
    legend_bold: FontFace

    def px(self, size: float) -> int:
        """Scale a length given at body size 13 to pixels."""
        return round(size * self.scale)


@lru_cache(maxsize=4)  # all parts of both lists use the same fonts
def list_fonts(base: QFont) -> ListFonts:
    """Return the fonts for a body font; they are shared, so copy a font before changing it."""
    size = QFontInfo(base).pixelSize()
    body = resized_font(base, BODY)
    small = resized_font(base, SECONDARY)
    small_bold = resized_font(base, SECONDARY, bold=True)
    line = max(QFontMetricsF(body).height(), size * LINE_HEIGHT)
    row_pixels = max(4, round(1.35 * line / 4) * 4)
    return ListFonts(
        scale=size / BODY,
        row_pixels=row_pixels,
        body=_face(body),
        mono=_face(mono_font(size / BODY)),
        mono_bold=_face(mono_font(size / BODY, bold=True)),
        small=_face(small),
        small_bold=_face(small_bold),
        figure=_face(tabular_font(small)),
        figure_bold=_face(tabular_font(small_bold)),
        legend=_face(resized_font(base, SMALL)),
        legend_bold=_face(resized_font(base, SMALL, bold=True)),
    )


def _face(font: QFont) -> FontFace:
    return FontFace(font, QFontMetricsF(font))


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLayout:
    """Edges of the columns of the list, in pixels from its left. A split row has its second text
    right of ``split``; both texts are equally wide."""

    width: int
    compact: bool
    gutter: int  # fate glyph: 0 to gutter
    number: int  # right edge of #
    tokens: int  # right edge
    pair: int  # left edge of the bracket of a call and its results
    bar: int  # left edge of the kind bar
    speaker: int
    message: int
    message_end: int
    split: int
    after: int  # left edge of the second text
    after_end: int
    after_tokens: int  # right edge


def column_layout(
    fonts: ListFonts,
    width: int,
    *,
    number: str,
    tokens: str,
    gutter_word: str = "",
    flags: int = 0,
    is_stacked: bool = False,
) -> ColumnLayout:
    """Lay out a list of ``width`` pixels; ``number`` and ``tokens`` are the widest in it.
    ``gutter_word`` widens the gutter, ``flags`` is the most flags of a row. Stacked, the second
    text is below the first."""
    px, figures = fonts.px, fonts.figure.metrics
    compact = width < px(COMPACT_BELOW)
    gutter = px(_GUTTER) + px(FLAG_WIDTH) * flags
    if gutter_word and not compact:
        gutter += round(fonts.small.metrics.horizontalAdvance(gutter_word)) + px(6)
    number_end = gutter + max(px(26), round(figures.horizontalAdvance(number)) + px(4))
    widest = fonts.figure_bold.metrics.horizontalAdvance(tokens)
    tokens_end = number_end + max(px(40), round(widest) + px(10))
    pair = tokens_end + px(7)
    bar = tokens_end + px(15)
    speaker = tokens_end + px(25)
    message = speaker + px(16 if compact else 50)
    end = width - px(_COLUMN_PAD)
    right_tokens = max(px(44), round(widest) + px(8))
    if is_stacked:
        split = pair
    else:
        split = (width + message - px(_EDGE + _COLUMN_PAD) - right_tokens) // 2
    after = split + px(_EDGE + _COLUMN_PAD) + (px(8) if is_stacked else 0)
    return ColumnLayout(
        width=width,
        compact=compact,
        gutter=gutter,
        number=number_end,
        tokens=tokens_end,
        pair=pair,
        bar=bar,
        speaker=speaker,
        message=message,
        message_end=end,
        split=split,
        after=after,
        after_end=end - right_tokens,
        after_tokens=end,
    )


def draw_text(
    painter: QPainter,
    rect: QRect,
    face: FontFace,
    text: str,
    colour: QColor,
    left: float,
    *,
    struck: bool = False,
) -> None:
    """Paint vertically centred text from ``left``."""
    font = face.font
    if struck:
        font = QFont(font)
        font.setStrikeOut(True)
    painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(QPointF(left, face.baseline(rect.y(), rect.height())), text)


def paint_text(
    painter: QPainter,
    rect: QRect,
    face: FontFace,
    text: str,
    colour: QColor,
    span: tuple[float, float],
    *,
    struck: bool = False,
    elides_middle: bool = False,
) -> float:
    """Paint vertically centred text between two edges, with an ellipsis at its end or in its
    middle; return its right edge."""
    left, end = span
    text, width = fitted_text(
        face, text, max(0.0, end - left), elides_middle=elides_middle
    )
    draw_text(painter, rect, face, text, colour, left, struck=struck)
    return left + width


def fitted_text(
    face: FontFace, text: str, available: float, *, elides_middle: bool = False
) -> tuple[str, float]:
    """Return the part of a text that fits with an ellipsis, and its width."""
    metrics = face.metrics
    if elides_middle:
        fitted = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, available)
        return fitted, min(available, metrics.horizontalAdvance(fitted))
    fitted = text[: int(_MEASURED_SHARE * available / metrics.averageCharWidth()) + 1]
    width = metrics.horizontalAdvance(fitted)
    if width <= available and len(fitted) < len(text):  # narrow characters
        fitted = text
        width = metrics.horizontalAdvance(fitted)
    if width <= available:
        return fitted, width
    if available < _MIN_TEXT_WIDTH:
        return "", available
    return metrics.elidedText(fitted, Qt.TextElideMode.ElideRight, available), available


def paint_right_text(
    painter: QPainter,
    rect: QRect,
    face: FontFace,
    text: str,
    colour: QColor,
    right: float,
) -> float:
    """Paint text that ends at ``right``; return its left edge."""
    left = right - face.metrics.horizontalAdvance(text)
    if text:
        draw_text(painter, rect, face, text, colour, left)
    return left


def paint_gutter_glyph(
    painter: QPainter,
    rect: QRect,
    fonts: ListFonts,
    name: str,
    colour: QColor,
    centre: float,
) -> None:
    """Paint a glyph whose middle is ``centre`` (at body size 13) from the left of ``rect``."""
    size = fonts.px(_GLYPH_SIZE)
    left = rect.x() + fonts.px(centre) - size / 2
    paint_glyph(
        painter,
        name,
        QRectF(left, rect.y() + (rect.height() - size) / 2, size, size),
        colour,
    )


FLAG_GLYPHS = (
    (RowFlag.MARK, "mark"),
    (RowFlag.KEEP, "pin-keep"),
    (RowFlag.DROP, "pin-drop"),
    (RowFlag.NOTE, "note"),
)
"""The order of the flags in the gutter, from the right."""
GLYPH_CENTRE, TAG_PAD = 11, 5  # at body size 13
TINTED = (PRUNED, SUMMARISED, DROPPED, INSERTED_CODE)
_PAD = 10  # right of a text, at body size 13
_MARK_OPACITY = 0.35  # of a difference within a line


def glyph_slots(flags: Iterable[RowFlag]) -> int:
    """Return the number of gutter slots for these flags."""
    return max((flag.bit_count() for flag in set(flags)), default=0)


def match_colour(theme: Theme) -> QColor:
    """Return the ground of what is looked for, in lists and texts."""
    return with_opacity(theme.fate_fill[EDITED], 0.5)


@dataclass(frozen=True, slots=True)
class MatchedText:
    """The text that is looked for, case-folded, and what rows show instead of their beginning, by
    side and message."""

    needle: str = ""
    begins: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def text(self, content: ListContent, index: int) -> str:
        """Return the text of a row, from its match on."""
        return self.begins.get(content.side, {}).get(index) or content.rows.text[index]


NO_MATCH = MatchedText()


class RowParts:
    """What all rows of a list share while they are painted; ``flags`` are by source message."""

    def __init__(self, font: QFont) -> None:
        self.theme: Theme = current_theme()
        self.fonts: ListFonts = list_fonts(font)
        self.columns: ColumnLayout
        self.flags: Mapping[int, RowFlag] = {}
        self.selected: frozenset[int] = (
            frozenset()
        )  # the messages of the selected one's pairs
        self.match = NO_MATCH

    def paint_ground(
        self, painter: QPainter, rect: QRect, fate: int, *, is_current: bool
    ) -> None:
        """Fill a row, or the left half of one, by the fate of its message."""
        theme = self.theme
        is_tinted = fate in TINTED and not theme.high_contrast
        painter.fillRect(rect, theme.fate_tint[fate] if is_tinted else theme.surface)
        if is_current:
            painter.fillRect(
                rect,
                with_opacity(theme.selection, 0.6) if is_tinted else theme.selection,
            )
        if fate == EDITED and not theme.high_contrast:
            painter.fillRect(self.gutter(rect), theme.fate_tint[fate])
        if not is_tinted:
            painter.fillRect(
                rect.x(),
                rect.bottom(),
                rect.width(),
                1,
                with_opacity(theme.hairline, 0.6),
            )

    def gutter(self, rect: QRect) -> QRect:
        return QRect(rect.x(), rect.y(), self.columns.gutter, rect.height())

    def paint_hatch(self, painter: QPainter, rect: QRect, colour: QColor) -> None:
        painter.fillRect(rect, self.theme.surface)
        painter.fillRect(
            rect, QBrush(with_opacity(colour, 0.25), Qt.BrushStyle.BDiagPattern)
        )

    def paint_message(
        self,
        painter: QPainter,
        rect: QRect,
        content: ListContent,
        index: int,
        *,
        fate: int,
    ) -> None:
        """Paint all columns of a message but its text."""
        self._paint_gutter(painter, rect, content, index, fate)
        self._paint_bracket(painter, rect, content, index)
        self._paint_numbers(painter, rect, content, index)
        self._paint_speaker(painter, rect, content, index)

    def _paint_gutter(
        self,
        painter: QPainter,
        rect: QRect,
        content: ListContent,
        index: int,
        fate: int,
    ) -> None:
        theme, fonts = self.theme, self.fonts
        if fate > KEPT:
            colour = theme.fate_text[fate]
            paint_gutter_glyph(
                painter, rect, fonts, FATE_GLYPHS[fate], colour, GLYPH_CENTRE
            )
            if theme.high_contrast and not self.columns.compact:
                draw_text(
                    painter,
                    rect,
                    fonts.small,
                    tr(fate_word(fate)),
                    colour,
                    rect.x() + fonts.px(20),
                )
        centre = self.columns.gutter / fonts.scale - FLAG_WIDTH / 2
        if self.flags:
            flags = content.row_flags(index, self.flags)
        else:
            flags = RowFlag.NONE
        for flag, name in FLAG_GLYPHS if flags else ():
            if flag & flags:
                paint_gutter_glyph(painter, rect, fonts, name, theme.text, centre)
                centre -= FLAG_WIDTH

    def _paint_bracket(
        self, painter: QPainter, rect: QRect, content: ListContent, index: int
    ) -> None:
        """Paint this row's part of the bracket from a call to its last result."""
        pair = content.pair_messages(index)
        if len(pair) == 1:
            return
        if index in self.selected:
            colour = self.theme.accent_text
        else:
            colour = self.theme.control_border
        x = rect.x() + self.columns.pair
        middle = rect.center().y()
        if index > pair[0]:
            painter.fillRect(x, rect.top(), 1, middle - rect.top(), colour)
        if index < pair[-1]:
            painter.fillRect(x, middle, 1, rect.bottom() - middle + 1, colour)
        painter.fillRect(
            x,
            middle,
            self.columns.bar - self.columns.pair - self.fonts.px(2),
            1,
            colour,
        )

    def _paint_numbers(
        self, painter: QPainter, rect: QRect, content: ListContent, index: int
    ) -> None:
        theme = self.theme
        fonts = self.fonts
        columns = self.columns
        left = rect.x()
        number = message_number(index).removeprefix("#")
        paint_right_text(
            painter, rect, fonts.figure, number, theme.text2, left + columns.number
        )
        self.paint_tokens(
            painter, rect, content.rows.tokens[index], left + columns.tokens
        )

    def paint_tokens(
        self, painter: QPainter, rect: QRect, tokens: int, right: int
    ) -> None:
        if tokens >= LARGE_MESSAGE_TOKENS:
            face = self.fonts.figure_bold
        else:
            face = self.fonts.figure
        paint_right_text(
            painter, rect, face, token_figure(tokens), self.theme.text, right
        )

    def _paint_speaker(
        self, painter: QPainter, rect: QRect, content: ListContent, index: int
    ) -> None:
        columns, rows = self.columns, content.rows
        self.paint_bar(painter, rect, rows.kinds[index], rect.x() + columns.bar)
        speaker = rows.speakers[index]
        if columns.compact:
            face = self.fonts.small_bold
            word = speaker_letter(speaker)
        else:
            face = self.fonts.small
            word = speaker_word(speaker)
        draw_text(
            painter, rect, face, word, self.theme.text2, rect.x() + columns.speaker
        )

    def paint_bar(self, painter: QPainter, rect: QRect, kind: int, left: int) -> None:
        px, colour = self.fonts.px, self.theme.kind[kind]
        bar = QRect(left, rect.y() + (rect.height() - px(16)) // 2, px(4), px(16))
        if kind == SYSTEM:
            for top in range(bar.y(), bar.bottom() + 1, 4):
                painter.fillRect(bar.x(), top, bar.width(), 2, colour)
        else:
            painter.fillRect(bar, colour)

    def paint_line(
        self,
        painter: QPainter,
        rect: QRect,
        content: ListContent,
        index: int,
        span: tuple[float, float],
        *,
        struck: bool = False,
        elides_middle: bool = False,
    ) -> float:
        """Paint the text of a message between two edges; return its right edge."""
        fonts, rows, ink = self.fonts, content.rows, self.theme.text
        left, end = span
        if rows.errors[index]:
            left = paint_text(
                painter,
                rect,
                fonts.mono,
                f"{tr('error')} ",
                self.theme.error,
                (left, end),
            )
        if lead := rows.lead[index]:
            left = paint_text(
                painter,
                rect,
                fonts.mono_bold,
                f"{lead} ",
                ink,
                (left, end),
                struck=struck,
            )
        face = self.face(content, index)
        text = self.match.text(content, index)
        self._paint_matches(painter, rect, face, text, (left, end))
        return paint_text(
            painter,
            rect,
            face,
            text,
            ink,
            (left, end),
            struck=struck,
            elides_middle=elides_middle,
        )

    def _paint_matches(
        self,
        painter: QPainter,
        rect: QRect,
        face: FontFace,
        text: str,
        span: tuple[float, float],
    ) -> None:
        """Fill what is looked for in a text."""
        needle = self.match.needle
        folded = text.casefold()
        if needle:
            place = folded.find(needle)
        else:
            place = -1
        while place >= 0:
            start = span[0] + face.metrics.horizontalAdvance(text[:place])
            width = face.metrics.horizontalAdvance(text[place : place + len(needle)])
            if start >= span[1]:
                return
            mark = QRectF(
                start, rect.y() + 3, min(width, span[1] - start), rect.height() - 6
            )
            painter.fillRect(mark, match_colour(self.theme))
            place = folded.find(needle, place + len(needle))

    def paint_to_edge(
        self,
        painter: QPainter,
        rect: QRect,
        face: FontFace,
        text: str,
        colour: QColor,
        left: float,
    ) -> float:
        """Paint text from ``left``, elided at the right edge of the row; return its right edge."""
        return paint_text(
            painter,
            rect,
            face,
            text,
            colour,
            (left, rect.right() - self.fonts.px(_PAD)),
        )

    def paint_tag(
        self, painter: QPainter, rect: QRect, text: str, left: float, ink: QColor
    ) -> float:
        """Paint a text in a frame; return its right edge."""
        face, px = self.fonts.small, self.fonts.px
        box = QRectF(
            left,
            rect.y() + px(4),
            face.metrics.horizontalAdvance(text) + px(2 * TAG_PAD),
            0,
        )
        box.setHeight(rect.height() - px(8))
        painter.setPen(QPen(self.theme.hairline if ink == self.theme.text2 else ink, 1))
        painter.setBrush(self.theme.surface)
        painter.drawRoundedRect(box, 3, 3)
        draw_text(painter, rect, face, text, ink, left + px(TAG_PAD))
        return box.right()

    def paint_link(
        self, painter: QPainter, rect: QRect, text: str, left: float
    ) -> float:
        """Paint an underlined text from ``left``; return its right edge."""
        fonts, accent = self.fonts, self.theme.accent_text
        right = self.paint_to_edge(painter, rect, fonts.small, text, accent, left)
        painter.fillRect(
            round(left), rect.y() + self.underline, round(right - left), 1, accent
        )
        return right

    @property
    def underline(self) -> int:
        """The height of the line under a link, from the top of its row."""
        return round(self.fonts.row_pixels * 0.75)

    def face(self, content: ListContent, index: int) -> FontFace:
        if content.rows.mono[index]:
            return self.fonts.mono
        return self.fonts.body

    def paint_marked(
        self,
        painter: QPainter,
        rect: QRect,
        face: FontFace,
        text: str,
        difference: tuple[LineDifference, int],
        span: tuple[float, float],
        *,
        fate: int,
    ) -> float:
        """Paint a line from where it differs from the other one; return its right edge.
        ``difference`` has the end of this one."""
        (where, end_of_change), (left, end) = difference, span
        shown = ("… " if where.start else "", text[where.start : where.first])
        left = paint_text(
            painter, rect, face, "".join(shown), self.theme.text, (left, end)
        )
        changed = text[where.first : end_of_change]
        if changed and left < end:
            width = min(face.metrics.horizontalAdvance(changed), end - left)
            mark = QRect(
                round(left),
                rect.y() + self.fonts.px(3),
                round(width),
                rect.height() - self.fonts.px(6),
            )
            painter.fillRect(
                mark, with_opacity(self.theme.fate_fill[fate], _MARK_OPACITY)
            )
            left = paint_text(
                painter, rect, face, changed, self.theme.text, (left, end)
            )
        return paint_text(
            painter, rect, face, text[end_of_change:], self.theme.text, (left, end)
        )
