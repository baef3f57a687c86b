"""Calls of the worker's services that wait for answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject
from shiboken6 import isValid

from core.app.rpc import Answer, Call, Failed, Returned, Update
from core.presentation.model import Notice

Value = TypeVar("Value")


class PendingCall(Generic[Value]):
    """A call without its last answer. Its slots are called in the UI thread, in order; those of a
    widget that was closed meanwhile are not."""

    def __init__(
        self,
        method: str,
        show_notice: Callable[[Notice], object],
        stop: Callable[[], object],
    ) -> None:
        """``stop`` ends the call in the worker, which then answers that it was cancelled."""
        self.method, self.stop = method, stop
        self._on_update: Callable[[Any], object] = _ignore
        self._on_done: Callable[[Any], object] = _ignore
        self._on_failed: Callable[[Notice], object] = show_notice
        self._on_cancelled: Callable[[], object] = _ignore_end
        self._on_replaced: Callable[[], object] = _ignore_end

    def progress(self, slot: Callable[[Any], object]) -> PendingCall[Value]:
        """Call ``slot`` with each value that the method yields."""
        self._on_update = slot
        return self

    def done(self, slot: Callable[[Value], object]) -> PendingCall[Value]:
        """Call ``slot`` with the value that the method returns."""
        self._on_done = slot
        return self

    def failed(self, slot: Callable[[Notice], object]) -> PendingCall[Value]:
        """Call ``slot`` with the error, which the message bar shows otherwise."""
        self._on_failed = slot
        return self

    def cancelled(self, slot: Callable[[], object]) -> PendingCall[Value]:
        """Call ``slot`` if the call was cancelled: by Cancel, another file or a lost worker."""
        self._on_cancelled = slot
        return self

    def replaced(self, slot: Callable[[], object]) -> PendingCall[Value]:
        """Call ``slot`` if the same caller has called the method again: this call gets no more
        answers."""
        self._on_replaced = slot
        return self

    def abandon(self) -> None:
        """End the call and ignore its remaining answers."""
        self.progress(_ignore).done(_ignore).failed(_ignore).cancelled(
            _ignore_end
        ).replaced(_ignore_end)
        self.stop()

    def end_replaced(self) -> None:
        """A newer call has taken the place of this one."""
        _call(self._on_replaced)

    def answer(self, answer: Answer) -> None:
        match answer:
            case Update(value):
                _call(self._on_update, value)
            case Returned(value):
                _call(self._on_done, value)
            case Failed(None):
                _call(self._on_cancelled)
            case Failed(notice):
                _call(self._on_failed, notice)


class PendingCalls:
    """The calls without their last answers, by serial."""

    def __init__(self, show_notice: Callable[[Notice], object]) -> None:
        self._calls: dict[int, tuple[Call, PendingCall[Any]]] = {}
        self._show_notice = show_notice
        self._failed: set[str] = set()  # methods whose error may still be shown

    def add(self, serial: int, call: Call, pending: PendingCall[Any]) -> None:
        """Add a call; those that it replaces hear so, and are forgotten."""
        replaced = [
            at for at, (older, _) in self._calls.items() if call.replaces(older)
        ]
        ended = [self._calls.pop(at)[1] for at in replaced]
        self._calls[serial] = call, pending
        for one in ended:
            one.end_replaced()

    def answer(self, serial: int, answer: Answer) -> None:
        """Pass an answer on. An error without a topic gets its method as one; a later success
        removes it."""
        if isinstance(answer, Update):
            known = self._calls.get(serial)
        else:
            known = self._calls.pop(serial, None)
        if known is None:
            return
        _, call = known
        if (
            isinstance(answer, Failed)
            and answer.notice is not None
            and not answer.notice.topic
        ):
            self._failed.add(call.method)
            answer = Failed(replace(answer.notice, topic=call.method))
        elif isinstance(answer, Returned) and call.method in self._failed:
            self._failed.remove(call.method)
            self._show_notice(Notice("info", "", "", topic=call.method))
        call.answer(answer)

    def cancel(self, last: int) -> None:
        """Report the calls up to the serial ``last`` as cancelled: the worker will not answer
        them."""
        ended = [serial for serial in self._calls if serial <= last]
        for _, call in [self._calls.pop(serial) for serial in ended]:
            call.answer(Failed())


def _call(slot: Callable[..., object], *values: object) -> None:
    owner = getattr(getattr(slot, "func", slot), "__self__", None)
    if not isinstance(owner, QObject) or isValid(owner):
        slot(*values)


def _ignore(_value: object) -> None: ...


def _ignore_end() -> None: ...
