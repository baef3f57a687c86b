"""Paints bands with their labels, axis, and the saving."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QPainter, QPen

from core.presentation.model import FATES
from core.presentation.ruler import bands as ruler_text
from core.presentation.ruler.geometry import RulerBand, axis_ticks
from gui.inspect.ruler.frame import (
    LABEL_GAP,
    RulerFrame,
    crisp_x,
    lane_box,
    paint_label,
    text_width,
    vertical_line,
)

KEPT = FATES.index("kept")
_HANDLE_ROOM = 9  # pixels on both sides of a cut that its handle covers


class BandLabel(NamedTuple):
    """A label of a band from ``left`` on, ``width`` pixels wide: its name and ``detail``."""

    band: RulerBand
    detail: str
    left: float
    width: float


def paint_bands(painter: QPainter, frame: RulerFrame) -> None:
    """Paint one box per visible band, tinted by its fate, and the labels over them."""
    theme, (top, bottom) = frame.theme, frame.lanes.bands
    for band, left, right in _visible_bands(frame):
        if band.fate == KEPT:
            colour = theme.control_border
        else:
            colour = theme.fate_text[band.fate]
        painter.setPen(QPen(colour, frame.line_width))
        painter.setBrush(
            theme.surface if band.fate == KEPT else theme.fate_tint[band.fate]
        )
        painter.drawRect(
            QRectF(
                crisp_x(left), top + 0.5, round(right - left) - 1.0, bottom - top - 1
            )
        )
    for label in band_labels(frame):
        fate = label.band.fate
        if fate == KEPT:
            colour = theme.text2
        else:
            colour = theme.fate_text[fate]
        box = lane_box(label.left, label.left + label.width, frame.lanes.bands)
        end = paint_label(painter, frame.bold, colour, box, label.band.name)
        behind = box.adjusted(end - box.left(), 0, 0, 0)
        paint_label(painter, frame.font, colour, behind, _behind_name(label.detail))
    _paint_system_label(painter, frame)


def _paint_system_label(painter: QPainter, frame: RulerFrame) -> None:
    """Name the hatched block above it, as long as there is room."""
    left, right = (
        max(frame.x(0), frame.lanes.left),
        frame.x(frame.content.before.sums[0]),
    )
    for text in frame.content.screen.ruler.totals.hidden_labels[1:]:
        if text_width(frame.font, text) <= right - left - 4:
            box = lane_box(left + 2, right, frame.lanes.bands)
            paint_label(painter, frame.font, frame.theme.text2, box, text)
            return


def _visible_bands(frame: RulerFrame) -> list[tuple[RulerBand, float, float]]:
    sums, lanes = frame.content.before.sums, frame.lanes
    bands = (
        (
            band,
            max(frame.x(sums[band.start]), lanes.left),
            min(frame.x(sums[band.end]), frame.right),
        )
        for band in frame.content.screen.ruler.bands
    )
    return [(band, left, right) for band, left, right in bands if right - left >= 1]


def band_labels(frame: RulerFrame) -> list[BandLabel]:
    """Return each band's label inside it, long or short; one without room there lies over a
    neighbour, apart from the other labels and from all handles."""
    sums = frame.content.before.sums
    handles = [
        frame.x(sums[handle.index]) for handle in frame.content.screen.ruler.handles
    ]
    blocked = [(x - _HANDLE_ROOM, x + _HANDLE_ROOM) for x in handles]
    labels, others = [], []
    for band, left, right in _visible_bands(frame):
        room = right - left - 2 * _HANDLE_ROOM
        texts = ((detail, _label_width(frame, band, detail)) for detail in band.details)
        fitting = next((one for one in texts if one[1] <= room), None)
        if fitting is None:
            others.append((band, left, right))
        else:
            detail, width = fitting
            labels.append(BandLabel(band, detail, (left + right - width) / 2, width))
    for band, left, right in others:
        if (
            label := _label_beside(frame, band, (left, right), labels, blocked)
        ) is not None:
            labels.append(label)
    return labels


def _label_beside(
    frame: RulerFrame,
    band: RulerBand,
    ends: tuple[float, float],
    labels: Sequence[BandLabel],
    blocked: Sequence[tuple[float, float]],
) -> BandLabel | None:
    """Return the label of a narrow band over a neighbour, the name alone where nothing longer
    fits."""
    taken = [(one.left - LABEL_GAP, one.left + one.width + LABEL_GAP) for one in labels]
    obstacles = [*taken, *blocked]
    for detail in (band.details[-1], ""):
        width = _label_width(frame, band, detail)
        edges = (ends[0] + _HANDLE_ROOM, ends[1] + _HANDLE_ROOM)
        starts = (
            *edges,
            ends[0] - _HANDLE_ROOM - width,
            ends[1] - _HANDLE_ROOM - width,
        )
        for start in starts:
            if start < frame.lanes.left or start + width > frame.right:
                continue
            if all(start + width <= low or start >= high for low, high in obstacles):
                return BandLabel(band, detail, start, width)
    return None


def _label_width(frame: RulerFrame, band: RulerBand, detail: str) -> float:
    return text_width(frame.bold, band.name) + text_width(
        frame.font, _behind_name(detail)
    )


def _behind_name(detail: str) -> str:
    if detail:
        return f" · {detail}"
    return ""


def paint_axis(painter: QPainter, frame: RulerFrame) -> None:
    """Paint ticks below the bars, with the labels that fit, and the saving right of the after
    bar."""
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
        if is_labelled:
            text = ruler_text.axis_label(tokens)
        else:
            text = ""
        if text and text_width(frame.font, text) <= label_box.width():
            paint_label(painter, frame.font, theme.text2, label_box, text)
    _paint_saving(painter, frame)


def _paint_saving(painter: QPainter, frame: RulerFrame) -> None:
    """Write what is saved right of the after bar; in a box at the right end where there is no
    room."""
    theme, lanes, text = (
        frame.theme,
        frame.lanes,
        frame.content.screen.ruler.totals.after_saved,
    )
    if not text:
        return
    left, width = (
        frame.x(frame.content.after.sums[-1]) + 8,
        text_width(frame.bold, text),
    )
    if left < lanes.left or left + width > frame.right:
        left = frame.right - width - 6
        box = QRectF(
            left - 6,
            lanes.after[0] - 1,
            width + 12,
            lanes.after[1] - lanes.after[0] + 2,
        )
        painter.setPen(QPen(theme.control_border, frame.line_width))
        painter.setBrush(theme.surface)
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
    paint_label(
        painter, frame.bold, theme.text, lane_box(left, frame.right, lanes.after), text
    )
