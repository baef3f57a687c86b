"""A thin progress line for work that takes long; quick answers do not show it."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QProgressBar

from core.app.events import WorkingEvent
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
    """Keeps its space while hidden. ``slow_changed`` is emitted when the line appears and when work
    is over."""

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
        backend.idle.connect(self._on_idle)

    def _on_started(self, command: object) -> None:
        if not self._show_timer.isActive() and self.isHidden():
            self._show_timer.start()

    def _on_slow(self) -> None:
        self.setRange(0, 0)
        self.show()
        self.slow_changed.emit(True)

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
        self.slow_changed.emit(False)
