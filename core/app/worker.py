"""The worker's side of the pipe: takes commands in order, hands them to the desk, sends events back."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from core.app.messages import (
    LOOKS,
    ChangeSettingsCommand,
    Command,
    CountSecretsCommand,
    Event,
    ExportCommand,
    IdleEvent,
    OpenFileCommand,
    RunCompactionCommand,
    StopReadingCommand,
    UndoCommand,
)
from core.app.services.analysis_commands import INSIGHT
from core.common.errors import Cancelled, FoldlineError
from core.presentation.model import Notice, NoticeAction
from core.presentation.screen_transfer import SentParts

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class WorkerSignal(StrEnum):
    """What the window says to the worker itself rather than to the desk."""

    CANCEL = "cancel"
    CLOSE = "close"


WorkerMessage: TypeAlias = tuple[int, Command | WorkerSignal]
"""A serial number, counted up by the sender, and what is asked."""
WorkerReply: TypeAlias = tuple[int, Event]
"""The serial number of the command that an event answers, and the event."""
EventEmitter: TypeAlias = Callable[[Event], None]
InterruptReason: TypeAlias = Callable[[], str]


class CommandHandlerProtocol(Protocol):
    """Whoever carries out commands in the worker."""

    def handle(self, command: Command) -> None:
        """Carry out one command, emitting events on the way."""


HandlerFactory: TypeAlias = Callable[[EventEmitter, InterruptReason], CommandHandlerProtocol]


class CommandQueue:
    """Commands that wait, in order. A thread fills it, so that the window never blocks on sending."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Command]] = deque()
        self._changed = threading.Condition()
        self._cancelled = 0  # serial of the last cancel
        self._stop_reading = 0
        self._closed = False
        self._serial = 0

    def listen(self, connection: Connection) -> None:
        """Read the pipe until it ends; runs on its own thread."""
        while True:
            try:
                serial, message = connection.recv()
            except (EOFError, OSError):
                serial, message = self._serial + 1, WorkerSignal.CLOSE
            self.put(serial, message)
            if message is WorkerSignal.CLOSE:
                return

    def put(self, serial: int, message: Command | WorkerSignal) -> None:
        """Take one message in. Cancel forgets what waited before it."""
        with self._changed:
            self._serial = serial
            if message is WorkerSignal.CLOSE:
                self._closed = True
            elif message is WorkerSignal.CANCEL:
                self._waiting.clear()
                self._cancelled = serial
            elif isinstance(message, StopReadingCommand):
                self._stop_reading = serial
            elif isinstance(message, OpenFileCommand):
                # what was asked of the former file is moot, settings are not
                self._waiting = deque(one for one in self._waiting if not _is_of_file(one[1]))
                self._waiting.append((serial, message))
            elif not isinstance(message, WorkerSignal):
                self._waiting.append((serial, message))
            self._changed.notify()

    def take(self, answered: int) -> tuple[int, Command | None] | None:
        """The next command, waiting for it; None at the end.

        A command of None means that all up to this serial is answered, ``answered`` being the
        last serial that was reported so.
        """
        with self._changed:
            while not (self._waiting or self._closed or self._serial > answered):
                self._changed.wait()
            if self._closed:
                return None
            if not self._waiting:
                return self._serial, None
            serial, command = self._waiting.popleft()
            while _is_draft(command) and self._waiting and _is_draft(self._waiting[0][1]):
                newer, following = self._waiting.popleft()
                serial, command = newer, _merged(command, following)
            return serial, command

    def interruption(self, serial: int) -> str:
        """What happened since the command ``serial`` began that its work has to know."""
        with self._changed:
            if self._closed or self._cancelled > serial:
                return "cancel"
            if self._waiting and isinstance(self._waiting[0][1], OpenFileCommand):
                return "cancel"
            if self._stop_reading > serial:
                return "stop-reading"
            if any(isinstance(command, ChangeSettingsCommand) for _, command in self._waiting):
                return "newer"
            return ""


