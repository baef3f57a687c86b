"""A backend that records calls, for tests of single widgets; the test answers."""

from collections.abc import Callable
from typing import Any, cast

from PySide6.QtCore import QObject, Signal

from core.app.rpc import Failed, Returned
from core.presentation.model import Notice
from gui.backend import BackendClient
from gui.remote_call import PendingCall


class RecordingBackend(QObject):
    notice = Signal(object)
    started = Signal(object)
    screen = Signal(object)
    idle = Signal()
    working = Signal(object)
    opened = Signal(object)
    trial_page = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self._pending: dict[str, PendingCall[Any]] = {}

    @property
    def client(self) -> BackendClient:
        return cast("BackendClient", self)

    def call(
        self, caller: object, method: Callable[..., Any], *arguments: Any
    ) -> PendingCall[Any]:
        name = method.__qualname__
        self.calls.append((name, arguments))
        self._pending[name] = PendingCall[Any](name, self.notice.emit, lambda: None)
        return self._pending[name]

    def set_value(self, key: str, value: object, provisional: bool = False) -> None:
        self.calls.append(("set_value", (key, value)))

    def set_values(self, values: object) -> None:
        self.calls.append(("set_values", (values,)))

    def tell_aimed(self, card: object) -> None:
        self.calls.append(("tell_aimed", (card,)))

    def undo(self) -> None:
        self.calls.append(("undo", ()))

    def cancel(self) -> None:
        self.calls.append(("cancel", ()))

    def answer(self, method: Callable[..., Any], value: object) -> None:
        self._pending[method.__qualname__].answer(Returned(value))

    def fail(self, method: Callable[..., Any], notice: Notice | None) -> None:
        """Fail the last call of a method; None: it was cancelled."""
        self._pending[method.__qualname__].answer(Failed(notice))

    def last_arguments(self, method: Callable[..., Any]) -> tuple[Any, ...]:
        return next(
            arguments
            for name, arguments in reversed(self.calls)
            if name == method.__qualname__
        )
