"""Decides which screen the window shows: lists and ruler at once, everything else in the next turn."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from core.app.messages import Command
from core.app.rpc import Call
from core.presentation.checked_screen import ScreenChecks
from core.presentation.model import Screen
from gui.screen_cache import PredictedAnswers


class ScreenTracker(QObject):
    """Emits the screens to show. ``list_screen`` is for lists and ruler, which are painted before ``screen``
    updates the rest of the window. It must see every command and every screen in order."""

    list_screen = Signal(object)  # Screen
    screen = Signal(object)  # Screen
    screen_checked = Signal(object)  # Screen already emitted as ``screen``, now with its checks

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._predictions = PredictedAnswers()
        self._pending_screen: Screen | None = None  # not emitted as ``screen`` yet
        self._emit_timer = QTimer(self, singleShot=True, interval=0)
        self._emit_timer.timeout.connect(self.emit_pending)

    @property
    def is_predicted(self) -> bool:
        """True while a predicted screen is shown that the worker has not confirmed."""
        return self._predictions.is_predicted

    def forget(self) -> None:
        self._predictions.forget()
        self._pending_screen = None
        self._emit_timer.stop()

    def note_command(self, serial: int, command: Command | Call) -> None:
        """Note a sent command; its predicted screen is shown at once."""
        self._show(self._predictions.predict(serial, command))

    def receive(self, serial: int, screen: Screen) -> None:
        """Show a received screen unless it is shown already or a later one was requested."""
        self._show(self._predictions.receive(serial, screen))

    def _show(self, screen: Screen | None) -> None:
        if screen is not None:
            self._pending_screen = screen
            self._emit_timer.start()
            self.list_screen.emit(screen)

    def add_checks(self, checks: ScreenChecks) -> None:
        screen = self._predictions.add_checks(checks)
        if screen is None:
            return
        if self._pending_screen is None:
            self.screen_checked.emit(screen)
        else:
            self._pending_screen = screen

    def emit_pending(self) -> None:
        """Emit the waiting screen to the rest of the window."""
        self._emit_timer.stop()
        screen, self._pending_screen = self._pending_screen, None
        if screen is not None:
            self.screen.emit(screen)

    def finish(self) -> None:
        """Everything is answered; replace a predicted screen that was not confirmed."""
        self.emit_pending()
        last_screen = self._predictions.finish()
        if last_screen is not None:
            self.screen.emit(last_screen)
