"""The only place that starts processes and threads: the worker, its reader, the process that counts, the
loop of model calls, and the crew that shares out many like jobs.

It imports next to nothing: a window starts its worker before it loads what it says to it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import subprocess
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from core.app.messages import Command
    from core.app.worker import MakeDesk, Message, Reply, WorkerSignal
    from core.tokens.counting_process import CountingProcess

DEAF_SECONDS = 1.0
"""How long a cancelled worker may take to answer before it is ended, which loses what it holds. It answers
within a fifth of that; on a machine that is busy with other work the system alone may let it wait."""
_END_SECONDS = 0.2
_CLOSE_SECONDS = 1.0
_POLL_SECONDS = 0.02

_T = TypeVar("_T")
_Job = TypeVar("_Job")


def run_worker(connection: Connection, make_desk: MakeDesk | None) -> None:
    """Entry of the worker process; imports no Qt. Without ``make_desk`` it is the program's own desk."""
    import multiprocessing

    ignore_interrupts()
    if make_desk is None and (counting := tally()) is not None:
        counting.begin()  # first of all: it loads its table while this process loads all else
    from core.app.worker import CommandQueue, real_desk, serve
    from core.common.garbage_collection import keep_little

    multiprocessing.current_process().daemon = False  # else it might have no crew of its own
    keep_little()
    inbox = CommandQueue()
    Thread(target=inbox.listen, args=(connection,), name="commands", daemon=True).start()
    serve(connection, inbox, make_desk or real_desk)
    if "litellm" in sys.modules:
        os._exit(0)  # what Python tidies up last can wait for ever for it where a call was cancelled


def ignore_interrupts() -> None:
    """Leave Ctrl C to the process that started this one; the pipe's end stops it."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def next_reply(connection: Connection) -> Reply | None:
    """The next reply of a worker, waiting for it; None when the worker has ended. For any thread."""
    try:
        reply: Reply = connection.recv()
    except (EOFError, OSError):
        return None
    return reply


def replies(connection: Connection) -> Iterator[Reply]:
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

    def __init__(self, make_desk: MakeDesk | None = None) -> None:
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
        message: Message = (self._serial, command)
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


def start_counting() -> subprocess.Popen[bytes]:
    """A new process that counts; it ends with its pipe."""
    import subprocess  # late: the window loads this module

    from core.tokens.counting_process_main import main

    code = f"import sys; sys.path[:] = sys.argv[1:]; from {main.__module__} import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    )


def ran_quietly(words: Sequence[str]) -> bool:
    """Run a program of the system to its end, a minute at most; False where it is not there or failed."""
    import subprocess

    quiet = subprocess.DEVNULL
    try:
        done = subprocess.run(words, stdin=quiet, stdout=quiet, stderr=quiet, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


@cache
def tally() -> CountingProcess | None:
    """What counts for this process; None where pipes cannot be read without waiting (Windows)."""
    from core.tokens.counting_process import CountingProcess

    return CountingProcess(start_counting) if os.name == "posix" else None


class EventLoopThread:
    """An asyncio loop on a thread of its own: calls of models run there and can be cancelled."""

    def __init__(self) -> None:
        import asyncio  # late: the window loads this module and calls no model

        self._loop = asyncio.new_event_loop()
        Thread(target=self._loop.run_forever, name="models", daemon=True).start()

    def run(self, work: Coroutine[Any, Any, _T], poll: Callable[[], None]) -> _T:
        """The result of ``work``, waiting for it on the caller's thread.

        ``poll`` is called every 20 ms and once at the end, on the caller's thread; what it raises
        cancels the work, which ends its connection, and is raised at once.
        """
        import asyncio
        from concurrent.futures import wait

        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            while not future.done():
                poll()
                wait((future,), _POLL_SECONDS)
            poll()
        except BaseException:
            future.cancel()
            raise
        return future.result()


@cache
def model_loop() -> EventLoopThread:
    """The loop of this process, started at the first call of a model."""
    return EventLoopThread()


@dataclass(frozen=True, slots=True)
class JobFailure:
    """A job that came to nothing, and why in one sentence: its process ended, or it raised."""

    why: str


def cores() -> int:
    """How many processes this machine lets run at once."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


def run_member(connection: Connection, work: Callable[[_Job], _T]) -> None:
    """Entry of a process of the crew: does jobs until the pipe ends, which is when its owner did."""
    ignore_interrupts()
    while True:
        try:
            job = connection.recv()
        except (EOFError, OSError):
            return
        try:
            result: _T | JobFailure = work(job)
        except BaseException as error:  # a tokenizer may panic with a BaseException
            result = JobFailure(f"{type(error).__name__}: {error}".split("\n", 1)[0])
        with suppress(OSError):
            connection.send(result)


class ProcessPool:
    """Processes that share out jobs. One that dies loses its job alone and is replaced."""

    def __init__(self, work: Callable[[_Job], _T], size: int = 0) -> None:
        """``work`` is a function of a module, so that a new process can find it."""
        self._work = work
        self._size = size or cores()
        self._members: dict[Connection, SpawnProcess] = {}

    def run(self, jobs: Sequence[_Job]) -> Generator[tuple[int, Any], None, None]:
        """The place of each job and what became of it, a result or Ended, as they are done.

        All processes are ended when the iterator is closed or left by an error, Ctrl C included.
        """
        with closing(self.watched(jobs, None)) as results:
            for one in results:
                if one is not None:
                    yield one

    def watched(
        self, jobs: Sequence[_Job], patience: float | None
    ) -> Generator[tuple[int, Any] | None, None, None]:
        """As ``run``, and None whenever nothing was done for ``patience`` seconds."""
        from multiprocessing.connection import wait  # late: the window's first paint does not need it

        waiting = list(enumerate(jobs))[::-1]
        busy: dict[Connection, int] = {}
        try:
            while waiting or busy:
                while waiting and len(busy) < self._size:
                    free = next((one for one in self._members if one not in busy), None) or self._hire()
                    place, job = waiting.pop()
                    busy[free] = place
                    with suppress(OSError):  # it has just died, which is seen below
                        free.send(job)
                heard: list[Any] = wait(list(busy), patience)
                if not heard:
                    yield None
                for connection in heard:
                    yield busy.pop(connection), self._result(connection)
        finally:
            self._dismiss()

    def _hire(self) -> Connection:
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=True)
        process = context.Process(
            target=run_member, args=(theirs, self._work), name="foldline crew", daemon=True
        )
        process.start()
        theirs.close()
        self._members[ours] = process
        return ours

    def _result(self, connection: Connection) -> Any:
        try:
            return connection.recv()
        except (EOFError, OSError):
            process = self._members.pop(connection)
            process.join(_CLOSE_SECONDS)
            code = process.exitcode or 0
            connection.close()
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            return JobFailure(f"Its process ended unexpectedly ({how}).")

    def _dismiss(self) -> None:
        for connection, process in self._members.items():
            connection.close()
            process.kill()
            process.join(_CLOSE_SECONDS)
        self._members.clear()
