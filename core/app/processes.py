"""The only place that starts processes and threads: the worker, its reader, the process that counts, the
loop of model calls, and the crew that shares out many like jobs.

It imports next to nothing: a window starts its worker before it loads what it says to it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from core.common.process_pool import ignore_interrupts

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from core.app.messages import Command
    from core.app.worker import HandlerFactory, WorkerMessage, WorkerReply, WorkerSignal

DEAF_SECONDS = 1.0
"""How long a cancelled worker may take to answer before it is ended, which loses what it holds. It answers
within a fifth of that; on a machine that is busy with other work the system alone may let it wait."""
_END_SECONDS = 0.2
_CLOSE_SECONDS = 1.0

_Job = TypeVar("_Job")


def run_worker(connection: Connection, make_desk: HandlerFactory | None) -> None:
    """Entry of the worker process; imports no Qt. Without ``make_desk`` it is the program's own desk."""
    import multiprocessing

    from core.tokens.counting_process import counting_process

    ignore_interrupts()
    if make_desk is None and (counting := counting_process()) is not None:
        counting.begin()  # first of all: it loads its table while this process loads all else
    from core.app.worker import CommandQueue, make_handler, serve_commands
    from core.common.garbage_collection import keep_little

    multiprocessing.current_process().daemon = False  # else it might have no crew of its own
    keep_little()
    inbox = CommandQueue()
    Thread(target=inbox.listen, args=(connection,), name="commands", daemon=True).start()
    serve_commands(connection, inbox, make_desk or make_handler)
    if "litellm" in sys.modules:
        os._exit(0)  # what Python tidies up last can wait for ever for it where a call was cancelled


def next_reply(connection: Connection) -> WorkerReply | None:
    """The next reply of a worker, waiting for it; None when the worker has ended. For any thread."""
    try:
        reply: WorkerReply = connection.recv()
    except (EOFError, OSError):
        return None
    return reply


def worker_replies(connection: Connection) -> Iterator[WorkerReply]:
    """The replies of a worker until it ends, as they were before their way through the pipe."""
    from core.presentation.screen_transfer import SentParts

    transit = SentParts()
    while (reply := next_reply(connection)) is not None:
        serial, event = reply
        yield serial, transit.unpacked(event)


class WorkerProcess:
    """One worker process and our end of its pipe. Not started until ``start``.

    Commands get serial numbers, counted over restarts, so that answers to older ones can be told.
    """

    def __init__(self, make_desk: HandlerFactory | None = None) -> None:
        """Without ``make_desk`` it is the program's own desk."""
        self._make_desk = make_desk
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None
        self._is_ahead = False
        self._serial = 0

    @property
    def serial(self) -> int:
        """Number of the last command sent."""
        return self._serial

    @property
    def is_alive(self) -> bool:
        """True while the process runs."""
        return self._process is not None and self._process.is_alive()

    def ending(self) -> str:
        """How a process that ended by itself did so: "exit code 9" or "signal 11"."""
        if self._process is None:
            return ""
        self._process.join(_CLOSE_SECONDS)
        code = self._process.exitcode or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def start_ahead(self) -> None:
        """Start the process now; the next ``start`` takes it over."""
        self.start()
        self._is_ahead = True

    def start(self) -> Connection:
        """Start the process. Returns the pipe's end that ``next_reply`` reads."""
        if self._is_ahead and self._connection is not None:
            self._is_ahead = False
            return self._connection
        import multiprocessing  # late: the first paint does not need it

        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=True)
        process = context.Process(
            target=run_worker, args=(theirs, self._make_desk), name="foldline worker", daemon=True
        )
        process.start()
        theirs.close()
        self._process, self._connection = process, ours
        return ours

    def send(self, command: Command | WorkerSignal) -> int:
        """Send a command; returns its serial. A dead worker is noticed by the reader of its pipe."""
        self._serial += 1
        message: WorkerMessage = (self._serial, command)
        if self._connection is not None:
            with suppress(OSError):  # it has ended; whoever reads the pipe learns it and restarts
                self._connection.send(message)
        return self._serial

    def cancel(self) -> int:
        """Stop what goes on and forget what waits; returns the serial that Idle will carry."""
        from core.app.worker import WorkerSignal

        return self.send(WorkerSignal.CANCEL)

    def kill(self) -> None:
        """End the process at once. The reader of the pipe sees its end."""
        if self._process is not None:
            self._process.kill()
            self._process.join(_CLOSE_SECONDS)

    def ask_to_end(self) -> None:
        """Ask the process to end and end it if it does not; the pipe stays open for its reader."""
        if self._process is None:
            return
        from core.app.worker import WorkerSignal

        self.send(WorkerSignal.CLOSE)
        self._process.join(_END_SECONDS)
        if self._process.is_alive():
            self.kill()

    def release(self) -> None:
        """Close our end and free the process; only when nobody reads the pipe any more."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.join(_CLOSE_SECONDS)
            self._process.close()
        self._process = self._connection = None
