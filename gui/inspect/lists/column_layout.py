"""Columns and fonts of a row, all derived from the metrics of one font."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF

from gui.widgets.theme import BODY, SECONDARY, SMALL, mono_font, resized_font, tabular_font

COMPACT_BELOW = 420
"""Pixels at body size 13: narrower lists abbreviate the speaker and have no "was" column."""
FLAG_WIDTH = 13
"""Pixels at body size 13: width of a flag's glyph in the gutter."""
LINE_HEIGHT = 18 / BODY
"""Line height over font size (ui.md section 2: 13/18)."""


@dataclass(frozen=True, slots=True)
class FontFace:
    """A font with its metrics, so that rows are painted without measuring again."""

    font: QFont
    metrics: QFontMetricsF

    def baseline(self, top: float, height: float) -> float:
        return top + (height + self.metrics.ascent() - self.metrics.descent()) / 2


def _face(font: QFont) -> FontFace:
    return FontFace(font, QFontMetricsF(font))


def _struck(font: QFont) -> QFont:
    result = QFont(font)
    result.setStrikeOut(True)
    return result


@dataclass(frozen=True, slots=True)
class ListFonts:
    """The fonts of a list. ``scale`` is 1 at a body of 13 pixels."""

    scale: float
    row_pixels: int  # height of a row
    body: FontFace
    bold: FontFace
    mono: FontFace
    mono_bold: FontFace
    struck: FontFace
    struck_mono: FontFace
    struck_mono_bold: FontFace
    small: FontFace
    small_bold: FontFace
    figure: FontFace
    figure_bold: FontFace
    legend: FontFace
    legend_bold: FontFace

    def px(self, size: float) -> int:
        """Scale a length given at body size 13 to pixels."""
        return round(size * self.scale)


def row_height(line: float) -> int:
    """Return the row height for a line height, both in pixels: 1.35 lines, rounded to 4."""
    return max(4, round(1.35 * line / 4) * 4)


@lru_cache(maxsize=4)  # all parts of both lists use the same fonts
def list_fonts(base: QFont) -> ListFonts:
    """Return the fonts for a body font; they are shared, so copy a font before changing it."""
    size = QFontInfo(base).pixelSize()
    body, mono, bold = resized_font(base, BODY), mono_font(size / BODY), mono_font(size / BODY, bold=True)
    small_font, small_bold = resized_font(base, SECONDARY), resized_font(base, SECONDARY, bold=True)
    return ListFonts(
        scale=size / BODY,
        row_pixels=row_height(max(QFontMetricsF(body).height(), size * LINE_HEIGHT)),
        body=_face(body),
        bold=_face(resized_font(base, BODY, bold=True)),
        mono=_face(mono),
        mono_bold=_face(bold),
        struck=_face(_struck(body)),
        struck_mono=_face(_struck(mono)),
        struck_mono_bold=_face(_struck(bold)),
        small=_face(small_font),
        small_bold=_face(small_bold),
        figure=_face(tabular_font(small_font)),
        figure_bold=_face(tabular_font(small_bold)),
        legend=_face(resized_font(base, SMALL)),
        legend_bold=_face(resized_font(base, SMALL, bold=True)),
    )


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """Edges of the columns of a list, in pixels from its left. ``tokens_before`` is 0 without that column."""

    width: int
    compact: bool
    gutter: int  # fate glyph: 0 to gutter
    number: int  # right edge of #
    bar: int  # left edge of the kind bar
    speaker: int
    message: int
    message_end: int
    tokens_before: int  # right edge
    tokens: int  # right edge


def column_layout(
    fonts: ListFonts,
    width: int,
    *,
    with_tokens_before: bool,
    number: str,
    tokens: str,
    gutter_word: str = "",
    flags: int = 0,
) -> ColumnLayout:
    """Return the edges for a list of ``width`` pixels.

    ``number`` and ``tokens`` are the widest texts of their columns; ``gutter_word`` the widest word beside
    the fate glyph, in themes with words; ``flags`` is the number of flag slots.
    """
    px, figure_metrics = fonts.px, fonts.figure.metrics
    compact = width < px(COMPACT_BELOW)
    word_width = (
        round(fonts.small.metrics.horizontalAdvance(gutter_word)) if gutter_word and not compact else 0
    )
    gutter = px(22) + word_width + px(FLAG_WIDTH) * flags
    number_end = gutter + max(px(26), round(figure_metrics.horizontalAdvance(number)) + px(4))
    bar = number_end + px(8)
    speaker = bar + px(10)
    tokens_end = width - px(10)
    tokens_start = tokens_end - max(
        px(56), round(fonts.figure_bold.metrics.horizontalAdvance(tokens)) + px(12)
    )
    tokens_before_end = tokens_start if with_tokens_before and not compact else 0
    tokens_before_width = (
        max(px(44), round(figure_metrics.horizontalAdvance(f"#{number}")) + px(12))
        if tokens_before_end
        else 0
    )
    message = speaker + px(18 if compact else 46)
    return ColumnLayout(
        width,
        compact,
        gutter,
        number_end,
        bar,
        speaker,
        message,
        tokens_start - tokens_before_width,
        tokens_before_end,
        tokens_end,
    )
