"""Fonts, columns and painted text of the message lists, all derived from the metrics of one
font."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QPainter

from gui.widgets.icons import paint_glyph
from gui.widgets.theme import (
    BODY,
    SECONDARY,
    SMALL,
    mono_font,
    resized_font,
    tabular_font,
)

COMPACT_BELOW = 800
"""Pixels at body size 13: narrower lists abbreviate the speaker."""
FLAG_WIDTH = 13
"""Pixels at body size 13: width of a flag's glyph in the gutter."""
LINE_HEIGHT = 18 / BODY
"""Line height over font size."""
_MIN_TEXT_WIDTH = 8  # least pixels for a text with an ellipsis
_GLYPH_SIZE = 12
_GUTTER, _EDGE, _PAD = 22, 3, 10  # at body size 13
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
    body, small = resized_font(base, BODY), resized_font(base, SECONDARY)
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
    pair, bar, speaker = tokens_end + px(7), tokens_end + px(15), tokens_end + px(25)
    message = speaker + px(16 if compact else 50)
    end, right_tokens = width - px(_PAD), max(px(44), round(widest) + px(8))
    if is_stacked:
        split = pair
    else:
        split = (width + message - px(_EDGE + _PAD) - right_tokens) // 2
    after = split + px(_EDGE + _PAD) + (px(8) if is_stacked else 0)
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
