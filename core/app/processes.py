"""Starts the worker process and its reader.

It imports next to nothing, because a window starts its worker before it loads the modules of
commands.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
import traceback
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from core.common.process_pool import ignore_interrupts

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from core.app.rpc import Call, Stop
    from core.app.worker import HostFactory, WorkerMessage, WorkerReply, WorkerSignal

UNRESPONSIVE_SECONDS = 1.0
"""How long a cancelled worker may take to answer before it is killed, which loses its state. It
answers within a fifth of that, unless the machine is busy with other work."""
_END_SECONDS = 0.2
_CLOSE_SECONDS = 1.0

_Job = TypeVar("_Job")


def run_worker(connection: Connection, host_factory: HostFactory | None) -> None:
    """Run the worker process; imports no Qt. Without ``host_factory`` the program's own is used."""
    gc.set_threshold(
        50_000
    )  # imports, reading and previews make millions of values and few cycles
    ignore_interrupts()
    try:
        from core.app.worker import CallQueue, serve_calls

        make_host = host_factory or _program_host()
    except Exception:
        from core.app.start_error import StartError

        # The window shows it: an installation that lost a file fails here, before any call.
        connection.send((0, StartError(traceback.format_exc())))
        raise

    multiprocessing.current_process().daemon = (
        False  # else it could not start a process pool
    )
    queue = CallQueue()
    Thread(
        target=queue.listen, args=(connection,), name="commands", daemon=True
    ).start()
    serve_calls(connection, queue, make_host)
    if "litellm" in sys.modules:
        os._exit(
            0
        )  # after a cancelled call Python's clean-up can wait for litellm for ever


def _program_host() -> HostFactory:
    from core.app.services.service_host import make_host

    return make_host


def next_reply(connection: Connection) -> WorkerReply | None:
    """Wait for the next reply of a worker; None when the worker has ended. For any thread."""
    try:
        reply: WorkerReply = connection.recv()
    except (EOFError, OSError):
        return None
    return reply


class WorkerProcess:
    """One worker process and our end of its pipe. Not started until ``start``.

    Commands get serial numbers, counted over restarts, so that answers to older ones are
    recognised.
    """

    def __init__(self, host_factory: HostFactory | None = None) -> None:
        self._handler_factory = host_factory
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None
        self._is_ahead = False
        self._sent_ahead: Call | None = None
        self._serial = 0

    @property
    def serial(self) -> int:
        return self._serial

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.is_alive()

    def ending(self) -> str:
        """Return how a process that ended by itself did so: "exit code 9" or "signal 11"."""
        if self._process is None:
            return ""
        self._process.join(_CLOSE_SECONDS)
        code = self._process.exitcode or 0
        if code < 0:
            return f"signal {-code}"
        return f"exit code {code}"

    def start_ahead(self) -> None:
        """Start the process now; the next ``start`` takes it over."""
        self.start()
        self._is_ahead = True

    def send_ahead(self, call: Call) -> None:
        """Send the first call now; the next ``send``, if it is the same, takes it over."""
        self.send(call)
        self._sent_ahead = call

    def start(self) -> Connection:
        """Start the process. Returns the end of the pipe that ``next_reply`` reads."""
        if self._is_ahead and self._connection is not None:
            self._is_ahead = False
            return self._connection
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=True)
        process = context.Process(
            target=run_worker,
            args=(theirs, self._handler_factory),
            name="foldline worker",
            daemon=True,
        )
        process.start()
        theirs.close()
        self._process, self._connection = process, ours
        return ours

    def send(self, command: Call | Stop | WorkerSignal) -> int:
        """Send a command; returns its serial. The reader of the pipe notices a dead worker."""
        ahead, self._sent_ahead = self._sent_ahead, None
        if ahead is not None and command == ahead:
            return self._serial
        self._serial += 1
        message: WorkerMessage = (self._serial, command)
        if self._connection is not None:
            with suppress(
                OSError
            ):  # it has ended; the reader of the pipe notices and restarts it
                self._connection.send(message)
        return self._serial

    def kill(self) -> None:
        """End the process at once. The reader of the pipe sees its end."""
        if self._process is not None:
            self._process.kill()
            self._process.join(_CLOSE_SECONDS)

    def wait_for_end(self) -> None:
        """Let the process end, and kill it if it does not; the pipe stays open for its reader."""
        if self._process is None:
            return
        self._process.join(_END_SECONDS)
        if self._process.is_alive():
            self.kill()

    def release(self) -> None:
        """Close our end and free the process; only after nobody reads the pipe."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.join(_CLOSE_SECONDS)
            self._process.close()
        self._process = self._connection = None
