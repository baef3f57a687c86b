"""Paints bands, axis, the saving, and the sentence with its links and legend."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from core.presentation.model import FATES
from core.presentation.ruler import wording as ruler_text
from core.presentation.ruler.geometry import axis_ticks, placed_labels
from core.presentation.ruler.model import RulerBand
from gui.inspect.ruler.frame import (
    LABEL_GAP,
    RulerFrame,
    crisp_x,
    lane_box,
    paint_text,
    text_width,
    vertical_line,
)
from gui.language import tr

KEPT = FATES.index("kept")
_SENTENCE_GAP = 24  # pixels between the two sentences, and before the legend


def paint_bands(painter: QPainter, frame: RulerFrame) -> None:
    """Paint one thin box per visible band, tinted by its fate, with its label above."""
    theme, sums, lanes = frame.theme, frame.content.before.sums, frame.lanes
    shown: list[tuple[RulerBand, float, float]] = []
    for band in frame.content.screen.bands:
        left, right = max(frame.x(sums[band.start]), lanes.left), min(frame.x(sums[band.end]), frame.right)
        if right - left < 1:
            continue
        shown.append((band, left, right))
        colour = theme.control_border if band.fate == KEPT else theme.fate_text[band.fate]
        painter.setPen(QPen(colour, frame.line_width))
        painter.setBrush(theme.surface if band.fate == KEPT else theme.fate_tint[band.fate])
        top, bottom = lanes.bands
        painter.drawRect(QRectF(crisp_x(left), top + 0.5, round(right - left) - 1.0, bottom - top - 1))
    _paint_band_labels(painter, frame, shown)


def _paint_band_labels(
    painter: QPainter, frame: RulerFrame, shown: list[tuple[RulerBand, float, float]]
) -> None:
    """Paint each label centred on its band, all short if they do not fit; one that does not fit its band is
    underlined, with a leader to it."""
    lanes = frame.lanes
    for form in (0, -1):
        widths = [_label_width(frame, band.labels[form]) for band, _, _ in shown]
        if sum(widths) + LABEL_GAP * (len(widths) - 1) <= frame.right - lanes.left:
            break
    wanted = [((left + right) / 2, width) for (_, left, right), width in zip(shown, widths, strict=True)]
    starts = placed_labels(wanted, lanes.left, frame.right, LABEL_GAP)
    for (band, left, right), start, width in zip(shown, starts, widths, strict=True):
        colour = frame.theme.text2 if band.fate == KEPT else frame.theme.fate_text[band.fate]
        name, _, rest = band.labels[form].partition(" · ")
        end = paint_text(painter, frame.bold, colour, lane_box(start, start + width, lanes.labels), name)
        paint_text(painter, frame.font, colour, lane_box(end, start + width, lanes.labels), f" · {rest}")
        if start < left - 1 or start + width > right + 1:
            middle, line = round((left + right) / 2), lanes.labels[1] - 0.5
            painter.setPen(QPen(colour, 1))
            painter.drawLine(QLineF(min(start, middle), line, max(start + width, middle), line))
            dot = (lanes.bands[0] + lanes.bands[1]) / 2
            painter.drawLine(QLineF(middle + 0.5, line, middle + 0.5, dot))
            painter.setBrush(colour)
            painter.drawEllipse(QPointF(middle + 0.5, dot), 1.5, 1.5)


def _label_width(frame: RulerFrame, text: str) -> float:
    name, _, rest = text.partition(" · ")
    return text_width(frame.bold, name) + text_width(frame.font, f" · {rest}")


def paint_axis(painter: QPainter, frame: RulerFrame) -> None:
    """Paint ticks below the bars, with the labels that fit, and the saving right of the after bar."""
    theme, lanes = frame.theme, frame.lanes
    top, bottom = lanes.axis
    pen = QPen(theme.control_border, frame.line_width)
    painter.setPen(pen)
    painter.drawLine(QLineF(lanes.left, top + 0.5, frame.right, top + 0.5))
    for x, tokens, is_labelled in axis_ticks(frame.view):
        tick_x = crisp_x(lanes.left + x)
        painter.setPen(pen)
        painter.drawLine(vertical_line(tick_x, (top, top + (5 if is_labelled else 3))))
        label_box = lane_box(tick_x + 4, frame.right, (top + 1, bottom))
        text = ruler_text.axis_label(tokens) if is_labelled else ""
        if text and text_width(frame.font, text) <= label_box.width():
            paint_text(painter, frame.font, theme.text2, label_box, text)
    after = frame.content.after.sums[-1]
    text, left = frame.content.screen.marks.after_saved, frame.x(after) + LABEL_GAP
    if text and left >= lanes.left and left + text_width(frame.sentence_bold, text) <= frame.right:
        tone = theme.tone(frame.content.screen.marks.gauge.after_tone)
        paint_text(painter, frame.sentence_bold, tone, lane_box(left, frame.right, lanes.after), text)


@dataclass(frozen=True, slots=True)
class SentenceBox:
    """A piece of the sentence where it is painted; ``link`` is "", "why" or "losses"."""

    box: QRectF
    text: str
    font: QFont
    colour: QColor
    link: str = ""


def sentence_boxes(frame: RulerFrame) -> list[SentenceBox]:
    """Lay out the effect and the losses, then the moved cut, below them where the line is too short."""
    theme, screen, (top, bottom) = frame.theme, frame.content.screen, frame.lanes.sentence
    styles = {
        "": (frame.sentence_font, theme.text2),
        "strong": (frame.sentence_bold, theme.text),
    } | {tone: (frame.sentence_bold, theme.tone(tone)) for tone in ("ok", "warn", "error")}
    effect = [(tr(text), *styles[style], "") for text, style in screen.marks.effect]
    if frame.content.losses and not screen.no_op:
        effect += [(tr(text), *styles[style], "") for text, style in ((" ", ""), *frame.content.losses)]
        effect.append((tr(ruler_text.SHOW), frame.sentence_font, theme.accent_text, "losses"))
    cut = []
    if screen.marks.sentence and screen.handles:
        cut = [(f"{tr(screen.marks.sentence)}. ", *styles[""], "")]
        cut.append((tr(ruler_text.WHY), frame.sentence_font, theme.accent_text, "why"))
    boxes: list[SentenceBox] = []
    left = indent = 14 * frame.lanes.unit
    for group in (effect, cut):
        width = sum(text_width(font, text) for text, font, _, _ in group)
        if boxes and left + width > frame.right:
            left, top, bottom = indent, bottom, bottom + (bottom - top)
        if bottom > frame.lanes.height + 1:
            break
        for text, font, colour, link in group:
            right = left + text_width(font, text)
            boxes.append(SentenceBox(lane_box(left, right, (top, bottom)), text, font, colour, link))
            left = right
        left += _SENTENCE_GAP if group else 0
    return boxes


def paint_sentence(painter: QPainter, frame: RulerFrame) -> None:
    """Write the sentence; in a wide ruler the legend is at its right."""
    boxes = sentence_boxes(frame)
    for piece in boxes:
        paint_text(painter, piece.font, piece.colour, piece.box, piece.text)
        if piece.link:
            line = crisp_x(piece.box.center().y() + 6 * frame.lanes.unit)
            painter.drawLine(QLineF(piece.box.left(), line, piece.box.right(), line))
    if frame.lanes.is_wide:
        _paint_legend(
            painter, frame, max((piece.box.right() for piece in boxes), default=0.0) + _SENTENCE_GAP
        )


def _legend_entries(frame: RulerFrame) -> Iterator[tuple[str, str]]:
    screen = frame.content.screen
    for code, name in ruler_text.legend_kinds(screen):
        yield str(code), tr(name)
    yield "error", tr(ruler_text.ERROR)
    if frame.content.pairs:
        yield "pair", tr(ruler_text.PAIR)


def _paint_legend(painter: QPainter, frame: RulerFrame, left: float) -> None:
    """Paint the entries that fit between ``left`` and the right end."""
    size, entries = 9 * frame.lanes.unit, list(_legend_entries(frame))
    widths = [
        (2 * size if mark == "pair" else size) + 5 + text_width(frame.font, name) for mark, name in entries
    ]
    while entries and sum(widths) + 14 * (len(entries) - 1) > frame.right - left:
        entries.pop()
        widths.pop()
    top, bottom = frame.lanes.sentence
    x, middle = frame.right - sum(widths) - 14 * (len(entries) - 1), (top + bottom) / 2
    for (mark, name), width in zip(entries, widths, strict=True):
        mark_width = width - 5 - text_width(frame.font, name)
        _paint_mark(painter, frame, mark, QRectF(round(x), round(middle - size / 2), mark_width, size))
        paint_text(
            painter,
            frame.font,
            frame.theme.text2,
            lane_box(x + mark_width + 5, x + width, (top, bottom)),
            name,
        )
        x += width + 14


def _paint_mark(painter: QPainter, frame: RulerFrame, mark: str, box: QRectF) -> None:
    if mark == "error":
        painter.fillRect(box.adjusted(0, 2, 0, -box.height() / 2 + 2), frame.theme.error)
    elif mark == "pair":
        painter.setPen(QPen(frame.theme.control_border, 1))
        top, bottom = box.center().y() - 1.5, box.center().y() + 2.5
        corners = ((box.left(), top), (box.left(), bottom), (box.right(), bottom), (box.right(), top))
        painter.drawPolyline([QPointF(x, y) for x, y in corners])
    else:
        painter.fillRect(box, frame.theme.kind[int(mark)])
