"""The composition root: builds the application and its main window."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from core.common.paths import bundled_samples
from gui.arguments import StartOptions
from gui.main_window import MainWindow
from gui.platform_errors import exit_on_fatal
from gui.saved_state import WindowState, load_state
from gui.widgets.theme import AppearanceController

if TYPE_CHECKING:
    from core.app.processes import WorkerProcess

STYLE = ("-style", "fusion")
"""Passed as arguments: ``setStyle`` returns a QStyle, and wrapping it takes 20 ms before the first
paint."""


def build_app() -> QApplication:
    """Return the one QApplication. If Qt cannot start, the process ends with one sentence and exit
    code 2."""
    instance = QApplication.instance()
    app = instance if isinstance(instance, QApplication) else _start_qt()
    app.setApplicationName("foldline")
    app.setApplicationDisplayName("Foldline")
    app.setDesktopFileName("foldline")
    return app


def _start_qt() -> QApplication:
    previous_handler = qInstallMessageHandler(exit_on_fatal)
    app = QApplication([sys.argv[0], *STYLE])
    qInstallMessageHandler(previous_handler)
    return app


def build_window(
    app: QApplication,
    start: StartOptions,
    state: WindowState,
    *,
    saves_state: bool = True,
) -> MainWindow:
    """Build the empty window. ``saves_state``: it saves its state when it closes."""
    appearance = AppearanceController(app, start.theme or state.theme, state.zoom)
    return MainWindow(appearance, state, bundled_samples(), saves_state=saves_state)


def dispose_window(window: MainWindow) -> None:
    """Close and destroy a window now, in Qt's order; the garbage collector might crash on it."""
    from PySide6.QtCore import (
        QCoreApplication,
        QEvent,
    )  # late: QEvent brings an enum of 200 names

    window.close()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


class WindowStartup(QObject):
    def __init__(
        self,
        window: MainWindow,
        start: StartOptions,
        worker: WorkerProcess | None = None,
    ) -> None:
        """``worker`` may have been started ahead."""
        super().__init__(window)
        self._window, self._start, self._worker = window, start, worker
        self._start_timer = QTimer(self, singleShot=True, interval=0)
        self._start_timer.timeout.connect(self._on_painted)
        window.painted.connect(self._start_timer.start)

    def _on_painted(self) -> None:
        import signal

        from core.app.processes import WorkerProcess

        self._window.fit_to_screen()
        signal.signal(
            signal.SIGINT, signal.SIG_DFL
        )  # Ctrl C in the terminal ends the program
        try:
            worker = self._worker or WorkerProcess()
            if self._worker is None:
                worker.start_ahead()  # it loads while this process imports the rest
            self._open_ahead(worker)
            from gui.start_up import (  # late: this imports most of the program
                fill_window,
                guard_slots,
                open_from_arguments,
            )

            content = fill_window(self._window, worker=worker)
        except Exception as error:  # an empty window is useless
            from core.common.crash_report import report_failure

            QApplication.exit(report_failure(error, "opening the window"))
            return
        guard_slots(content)
        open_from_arguments(content, self._start)
        gc.freeze()

    def _open_ahead(self, worker: WorkerProcess) -> None:
        """Let the worker read a file while the window is filled, unless a setting has to be sent
        before."""
        from core.app import remote_methods, rpc  # late, as above

        start = self._start
        if start.path and not (start.settings or start.model):
            worker.send_ahead(
                rpc.call_of(remote_methods.OpenService.open, start.open_request)
            )


def show_window(start: StartOptions, worker: WorkerProcess | None = None) -> int:
    """Show the window and wait until it closes; return the exit code."""
    app = build_app()
    state = load_state()
    window = build_window(app, start, state)
    WindowStartup(window, start, worker)
    window.show()
    code = app.exec()
    dispose_window(window)
    return code
