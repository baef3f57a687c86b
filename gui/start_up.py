"""Fills an empty window with a workspace and opens what the command line names; errors become
notices."""

from __future__ import annotations

import sys
from types import TracebackType

from PySide6.QtCore import QObject, Signal

from core.app.processes import WorkerProcess
from core.app.remote_methods import ProfileService
from core.app.worker import HostFactory, crash_notice
from core.common.crash_report import error_kind
from gui.arguments import StartOptions
from gui.backend import BackendClient
from gui.main_window import MainWindow
from gui.window_content import WindowContent


def fill_window(
    window: MainWindow,
    host_factory: HostFactory | None = None,
    worker: WorkerProcess | None = None,
) -> WindowContent:
    """Give a window its backend client and its workspace; without ``worker``, a new one is
    started."""
    backend = BackendClient(host_factory=host_factory, worker=worker)
    backend.start()
    window.complete()
    return WindowContent(window, backend)


def guard_slots(content: WindowContent) -> UnhandledErrors:
    """Turn unhandled errors into notices until the window is closed."""
    faults = UnhandledErrors(content)
    faults.error_reported.connect(content.bar.add)
    content.window.closing.connect(faults.stop)
    return faults


def open_from_arguments(content: WindowContent, start: StartOptions) -> None:
    backend = content.backend
    for text in start.settings:
        backend.set_text(text)
    if start.model:
        backend.set_model(start.model)
    if start.right:
        content.open_controller.open_pair(start.open_request, start.right)
    elif start.path:
        content.open_controller.open(start.open_request)
    else:
        content.browser.list_sessions()
    if start.profile:  # opening a file drops earlier commands
        backend.call(content, ProfileService.use, start.profile)


class UnhandledErrors(QObject):
    """Emits ``error_reported(Notice)`` for each kind of unhandled error, once.

    An error while painting would otherwise repeat with every paint of its own notice. The signal
    also carries errors of the reader thread to the window's thread.
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
        self,
        error_type: type[BaseException],
        error: BaseException,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            self._previous_hook(error_type, error, traceback)
        elif (kind := error_kind(error)) not in self._reported:
            self._reported.add(kind)
            self.error_reported.emit(crash_notice(error, "the window"))
