"""The overview strip beside a list: fates, errors, marks and matches of all its messages."""

from __future__ import annotations

from functools import lru_cache
from itertools import starmap

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.presentation.filter.row_filter import any_mask
from core.presentation.lists.overview_strip import (
    OverviewColumns,
    OverviewStrip,
    message_at,
    overview_strip,
    pixels_of,
)
from gui.inspect.lists.painting import with_opacity
from gui.language import tr
from gui.widgets.theme import Theme, theme

WIDTH, _FATE_WIDTH, _MARK_WIDTH = 14, 6, 4
_MIN_MARK_HEIGHT = 2  # pixels: least height of an error, mark or match
_BACKGROUND, _HAIRLINE, _MARKED, _ERROR, _MATCH, _FATE = range(6)
"""Indexes of the colour table; the fates follow from the last on."""
_FRAME_OPACITY = 0.07  # opacity of the text colour over the visible part


def image_bytes(strip: OverviewStrip, min_height: int) -> bytes:
    """Return the strip as WIDTH bytes per pixel line: indexes of the colour table."""
    lanes = zip(
        strip.fates,
        thicken_marks(strip.errors, min_height),
        thicken_marks(strip.marked, min_height),
        thicken_marks(strip.matches, min_height),
        strict=True,
    )
    return b"".join(starmap(_image_line, lanes))


@lru_cache(maxsize=64)
def _image_line(fate: int, error: int, marked: int, match: int) -> bytes:
    if marked:
        return bytes((_HAIRLINE, *[_MARKED] * (WIDTH - 1)))
    mark_colour = _ERROR if error else _MATCH if match else _BACKGROUND
    fate_colour = _FATE + fate if fate else _BACKGROUND
    return bytes(
        (
            _HAIRLINE,
            _BACKGROUND,
            *[fate_colour] * _FATE_WIDTH,
            _BACKGROUND,
            *[mark_colour] * _MARK_WIDTH,
            _BACKGROUND,
        )
    )


def thicken_marks(lane: bytes, min_height: int) -> bytes:
    """Return the lane with every mark at least ``min_height`` pixels high, if there is space below it."""
    shifted = (bytes(by) + lane[: len(lane) - by] for by in range(min(min_height, len(lane))))
    return any_mask(shifted, len(lane))


class OverviewBar(QWidget):
    """Painted once for its columns and size; scrolling moves only the frame. A click jumps."""

    jumped = Signal(int)  # message

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme: Theme = theme("light")
        self._columns = OverviewColumns(0)
        self._visible_range = (0, 0)
        self._picture: QPixmap | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # skips painting the background
        self.setFixedWidth(WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Overview of all messages"))
        self.setToolTip(tr("All messages of this list: fates, errors, marks and matches. Click to go there."))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._repaint()

    @property
    def columns(self) -> OverviewColumns:
        return self._columns

    def show_columns(self, columns: OverviewColumns) -> None:
        if columns != self._columns:
            self._columns = columns
            self._repaint()

    def show_visible_range(self, start: int, end: int) -> None:
        """Frame the messages [start, end), which are visible in the list."""
        if (start, end) != self._visible_range:
            self._visible_range = (start, end)
            self.update()

    def _repaint(self) -> None:
        self._picture = None
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._repaint()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._picture is None:
            self._picture = self._new_picture()
        painter = QPainter(self)
        painter.drawPixmap(self.rect(), self._picture)
        top, bottom = pixels_of(*self._visible_range, self._columns.count, self.height())
        if 0 < bottom - top < self.height():
            frame = QRect(1, top, WIDTH - 1, max(bottom - top, 4))
            painter.fillRect(frame, with_opacity(self._theme.text, _FRAME_OPACITY))
            painter.setPen(self._theme.control_border)
            painter.drawRect(frame.adjusted(0, 0, -1, -1))
        painter.end()

    def _new_picture(self) -> QPixmap:
        """Paint the strip as one image, a line of bytes per pixel: hundreds of rectangles take longer."""
        ratio = self.devicePixelRatioF()
        height = max(1, round(self.height() * ratio))
        colours = self._theme
        inks = [colours.surface2, colours.hairline, colours.text, colours.error, colours.accent_text]
        pixels = image_bytes(overview_strip(self._columns, height), max(1, round(ratio * _MIN_MARK_HEIGHT)))
        image = QImage(pixels, WIDTH, height, WIDTH, QImage.Format.Format_Indexed8)
        image.setColorTable([ink.rgba() for ink in (*inks, *colours.fate_fill)])
        return QPixmap.fromImage(image)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._jump(event.position().y())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._jump(event.position().y())

    def _jump(self, y: float) -> None:
        message = message_at(round(y), self._columns.count, self.height())
        if message >= 0:
            self.jumped.emit(message)
