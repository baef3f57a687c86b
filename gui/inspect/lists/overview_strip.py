"""The scroll bar of the list: an overview of fates, errors, marks and matches of all its
messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QScrollBar, QWidget

from core.presentation.filter_query import any_mask
from core.presentation.model import FATES
from gui.language import tr
from gui.widgets.theme import current_theme, with_opacity

WIDTH = 16
_MIN_MARK_HEIGHT = 2  # pixels: least height of an error, mark or match
_FRAME_OPACITY, _MIN_FRAME_HEIGHT = (
    0.08,
    6,
)  # of the accent over the visible part; pixels
_KEPT = FATES.index("kept")
_CHANGES = tuple(code for code in range(len(FATES) + 1) if code != _KEPT)


@dataclass(frozen=True, slots=True)
class OverviewColumns:
    """One byte per message; an empty column has no values. Columns other than ``fates`` are
    flags."""

    count: int
    fates: bytes = b""
    errors: bytes = b""
    marked: bytes = b""
    matches: bytes = b""


def change_per_pixel(fates: bytes, count: int, height: int) -> bytes:
    """Return the most frequent fate other than kept of each pixel from the top, in one pass."""
    return _per_pixel(fates, count, height, _change)


def flag_per_pixel(flags: bytes, count: int, height: int) -> bytes:
    """Return 1 for each pixel with a flagged message."""
    return _per_pixel(flags, count, height, _any)


def _per_pixel(
    column: bytes, count: int, height: int, reduce: Callable[[bytes], int]
) -> bytes:
    if not any(column) or not count:
        return bytes(max(0, height))
    starts = [y * count // height for y in range(height + 1)]
    return bytes(
        [reduce(column[start : max(start + 1, end)]) for start, end in pairwise(starts)]
    )


def _change(piece: bytes) -> int:
    is_uniform = piece.count(piece[0]) == len(piece)
    if is_uniform:
        return piece[0]
    return max(_CHANGES, key=piece.count)


def _any(piece: bytes) -> int:
    return int(piece.count(0) < len(piece))


def message_at(y: int, count: int, height: int) -> int:
    """Return a pixel's first message, the nearest one beyond the ends; -1 without messages."""
    if count <= 0 or height <= 0:
        return -1
    return min(max(y, 0), height - 1) * count // height


class OverviewBar(QScrollBar):
    """The scroll bar of the list: painted once for its columns and size, scrolling moves only the
    frame.

    A click or drag emits ``jumped``; wheel and keys scroll as in any scroll bar.
    """

    jumped = Signal(int)  # message

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.columns = OverviewColumns(0)
        self._visible_range = (0, 0)
        self._picture: QPixmap | None = None
        self.setFixedWidth(WIDTH)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Overview of all messages"))
        self.setToolTip(
            tr(
                "All messages of this list: fates, errors, marks and matches. Click to go there."
            )
        )

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, super().sizeHint().height())

    def show_columns(self, columns: OverviewColumns) -> None:
        if columns != self.columns:
            self.columns = columns
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

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._repaint()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._picture is None:
            self._picture = self._new_picture()
        painter, theme, count = QPainter(self), current_theme(), self.columns.count
        painter.drawPixmap(self.rect(), self._picture)
        start, end = self._visible_range
        top, bottom = (
            (start * self.height() // count, -(-end * self.height() // count))
            if count
            else (0, 0)
        )
        if 0 < bottom - top < self.height():
            frame = QRect(0, top, self.width(), max(bottom - top, _MIN_FRAME_HEIGHT))
            painter.fillRect(frame, with_opacity(theme.accent_text, _FRAME_OPACITY))
            painter.setPen(QPen(theme.accent_text, 2, j=Qt.PenJoinStyle.MiterJoin))
            painter.drawRect(frame.adjusted(1, 1, -1, -1))
        painter.end()

    def _new_picture(self) -> QPixmap:
        """Paint each lane as an image of one byte per pixel line: hundreds of rectangles take
        longer."""
        ratio, theme, columns = self.devicePixelRatioF(), current_theme(), self.columns
        height = max(1, round(self.height() * ratio))
        picture = QPixmap(WIDTH, height)
        picture.fill(theme.surface2)
        painter = QPainter(picture)
        painter.fillRect(0, 0, 1, height, theme.hairline)
        fates = change_per_pixel(columns.fates, columns.count, height)
        _paint_lane(painter, QRect(3, 0, 7, height), fates, theme.fate_fill)
        least = max(1, round(ratio * _MIN_MARK_HEIGHT))
        for column, colour, left in (
            (columns.matches, theme.accent_text, 11),
            (columns.errors, theme.error, 11),
            (columns.marked, theme.text, 1),
        ):
            flags = flag_per_pixel(column, columns.count, height)
            shifted = (
                bytes(by) + flags[: height - by] for by in range(min(least, height))
            )
            lane = QRect(left, 0, WIDTH - 1 - left + (left == 1), height)
            _paint_lane(
                painter, lane, any_mask(shifted, height), (theme.surface2, colour)
            )
        painter.end()
        return picture

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            message = message_at(
                round(event.position().y()), self.columns.count, self.height()
            )
            if message >= 0:
                self.jumped.emit(message)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The base class would scroll by a page."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()


def _paint_lane(
    painter: QPainter, lane: QRect, codes: bytes, colours: tuple[QColor, ...]
) -> None:
    """Paint a column of codes; code 0 stays clear."""
    image = QImage(codes, 1, len(codes), 1, QImage.Format.Format_Indexed8)
    image.setColorTable([0, *(colour.rgba() for colour in colours[1:])])
    painter.drawImage(lane, image)