def _is_of_file(command: Command) -> bool:
    """True for what makes no sense once another file is opened; the calls of models among it cost money."""
    of_file = (
        OpenFileCommand,
        UndoCommand,
        RunCompactionCommand,
        *LOOKS,
        ExportCommand,
        CountSecretsCommand,
        *INSIGHT,
    )
    return isinstance(command, of_file) or _is_draft(command)


def _is_draft(command: Command) -> bool:
    return isinstance(command, ChangeSettingsCommand) and command.draft


def _merged(older: Command, newer: Command) -> Command:
    """One draft that says what both said; the newer wins."""
    assert isinstance(older, ChangeSettingsCommand)
    assert isinstance(newer, ChangeSettingsCommand)
    return newer.upon(older)


class _EventSender:
    """Sends events with the serial of the command in hand."""

    def __init__(self, connection: Connection, inbox: CommandQueue) -> None:
        self.serial = 0
        self._connection = connection
        self._inbox = inbox
        self._transit = SentParts()

    def emit(self, event: Event) -> None:
        self._connection.send((self.serial, self._transit.packed(event)))

    def interrupted(self) -> str:
        return self._inbox.interruption(self.serial)


def serve_commands(connection: Connection, inbox: CommandQueue, make_desk: HandlerFactory) -> None:
    """Carry out commands until the window closes the pipe. An event Idle follows each batch.

    The desk is made at once, so that the first command need not wait for it.
    """
    post = _EventSender(connection, inbox)
    desk: CommandHandlerProtocol | None = None
    with suppress(Exception):  # the first command tries again, and whoever sent it is told
        desk = make_desk(post.emit, post.interrupted)
    answered = 0
    while (taken := inbox.take(answered)) is not None:
        post.serial, command = taken
        try:
            if command is None:
                answered = post.serial
                post.emit(IdleEvent())
                continue
            if desk is None:
                desk = make_desk(post.emit, post.interrupted)
            _carry_out(desk, command, post.emit)
        except (BrokenPipeError, ConnectionError):
            return


def _carry_out(desk: CommandHandlerProtocol, command: Command, emit: EventEmitter) -> None:
    """Hand over one command; whatever goes wrong becomes a notice and the program goes on."""
    try:
        desk.handle(command)
    except Cancelled:
        return
    except (KeyboardInterrupt, SystemExit, ConnectionError):
        raise
    except FoldlineError as error:
        emit(Notice("error", error.message, error.hint))
    except BaseException as error:  # a tokenizer may panic with a BaseException
        emit(unexpected_error_notice(error, type(command).__name__))


def unexpected_error_notice(error: BaseException, doing: str = "") -> Notice:
    """The notice for a fault of the program itself; its details are a report without secrets."""
    from core.presentation.crash_notice import crash_notice  # late: nothing goes wrong before the first paint

    return crash_notice(error, doing)


def restart_notice(ending: str, path: str) -> Notice:
    """Says that the worker was started anew: ``ending`` how it ended, empty where we ended it."""
    what, text = "Cancelled.", "The work did not stop by itself, so its process was ended and started anew."
    if ending:
        what, text = f"The worker process ended unexpectedly ({ending}).", "It was started anew."
    gone = " No file is open now and session settings are at their defaults." if path else ""
    actions = (NoticeAction("Open it again", "reload", path),) if path else ()
    return Notice("error" if ending else "warning", what, text + gone, actions, topic="worker")


def make_handler(emit: EventEmitter, interrupted: InterruptReason) -> CommandHandlerProtocol:
    """The desk of the program; loaded here, so that the window's process never imports it."""
    from core.tokens.counting_process import counting_process

    counting = counting_process()
    if counting is not None:
        counting.begin()  # it loads its table while this process loads the desk
    from core.app.services.early_opening import EarlyCommandHandler

    return EarlyCommandHandler(emit, interrupted, counting)
