"""The worker's side of the pipe: queues calls, runs them and sends their answers and events
back."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from core.app.events import NO_FILE, Event, IdleEvent, WorkerReadyEvent
from core.app.rpc import Answer, Call, CallRunner, Stop
from core.common import crash_report
from core.common.errors import FoldlineError, NoFileError
from core.common.excerpts import one_line_text
from core.common.paths import display_name
from core.presentation.model import Notice, NoticeAction

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class WorkerSignal(StrEnum):
    """Signals of the window to the worker itself rather than to a service."""

    CANCEL = "cancel"
    STOP_READING = "stop-reading"  # show what was read so far
    CLOSE = "close"


WORKER_TOPIC = "worker"
"""Topic of the notices about the worker process: one replaces another."""
WorkerMessage: TypeAlias = tuple[int, Call | Stop | WorkerSignal]
"""A serial number, counted up by the sender, and the call or signal."""
WorkerReply: TypeAlias = tuple[int, Event | Answer]
"""The serial number of the call, and an event or the call's answer."""
EventEmitter: TypeAlias = Callable[[Event], None]
InterruptReason: TypeAlias = Callable[[], str]


class ServiceHostProtocol(Protocol):
    serve_reading: Callable[[], None]
    """What the host calls again and again while it waits for a model."""

    @property
    def services(self) -> Mapping[str, object]:
        """The services by the name of their class."""
        ...


HostFactory: TypeAlias = Callable[[EventEmitter, InterruptReason], ServiceHostProtocol]


