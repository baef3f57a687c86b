"""Paints bands over the before bar, the legend, the sentence with Why, and the overview of a zoomed ruler."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from core.presentation.model import FATES
from core.presentation.ruler import wording as ruler_text
from gui.inspect.ruler.frame import (
    RulerFrame,
    crisp_x,
    faded_colour,
    first_clear_x,
    paint_text,
    text_width,
    vertical_line,
)
from gui.language import tr

AFTER_HANDLE = 14  # pixels between a handle and the label of the band behind it
KEPT = FATES.index("kept")


def paint_bands(painter: QPainter, frame: RulerFrame) -> None:
    """Paint one box per band, tinted by its fate; labels are shortened, then hidden."""
    theme, sums = frame.theme, frame.content.before.sums
    painter.save()
    painter.setClipRect(frame.bars.adjusted(0, 0, 1, 0))
    for band in frame.content.screen.bands:
        left, right = frame.x(sums[band.start]), frame.x(sums[band.end])
        visible_left, visible_right = max(left, frame.lanes.left - 2), min(right, frame.right + 2)
        if visible_right - visible_left < 1:
            continue
        is_kept = band.fate == KEPT
        box = QRectF(
            crisp_x(visible_left),
            frame.lanes.y(22) + 0.5,
            round(visible_right - visible_left) - 1.0,
            frame.lanes.y(15),
        )
        edge = theme.hairline if is_kept else faded_colour(theme.fate_text[band.fate], 0.55)
        painter.setPen(QPen(theme.control_border if theme.high_contrast else edge, frame.line_width))
        painter.setBrush(theme.fate_tint[band.fate])
        painter.drawRect(box)
        start = max(left, frame.lanes.left) + AFTER_HANDLE
        label_left, text = labels_beside_lines(
            frame, band.labels, start, min(right, frame.right) - AFTER_HANDLE
        )
        ink = theme.text2 if is_kept else theme.fate_text[band.fate]
        paint_text(
            painter, frame.bold, ink, QRectF(label_left, box.top(), right - label_left, box.height()), text
        )
    painter.restore()


def labels_beside_lines(
    frame: RulerFrame, texts: Sequence[str], start: float, end: float
) -> tuple[float, str]:
    """Return the place and the longest of these texts that fits without a crossing line; "" for none."""
    for text in texts:
        width = text_width(frame.bold, text)
        left = first_clear_x(frame, start, width)
        if left + width <= end:
            return left, text
    return start, ""


def paint_legend(painter: QPainter, frame: RulerFrame, why_link: QRectF | None) -> None:
    """Paint kinds by colour, the error mark, the requested cut if any; the sentence at the right."""
    theme, screen = frame.theme, frame.content.screen
    size = 10 * frame.lanes.unit
    left = frame.lanes.left
    middle = frame.lanes.y(143)
    max_right = _paint_sentence(painter, frame, why_link)
    entries = [(str(code), tr(name)) for code, name in ruler_text.legend_kinds(screen)]
    entries.append(("error", tr(ruler_text.ERROR)))
    if ruler_text.has_moved_cut(screen):
        entries.append(("asked", tr(ruler_text.REQUESTED_CUT)))
    for mark, name in entries:
        width = text_width(frame.font, name)
        if left + size + 4 + width > max_right:
            return
        _paint_mark(painter, frame, mark, QRectF(left, middle - size / 2, size, size))
        paint_text(
            painter,
            frame.font,
            theme.text2,
            frame.box(left + size + 4, left + size + 4 + width, 136, 150),
            name,
        )
        left += size + 4 + width + 16


def _paint_mark(painter: QPainter, frame: RulerFrame, mark: str, box: QRectF) -> None:
    theme = frame.theme
    if mark == "error":
        painter.fillRect(box.adjusted(0, 1, 0, -box.height() / 2), theme.error)
    elif mark == "asked":
        painter.setPen(_requested_cut_pen(frame))
        painter.drawLine(vertical_line(crisp_x(box.center().x()), box.top() - 1, box.bottom() + 1))
    else:
        painter.setPen(QPen(theme.control_border, 1))
        painter.setBrush(theme.kind[int(mark)])
        painter.drawRect(QRectF(crisp_x(box.left()), crisp_x(box.top()), box.width() - 1, box.height() - 1))


def _paint_sentence(painter: QPainter, frame: RulerFrame, why_link: QRectF | None) -> float:
    """Write the sentence; return the pixel that the legend must not pass."""
    text = frame.content.screen.marks.sentence
    if not text:
        return frame.right
    right = frame.right
    if why_link is not None:
        font = frame.font
        paint_text(painter, font, frame.theme.accent_text, why_link, tr(ruler_text.WHY))
        line = crisp_x(why_link.center().y() + 6 * frame.lanes.unit)
        painter.drawLine(QLineF(why_link.left(), line, why_link.right(), line))
        right = why_link.left()
        text += " · "
    width = text_width(frame.font, text)
    paint_text(painter, frame.font, frame.theme.text, frame.box(right - width, right, 136, 150), text)
    return right - width - 16


def why_box(frame: RulerFrame) -> QRectF | None:
    """Return the box of the Why link, None if there is nothing to explain."""
    screen = frame.content.screen
    if not screen.marks.sentence or not screen.handles or not frame.lanes.legend_shown or frame.view.zoomed:
        return None
    return frame.box(frame.right - text_width(frame.font, tr(ruler_text.WHY)), frame.right, 136, 150)


def paint_overview(painter: QPainter, frame: RulerFrame) -> None:
    """Paint the whole ruler as a thin bar with a frame round the shown part."""
    top, bottom = frame.lanes.overview
    theme, view = frame.theme, frame.view
    left, width = frame.lanes.left, float(view.width)
    painter.fillRect(QRectF(left, top, width, bottom - top), theme.free)
    share = frame.content.before.sums[-1] / view.total
    painter.fillRect(QRectF(left, top, width * share, bottom - top), faded_colour(theme.text3, 0.45))
    start, span = width * view.start / view.total, width * view.span / view.total
    painter.setPen(QPen(theme.accent_text, 1.5))
    painter.setBrush(faded_colour(theme.accent_text, 0.25))
    painter.drawRect(QRectF(left + start, top + 0.5, max(4.0, span), bottom - top - 1))


def paint_requested_cut(painter: QPainter, frame: RulerFrame, moving: str) -> None:
    """Paint a red dashed line at a requested cut, if the actual one is elsewhere."""
    sums = frame.content.before.sums
    painter.setPen(_requested_cut_pen(frame))
    for handle in frame.content.screen.handles:
        if handle.requested == handle.index or handle.name == moving or not 0 <= handle.requested < len(sums):
            continue
        x = frame.x(sums[handle.requested])
        if frame.lanes.left <= x <= frame.right:
            painter.drawLine(vertical_line(crisp_x(x), frame.lanes.y(38), frame.lanes.y(75)))


def _requested_cut_pen(frame: RulerFrame) -> QPen:
    pen = QPen(frame.theme.error, 1.5)
    pen.setDashPattern([2.0, 1.5])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen
