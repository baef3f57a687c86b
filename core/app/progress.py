"""Reports progress of the worker's work, and ends work that is no longer wanted."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from core.app.events import Event, ReadingProgressEvent, WorkingEvent
from core.common.errors import Cancelled

CANCEL, STOP_READING, NEWER = "cancel", "stop-reading", "newer"
"""Results of ``interrupted``; an empty text means continue."""

_EVERY = 0.05


@dataclass(slots=True)
class ProgressReporter:
    """Reports progress at intervals, and raises Cancelled for work that is no longer wanted."""

    emit: Callable[[Event], None]
    interrupted: Callable[[], str]
    stops_for_newer: bool = False
    is_stopped: bool = False  # the conversation is incomplete
    _last: float = field(default=0.0)

    def reading(self, fraction: float, text: str) -> None:
        if self._due():
            self.emit(ReadingProgressEvent(fraction, text))

    def working(self, fraction: float, text: str) -> None:
        if self._due():
            self.emit(WorkingEvent(text, fraction))

    def stop(self) -> bool:
        """Return whether to stop reading here and show what was read; raises Cancelled."""
        self.is_stopped = self.is_stopped or self._interruption() == STOP_READING
        return self.is_stopped

    def check(self) -> None:
        """Raise Cancelled where the user cancelled or something newer waits."""
        self._interruption()

    def is_cancelled(self) -> bool:
        return self.interrupted() == CANCEL

    def _due(self) -> bool:
        now = time.monotonic()
        if now - self._last < _EVERY:
            return False
        self._last = now
        self._interruption()
        return True

    def _interruption(self) -> str:
        reason = self.interrupted()
        if reason == CANCEL or (reason == NEWER and self.stops_for_newer):
            raise Cancelled
        return reason
