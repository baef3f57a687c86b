"""Which screen the window shows, and when: lists and ruler at once, all the rest in the next turn."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from core.app.messages import Command
from core.presentation.checked_screen import ScreenChecks
from core.presentation.model import Screen
from gui.screen_cache import PredictedAnswers


class ScreenTracker(QObject):
    """Told of every command and every screen in order. ``first`` is for lists and ruler, which are painted
    before ``screen`` says the same to the rest of the window."""

    first = Signal(object)  # Screen
    screen = Signal(object)  # Screen
    checked = Signal(object)  # Screen that was told as ``screen`` before it was checked

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._answers = PredictedAnswers()
        self._waiting: Screen | None = None  # not told as ``screen`` yet
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.tell)

    @property
    def is_ahead(self) -> bool:
        """True where what is shown is known to be the answer, which has not come yet."""
        return self._answers.is_ahead

    def forget(self) -> None:
        """What came before is no answer any more."""
        self._answers.forget()
        self._waiting = None
        self._soon.stop()

    def sent(self, serial: int, command: Command) -> None:
        """A command was sent; its answer is shown at once where it is known."""
        self._show(self._answers.sent(serial, command))

    def came(self, serial: int, screen: Screen) -> None:
        """A screen came: shown unless it is shown already, or one that was asked for later is."""
        self._show(self._answers.came(serial, screen))

    def _show(self, screen: Screen | None) -> None:
        if screen is not None:
            self._waiting = screen
            self._soon.start()
            self.first.emit(screen)

    def found(self, checked: ScreenChecks) -> None:
        """The checks of a screen came."""
        screen = self._answers.checked(checked)
        if screen is None:
            return
        if self._waiting is None:
            self.checked.emit(screen)
        else:
            self._waiting = screen

    def tell(self) -> None:
        """Tell the rest of the window what waits for its turn."""
        self._soon.stop()
        screen, self._waiting = self._waiting, None
        if screen is not None:
            self.screen.emit(screen)

    def ended(self) -> None:
        """All is answered; what was shown ahead and nobody confirmed goes."""
        self.tell()
        former = self._answers.ended()
        if former is not None:
            self.screen.emit(former)
