"""The only Qt thread: reads the worker's pipe and hands each reply to the UI thread as a signal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, Signal

from core.app.processes import replies

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class PipeReader(QThread):
    """Emits ``arrived(serial, event)`` per reply, and ``ended(reader)`` once when the worker ends."""

    arrived = Signal(int, object)
    ended = Signal(object)

    def __init__(self, connection: Connection, parent: QObject) -> None:
        super().__init__(parent)
        self._connection = connection

    def run(self) -> None:
        """Wait for replies until the pipe ends, or brings what cannot be understood."""
        try:
            for serial, event in replies(self._connection):
                self.arrived.emit(serial, event)
        finally:
            self.ended.emit(self)
