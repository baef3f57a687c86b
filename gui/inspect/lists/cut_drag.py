"""Dragging the row of a cut: the pointer in rows becomes the boundary that is asked for."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

_SCROLL_MS = 40
"""Pause between two steps while the pointer is above or below the list."""
_MOST_ROWS = 25  # of one such step


class CutDrag(QObject):
    """A drag from a press on the row of a cut to its release.

    The row stays where it is, so the distance of the pointer from its press counts, in rows of
    messages; beyond the list it grows by itself, the faster the further the pointer is.
    """

    wanted = Signal(str, int)  # name of the cut, boundary
    ended = Signal(bool)  # whether the cut stays where it is now

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._name, self._boundary, self._pressed = "", 0, 0
        self._row_pixels, self._height, self._pointer = 1, 0, 0
        self._extra = 0  # rows beyond the list
        self.is_active = False
        self._timer = QTimer(self, interval=_SCROLL_MS)
        self._timer.timeout.connect(self._scroll)

    def press(self, name: str, boundary: int, y: int) -> None:
        """Note a press on the row of a cut that can be dragged."""
        self._name, self._boundary, self._pressed, self._extra = name, boundary, y, 0

    def move(self, y: int, row_pixels: int, height: int) -> bool:
        """Follow the pointer; return False where no cut was pressed. ``height`` is that of the
        list."""
        if not self._name:
            return False
        self._pointer, self._row_pixels, self._height = y, row_pixels, height
        if not self.is_active and abs(y - self._pressed) < QApplication.startDragDistance():
            return True
        self.is_active = True
        if self._beyond():
            self._timer.start()
        else:
            self._timer.stop()
        self._want()
        return True

    def release(self, *, is_kept: bool = True) -> bool:
        """End the drag; return whether there was one."""
        was_active, self.is_active, self._name = self.is_active, False, ""
        self._timer.stop()
        if was_active:
            self.ended.emit(is_kept)
        return was_active

    def _beyond(self) -> int:
        """Return how far the pointer is below the list, above it as a negative number."""
        return min(self._pointer, 0) + max(self._pointer - self._height, 0)

    def _scroll(self) -> None:
        rows = self._beyond() / self._row_pixels
        step = round(rows * abs(rows)) or (1 if rows > 0 else -1)
        self._extra += max(-_MOST_ROWS, min(_MOST_ROWS, step))
        self._want()

    def _want(self) -> None:
        rows = round((self._pointer - self._pressed) / self._row_pixels)
        self.wanted.emit(self._name, self._boundary + rows + self._extra)
