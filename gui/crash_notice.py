"""A fault in the window's own code: a notice with a report, and the window goes on."""

from __future__ import annotations

import sys
from types import TracebackType

from PySide6.QtCore import QObject, Signal

from core.common.crash_report import kind_of
from core.presentation.crash_notice import crash_notice


class UnhandledErrors(QObject):
    """Takes what no slot caught. ``happened(Notice)`` comes once for each kind of fault.

    A fault while painting would come back with every paint of its own notice. The signal also brings
    what went wrong on the thread that reads the worker's pipe to the window's thread.
    """

    happened = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._known: set[str] = set()
        self._former = sys.excepthook
        sys.excepthook = self._on_fault

    def stop(self) -> None:
        """Leave faults to whoever took them before."""
        if sys.excepthook == self._on_fault:
            sys.excepthook = self._former

    def _on_fault(self, kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            self._former(kind, error, where)
        elif (known := kind_of(error)) not in self._known:
            self._known.add(known)
            self.happened.emit(crash_notice(error, "the window"))
