"""The static picture of the ruler, painted once per screen, size, theme and view."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from gui.inspect.ruler.axis import paint_axis, paint_sums
from gui.inspect.ruler.bars import paint_bars, paint_lane, paint_strip
from gui.inspect.ruler.frame import RulerFrame
from gui.inspect.ruler.labels import paint_bands, paint_legend, paint_overview, why_box


def cached_picture(frame: RulerFrame, ratio: float) -> QPixmap:
    picture_key = frame.view, frame.theme, frame.lanes, frame.width, frame.font, ratio
    painted = frame.content.cached_pictures
    if not painted or painted[0][0] != picture_key:
        painted[:] = [(picture_key, ruler_picture(frame, ratio))]
    return painted[0][1]


def ruler_picture(frame: RulerFrame, ratio: float) -> QPixmap:
    """Paint all but handles, frames and the requested cut, sharp at device pixel ``ratio``."""
    height = frame.lanes.height
    pixmap = QPixmap(round(frame.width * ratio), round(height * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(frame.theme.surface)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    paint_bars(painter, frame)
    paint_strip(painter, frame)
    paint_lane(painter, frame)
    paint_bands(painter, frame)
    paint_axis(painter, frame)
    paint_sums(painter, frame)
    if frame.view.zoomed:
        paint_overview(painter, frame)
    elif frame.lanes.legend_shown:
        paint_legend(painter, frame, why_box(frame))
    painter.end()
    return pixmap


def paint_focus(painter: QPainter, frame: RulerFrame) -> None:
    """Paint the focus ring if the ruler has the focus and no handle has."""
    painter.setPen(frame.theme.accent_text)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    box = QRectF(0.5, 0.5, frame.width - 1, frame.lanes.height - 1)
    painter.drawRect(box)
    painter.drawRect(box.adjusted(1, 1, -1, -1))
