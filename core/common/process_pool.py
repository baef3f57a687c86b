"""Processes that share out jobs."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess


_CLOSE_SECONDS = 1.0
_T = TypeVar("_T")
_Job = TypeVar("_Job")


def ignore_interrupts() -> None:
    """Leave Ctrl C to the process that started this one; the pipe's end stops it."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


@dataclass(frozen=True, slots=True)
class JobFailure:
    """A job that came to nothing, and why in one sentence: its process ended, or it raised."""

    why: str


def process_count() -> int:
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
        self._size = size or process_count()
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
