"""Remote calls: the window calls a service's method, the worker runs it and streams what it
yields."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import GeneratorType
from typing import TYPE_CHECKING, Any, TypeAlias

from core.app.remote_methods import ANY_TIME, RemoteOptions, load_presenter, options_of
from core.common.errors import Cancelled

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class Call:
    """A call of ``method`` ("SessionService.sessions"); all arguments can be pickled. ``caller`` is
    a number of the part of the window that called."""

    method: str
    arguments: tuple[object, ...] = ()
    keywords: Mapping[str, object] = field(default_factory=dict)
    options: RemoteOptions = ANY_TIME
    caller: int = field(default=0, compare=False)

    def replaces(self, older: Call) -> bool:
        """Return whether an older call is out of date: the latest one of a caller counts."""
        return self.options.latest and (older.method, older.caller) == (
            self.method,
            self.caller,
        )


def call_of(method: Callable[..., Any], *arguments: object, **keywords: object) -> Call:
    """Return the call of a method of a service; LookupError where the window cannot call it."""
    name = method.__qualname__
    return Call(name, arguments, keywords, options_of(name))


def is_call_of(command: object, *methods: Callable[..., Any]) -> bool:
    """Return whether a command is a call of one of these methods."""
    return isinstance(command, Call) and command.method in [
        method.__qualname__ for method in methods
    ]


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends the call with this serial number, waiting or running."""

    serial: int


@dataclass(frozen=True, slots=True)
class Update:
    """A value that a running call yielded."""

    value: Any


@dataclass(frozen=True, slots=True)
class Returned:
    """The value that a call returned, its last answer."""

    value: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """A call ended with an error, which a Notice tells; without one it was cancelled."""

    notice: Any = None


Answer: TypeAlias = Update | Returned | Failed
AnswerSender: TypeAlias = Callable[[int, Answer], None]
"""Sends an answer to the call with a serial number."""


@dataclass(frozen=True, slots=True)
class _RunningCall:
    serial: int
    call: Call
    steps: Generator[Any, None, Any]
    present: Callable[[Any], Any]


def _as_it_is(value: Any) -> Any:
    return value


class CallRunner:
    """Runs calls. One that yields is advanced step by step, so that other calls can come
    between."""

    def __init__(
        self, send: AnswerSender, failure: Callable[[BaseException, str], object]
    ) -> None:
        """``failure`` returns the Notice for an error and the name of the method."""
        self._send, self._failure = send, failure
        self._running: list[_RunningCall] = []

    @property
    def next_serial(self) -> int | None:
        """The serial of the call that ``step`` advances; None if none is running."""
        if self._running:
            return self._running[0].serial
        return None

    def start(self, serial: int, call: Call, services: Mapping[str, object]) -> None:
        """Run a call to its end; one that yields is only prepared for ``step``."""
        self.end(lambda _, running: call.replaces(running))
        with self._failures_answered(serial, call.method):
            options = options_of(call.method)
            service, _, name = call.method.partition(".")
            method = getattr(services[service], name)
            result = method(*call.arguments, **call.keywords)
            if isinstance(result, GeneratorType):
                if options.presenter:
                    present = load_presenter(options.presenter)
                else:
                    present = _as_it_is
                self._running.append(_RunningCall(serial, call, result, present))
            else:
                self._send(serial, Returned(result))

    @property
    def next_reading(self) -> int | None:
        """The serial of the first running call that only reads; None if there is none."""
        return next(
            (one.serial for one in self._running if one.call.options.reads), None
        )

    def step(self, serial: int | None = None) -> None:
        """Advance the call of a serial, by default the next one."""
        serials = [one.serial for one in self._running]
        running = self._running.pop(0 if serial is None else serials.index(serial))
        with self._failures_answered(running.serial, running.call.method):
            try:
                value = running.present(next(running.steps))
            except StopIteration as end:
                self._send(running.serial, Returned(end.value))
            else:
                self._send(running.serial, Update(value))
                self._running.append(running)

    @contextmanager
    def _failures_answered(self, serial: int, method: str) -> Iterator[None]:
        try:
            yield
        except (KeyboardInterrupt, SystemExit, ConnectionError):
            raise
        except Cancelled:
            self._send(serial, Failed())
        except BaseException as error:  # a tokenizer may panic with one
            self._send(serial, Failed(self._failure(error, method)))

    def end(self, is_ended: Callable[[int, Call], bool]) -> None:
        """End the running calls for whose serial and call ``is_ended`` is true."""
        ended = [
            running
            for running in self._running
            if is_ended(running.serial, running.call)
        ]
        self._running = [running for running in self._running if running not in ended]
        for running in ended:
            running.steps.close()
            self._send(running.serial, Failed())
