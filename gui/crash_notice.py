"""Turns an unhandled error of the window into a notice with a report; the window stays open."""

from __future__ import annotations

import sys
from types import TracebackType

from PySide6.QtCore import QObject, Signal

from core.app.worker import crash_notice
from core.common.crash_report import error_kind


class UnhandledErrors(QObject):
    """Emits ``error_reported(Notice)`` for each kind of unhandled error, once.

    An error while painting would otherwise repeat with every paint of its own notice. The signal also carries
    errors of the reader thread to the window's thread.
    """

    error_reported = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._reported: set[str] = set()
        self._previous_hook = sys.excepthook
        sys.excepthook = self._on_fault

    def stop(self) -> None:
        """Restore the previous ``sys.excepthook``."""
        if sys.excepthook == self._on_fault:
            sys.excepthook = self._previous_hook

    def _on_fault(
        self, error_type: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            self._previous_hook(error_type, error, traceback)
        elif (kind := error_kind(error)) not in self._reported:
            self._reported.add(kind)
            self.error_reported.emit(crash_notice(error, "the window"))
