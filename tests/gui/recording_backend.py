"""A backend that records calls, for tests of single widgets; the test answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.app.rpc import Returned
from core.presentation.model import Notice
from gui.remote_call import PendingCall


class RecordingBackend(QObject):
    notice = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self._pending: dict[str, PendingCall[Any]] = {}

    def call(self, method: Callable[..., Any], *arguments: Any) -> PendingCall[Any]:
        name = method.__qualname__
        self.calls.append((name, arguments))
        self._pending[name] = PendingCall[Any](name, self._emit_notice, lambda: None)
        return self._pending[name]

    def _emit_notice(self, notice: Notice) -> None:
        self.notice.emit(notice)

    def answer(self, method: Callable[..., Any], value: object) -> None:
        """Answer the last call of a method."""
        self._pending[method.__qualname__].answer(Returned(value))

    def last_arguments(self, method: Callable[..., Any]) -> tuple[Any, ...]:
        return next(arguments for name, arguments in reversed(self.calls) if name == method.__qualname__)
