"""A thin progress line for work that takes long; quick answers do not show it."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QProgressBar

from core.app.events import WorkingEvent
from core.app.rpc import Call
from core.presentation.screen_model import Screen
from gui.backend import BackendClient
from gui.language import tr

SHOW_AFTER_MS = 150
"""Work that takes longer shows the line."""
_STEPS = 1000


def show_progress(bar: QProgressBar, done: int, total: int) -> None:
    """Show progress in the next frame: by itself Qt paints the window at once, amid its other
    changes."""
    bar.setUpdatesEnabled(False)
    bar.setRange(0, total)
    bar.setValue(done)
    bar.setUpdatesEnabled(True)


class ProgressLine(QProgressBar):
    """Keeps its space while hidden. ``slow_changed`` is emitted when a result is awaited for long,
    and when it is shown or work is over."""

    slow_changed = Signal(bool)

    def __init__(self, backend: BackendClient) -> None:
        super().__init__()
        self.setTextVisible(False)
        self.setAccessibleName(tr("Work in progress"))
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        self.hide()
        self._show_timer = QTimer(self, singleShot=True, interval=SHOW_AFTER_MS)
        self._show_timer.timeout.connect(self._on_slow)
        backend.started.connect(self._on_started)
        backend.working.connect(self._on_working)
        backend.screen.connect(self._on_screen)
        backend.idle.connect(self._on_idle)
        self._awaits_result = False

    def _on_started(self, command: Call) -> None:
        self._awaits_result |= _changes_result(command)
        if not self._show_timer.isActive():
            self._show_timer.start()

    def _on_slow(self) -> None:
        if self.isHidden():
            self.setRange(0, 0)
            self.show()
        if self._awaits_result:
            self.slow_changed.emit(True)

    def _on_screen(self, screen: Screen) -> None:
        """What is shown is no longer old, even if trials go on."""
        self._awaits_result = False
        self.slow_changed.emit(False)

    def _on_working(self, working: WorkingEvent) -> None:
        if not self.isHidden():
            show_progress(
                self,
                round(working.fraction * _STEPS),
                _STEPS if working.fraction > 0 else 0,
            )

    def _on_idle(self) -> None:
        self._show_timer.stop()
        self.hide()
        self._awaits_result = False
        self.slow_changed.emit(False)


def _changes_result(command: Call) -> bool:
    """Return whether a call may change what is shown; questions, of which the latest counts, do
    not."""
    options = command.options
    return options.interrupts or options.opens_file or not options.latest