class CallQueue:
    """Waiting calls in order. A thread fills it, so that the window never blocks on sending."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Call]] = deque()
        self._changed = threading.Condition()
        self._cancelled = 0  # serial of the last cancel
        self._stop_reading = 0
        self._stopped: set[int] = set()  # serials of stopped calls
        self._closed = False
        self._serial = 0

    def listen(self, connection: Connection) -> None:
        """Read the pipe until it ends; runs on its own thread."""
        while True:
            try:
                serial, message = connection.recv()
            except (EOFError, OSError):
                serial = self._serial + 1
                message = WorkerSignal.CLOSE
            self.put(serial, message)
            if message is WorkerSignal.CLOSE:
                return

    def put(self, serial: int, message: Call | Stop | WorkerSignal) -> None:
        """Add a message. Cancel removes what waits before it."""
        with self._changed:
            self._serial = serial
            if message is WorkerSignal.CLOSE:
                self._closed = True
            elif message is WorkerSignal.CANCEL:
                self._waiting.clear()
                self._cancelled = serial
            elif isinstance(message, Stop):
                self._stopped.add(message.serial)
                self._waiting = deque(
                    one for one in self._waiting if one[0] != message.serial
                )
            elif message is WorkerSignal.STOP_READING:
                self._stop_reading = serial
            elif isinstance(message, Call):
                self._add(serial, message)
            self._changed.notify()

    def _add(self, serial: int, call: Call) -> None:
        if call.options.opens_file:  # calls about the former file are moot
            kept = (
                one
                for one in self._waiting
                if not (one[1].options.of_file or one[1].options.opens_file)
            )
            self._waiting = deque(kept)
        if call.options.latest:
            self._drop_replaced(call)
        self._waiting.append((serial, call))

    def _drop_replaced(self, newer: Call) -> None:
        """Remove the older call that a newer one replaces; but none from before a call that
        replaces none."""
        for index in reversed(range(len(self._waiting))):
            waiting = self._waiting[index][1]
            if newer.replaces(waiting):
                del self._waiting[index]
                return
            if not waiting.options.latest:
                return

    def take(
        self, answered: int, is_running: bool = False
    ) -> tuple[int, Call | None] | None:
        """Wait for the next call; None at the end.

        A call of None means that all up to this serial is answered, but for calls that are running;
        ``answered`` is the last serial that was reported so.
        """
        with self._changed:
            while not (
                self._waiting or self._closed or is_running or self._serial > answered
            ):
                self._changed.wait()
            if self._closed:
                return None
            if not self._waiting:
                return self._serial, None
            return self._waiting.popleft()

    def take_reading(self) -> tuple[int, Call] | None:
        """Return the first waiting call that only reads what is shown; None if there is none."""
        with self._changed:
            reading = next((one for one in self._waiting if one[1].options.reads), None)
            if reading is not None:
                self._waiting.remove(reading)
            return reading

    def is_cancelled(self, serial: int) -> bool:
        """Return whether Cancel, or Stop for this serial, was received after it."""
        return serial < self._cancelled or serial in self._stopped

    def interruption(self, serial: int) -> str:
        """Return why the work of the call ``serial`` should end; empty where it should not."""
        with self._changed:
            if self._closed or self.is_cancelled(serial):
                return "cancel"
            waiting = [call.options for _, call in self._waiting]
            if any(options.opens_file for options in waiting):
                return "cancel"
            if self._stop_reading > serial:
                return "stop-reading"
            if any(options.interrupts for options in waiting):
                return "newer"
            return ""


class _EventSender:
    """Sends events with the serial of the call in hand."""

    def __init__(self, connection: Connection, queue: CallQueue) -> None:
        self.serial = 0
        self._connection = connection
        self._queue = queue

    def emit(self, event: Event) -> None:
        self._connection.send((self.serial, event))

    def answer(self, serial: int, answer: Answer) -> None:
        self._connection.send((serial, answer))

    def interrupted(self) -> str:
        return self._queue.interruption(self.serial)


class _CallServer:
    """Runs calls one after the other; those that only read run while another waits for its
    model."""

    def __init__(
        self, sender: _EventSender, queue: CallQueue, host_factory: HostFactory
    ) -> None:
        self._sender, self._queue, self._factory = sender, queue, host_factory
        self._host: ServiceHostProtocol | None = None
        self.runner = CallRunner(sender.answer, notice_of_error)

    def host(self) -> ServiceHostProtocol:
        if self._host is None:
            self._host = self._factory(self._sender.emit, self._sender.interrupted)
            self._host.serve_reading = self._serve_reading
        return self._host

    def end_cancelled(self) -> None:
        self.runner.end(lambda serial, _: self._queue.is_cancelled(serial))

    def start(self, serial: int, call: Call) -> None:
        self._sender.serial = serial
        if call.options.opens_file:
            self.runner.end(lambda _, running: running.options.of_file)
        self.runner.start(serial, call, self.host().services)

    def step(self, serial: int) -> None:
        self._sender.serial = serial
        self.runner.step(serial)

    def _serve_reading(self) -> None:
        """Start the next call that only reads, or advance one, in the middle of the call in
        hand."""
        in_hand = self._sender.serial
        self.end_cancelled()
        entry = self._queue.take_reading()
        running = self.runner.next_reading
        try:
            if entry is not None:
                self.start(*entry)
            elif running is not None:
                self.step(running)
        finally:
            self._sender.serial = in_hand


def serve_calls(
    connection: Connection, queue: CallQueue, host_factory: HostFactory
) -> None:
    """Carry out calls until the window closes the pipe. An IdleEvent follows each batch.

    The host is made at once, so that the first call need not wait for it.
    """
    sender = _EventSender(connection, queue)
    server = _CallServer(sender, queue, host_factory)
    with suppress(Exception):  # the first call tries again and reports the error
        server.host()
    with suppress(OSError):  # a window that closed meanwhile
        sender.emit(WorkerReadyEvent())
    answered = 0
    while (
        entry := queue.take(answered, server.runner.next_serial is not None)
    ) is not None:
        serial, call = entry
        try:
            server.end_cancelled()
            if call is not None:
                server.start(serial, call)
            elif server.runner.next_serial is not None:
                server.step(server.runner.next_serial)
            else:
                answered = sender.serial = serial
                sender.emit(IdleEvent())
        except (BrokenPipeError, ConnectionError):
            return


_OF_COMMANDS = re.compile(r' \("foldline [^)]*\)|; --[^.;]*')
"""What a way out says of options and commands, which a window does not have."""


def notice_of_error(error: BaseException, doing: str) -> Notice:
    """Return the notice of an error; for a fault of the program itself, with a report without
    secrets."""
    if isinstance(error, FoldlineError):
        topic = NO_FILE if isinstance(error, NoFileError) else ""
        return Notice(
            "error", error.message, _OF_COMMANDS.sub("", error.hint), topic=topic
        )

    return crash_notice(error, doing)


def crash_notice(error: BaseException, doing: str = "") -> Notice:
    """Return a notice whose details are the crash report, which is also saved."""
    text = crash_report.crash_report(error, doing)
    message = one_line_text(crash_report.without_secrets(str(error).split("\n", 1)[0]))
    if message and not message.endswith((".", "…")):
        message = f"{message}."
    location = crash_report.report_location(crash_report.save_report(text))
    title = f"Something went wrong: {type(error).__name__}."
    words = " ".join(filter(None, (message, location)))
    return Notice("error", title, words, details=text, topic=crash_report.NOTICE_TOPIC)


def cancelled_notice(path: str) -> Notice:
    """Return the notice of a worker that the window ended because it did not answer Cancel."""
    text = (
        "The work did not stop by itself, so its process was ended and started again."
    )
    if not path:
        return Notice("warning", "Cancelled.", text, topic=WORKER_TOPIC)

    text += " No file is open now."
    return Notice(
        "warning", "Cancelled.", text, (_open_again(path),), topic=WORKER_TOPIC
    )


def ended_notice(ending: str) -> Notice:
    """Return the notice of a worker that ended by itself while no file was open."""
    title = f"Foldline's background process ended unexpectedly ({ending})."
    return Notice("error", title, "It was started again.", topic=WORKER_TOPIC)


def reopening_notice() -> Notice:
    title, text = "Reading was interrupted.", "Opening again…"
    return Notice("info", title, text, topic=WORKER_TOPIC)


def reopened_notice(lost_runs: int) -> Notice:
    """Return the notice of a file that is shown again; runs were in the memory of the worker."""
    if lost_runs == 0:
        return Notice("info", "Opened again; nothing was lost.", "", topic=WORKER_TOPIC)

    if lost_runs == 1:
        runs = "1 run"
    else:
        runs = f"{lost_runs} runs"
    title = f"Opened again with its settings. The list of runs is lost ({runs})."
    return Notice("warning", title, "", topic=WORKER_TOPIC)


def stopped_twice_notice(ending: str, path: str) -> Notice:
    """Return the notice of a file during whose work two workers ended within a minute."""
    title = f"Reading {display_name(path)} stopped twice ({ending})."
    text = ""
    # Only the kernel sends signal 9 without being asked, and it does so where memory is used up.
    if ending == "signal 9":
        title = f"Reading {display_name(path)} stopped twice;"
        text = f"the system ended it ({ending}), often because memory ran out."
    details = (
        f"{path}\nThe process that reads it ended twice within a minute, "
        f"at last with {ending}."
    )
    actions = (_open_again(path),)
    return Notice("error", title, text, actions, details, topic=WORKER_TOPIC)


def cannot_start_notice(ending: str, details: str) -> Notice:
    """Return the notice of a worker that ended several times before it could take a call."""
    title = f"Foldline's background process cannot start ({ending})."
    last_line = details.strip().rpartition("\n")[2]
    action = NoticeAction("Try again", "reload")
    return Notice(
        "error", title, last_line, (action,), details=details, topic=WORKER_TOPIC
    )


def _open_again(path: str) -> NoticeAction:
    return NoticeAction("Open again", "reload", path)
