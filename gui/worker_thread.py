"""The only Qt thread: reads the replies of the worker process and hands each to the UI thread as a
signal."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, Signal

from core.app.processes import next_reply

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


def collect_due() -> None:
    """Collect garbage if due, while automatic collection is off."""
    counted = zip(gc.get_count(), gc.get_threshold(), strict=True)
    due = [
        generation
        for generation, (count, limit) in enumerate(counted)
        if count > limit > 0
    ]
    if due:
        gc.collect(due[-1])


class PipeReader(QThread):
    """Emits ``arrived(serial, event)`` per reply, and ``ended(reader)`` once when the worker ends.

    Until ``finish``, Python's garbage collector runs only where the UI thread calls it: otherwise
    it would run in this thread too, where PySide destroys the widgets it finds while Qt walks its
    list of widgets.
    """

    arrived = Signal(int, object)
    ended = Signal(object)

    def __init__(self, connection: Connection, parent: QObject) -> None:
        super().__init__(parent)
        self._connection = connection
        gc.disable()

    def finish(self) -> None:
        self.wait()
        gc.enable()
        self.deleteLater()

    def run(self) -> None:
        """Wait for replies until the pipe ends or a reply cannot be read."""
        try:
            while (reply := next_reply(self._connection)) is not None:
                self.arrived.emit(*reply)
        finally:
            self.ended.emit(self)
