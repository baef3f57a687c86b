"""Work in steps between the events of the window, so that none is delayed; which key an event is;
where a menu opens; and the drag of a message."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from PySide6.QtCore import (
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    Qt,
    QTimer,
)
from PySide6.QtGui import QContextMenuEvent, QDrag, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView

Index = QModelIndex | QPersistentModelIndex
"""A row of a view, as Qt passes it to models and delegates."""
MESSAGE_DRAG = "application/x-foldline-message"
"""What a drag of the selected message carries, whatever its bytes."""
PAUSE_MS = 5
"""Pause between two steps in which other events are handled."""


class StepScheduler(QObject):
    """Runs the steps of one iterator, each in its own turn; a new iterator replaces it.

    Every other turn is left for the paints that the last step requested.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: Iterator[None] = iter(())
        self._is_step_turn = False
        self._timer = QTimer(self, interval=PAUSE_MS)
        self._timer.timeout.connect(self._on_turn)

    @property
    def is_busy(self) -> bool:
        """True while steps are left."""
        return self._timer.isActive()

    def start(self, steps: Iterator[None]) -> None:
        """Run these steps from a later turn on, and drop the remaining ones."""
        self._steps, self._is_step_turn = steps, False
        self._timer.start()

    def add(self, steps: Iterator[None]) -> None:
        """Run these steps after the remaining ones."""
        self._steps = chain(self._steps, steps)
        self._timer.start()

    def finish(self) -> None:
        self._timer.stop()
        for _ in self._steps:
            pass

    def cancel(self) -> None:
        self._timer.stop()
        self._steps = iter(())

    def _on_turn(self) -> None:
        self._is_step_turn = not self._is_step_turn
        if self._is_step_turn:
            try:
                next(self._steps)
            except StopIteration:
                self._timer.stop()


_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def is_enter(event: QKeyEvent) -> bool:
    """True for Enter without modifiers, on the keypad too."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() in _ENTER and not modifiers


def menu_position(
    view: QAbstractItemView, event: QContextMenuEvent
) -> tuple[QModelIndex, QPoint]:
    """Return the row that a menu is for, and where on the screen it opens: under the pointer, by
    key below the current row."""
    place = event.pos()
    index = view.indexAt(place)
    if event.reason() == QContextMenuEvent.Reason.Keyboard:
        index = view.currentIndex()
        place = view.visualRect(index).bottomLeft() + _MENU_INDENT
    return index, view.viewport().mapToGlobal(place)


_MENU_INDENT = QPoint(24, 0)


def drag_message(source: QObject) -> None:
    """Drag the selected message until it is dropped."""
    data = QMimeData()
    data.setData(MESSAGE_DRAG, b"selected")
    _drag(source, data)


def drag_text(source: QObject, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    _drag(source, data)


def _drag(source: QObject, data: QMimeData) -> None:
    drag = QDrag(source)
    drag.setMimeData(data)
    drag.exec(Qt.DropAction.CopyAction)
