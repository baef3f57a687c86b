"""Decides which screen the window shows: lists and ruler at once, everything else in the next turn."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from core.app.messages import Command
from core.app.rpc import Call
from core.presentation.checked_screen import ScreenChecks
from core.presentation.model import Screen
from gui.screen_cache import PredictedAnswers


class ScreenTracker(QObject):
    """Emits the screens to show. ``first`` is for lists and ruler, which are painted before ``screen``
    updates the rest of the window. It must see every command and every screen in order."""

    first = Signal(object)  # Screen
    screen = Signal(object)  # Screen
    checked = Signal(object)  # Screen already emitted as ``screen``, now with its checks

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._answers = PredictedAnswers()
        self._waiting: Screen | None = None  # not emitted as ``screen`` yet
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.tell)

    @property
    def is_ahead(self) -> bool:
        """True while a predicted screen is shown that the worker has not confirmed."""
        return self._answers.is_ahead

    def forget(self) -> None:
        self._answers.forget()
        self._waiting = None
        self._soon.stop()

    def sent(self, serial: int, command: Command | Call) -> None:
        """Note a sent command; its predicted screen is shown at once."""
        self._show(self._answers.sent(serial, command))

    def receive(self, serial: int, screen: Screen) -> None:
        """Show a received screen unless it is shown already or a later one was requested."""
        self._show(self._answers.receive(serial, screen))

    def _show(self, screen: Screen | None) -> None:
        if screen is not None:
            self._waiting = screen
            self._soon.start()
            self.first.emit(screen)

    def has_found(self, checked: ScreenChecks) -> None:
        screen = self._answers.checked(checked)
        if screen is None:
            return
        if self._waiting is None:
            self.checked.emit(screen)
        else:
            self._waiting = screen

    def tell(self) -> None:
        """Emit the waiting screen to the rest of the window."""
        self._soon.stop()
        screen, self._waiting = self._waiting, None
        if screen is not None:
            self.screen.emit(screen)

    def ended(self) -> None:
        """Everything is answered; replace a predicted screen that was not confirmed."""
        self.tell()
        last_screen = self._answers.ended()
        if last_screen is not None:
            self.screen.emit(last_screen)
