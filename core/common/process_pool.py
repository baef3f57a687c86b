"""A pool of worker processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess


_CLOSE_SECONDS = 1.0
_T = TypeVar("_T")
_Job = TypeVar("_Job")


def ignore_interrupts() -> None:
    """Ignore Ctrl C: the parent process handles it and closes the pipe."""

    signal.signal(signal.SIGINT, signal.SIG_IGN)


@dataclass(frozen=True, slots=True)
class JobFailure:
    """A job that failed: it raised or its process ended; ``reason`` is one sentence."""

    reason: str


def process_count() -> int:
    """Return the number of CPUs that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    if allowed is not None:
        # A container may give this process fewer CPUs than the machine has.
        return len(allowed(0))
    return os.cpu_count() or 1


def run_worker(connection: Connection, work: Callable[[_Job], _T]) -> None:
    """Run jobs from the connection until it closes; the entry point of a worker process."""
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
    """Worker processes that share jobs; one that dies fails its own job only and is replaced."""

    def __init__(self, work: Callable[[_Job], _T], size: int = 0) -> None:
        """``work`` must be a module-level function, so that a new process can import it."""
        self._work = work
        self._size = size or process_count()
        self._workers: dict[Connection, SpawnProcess] = {}
        self._stays_open = False

    @contextmanager
    def kept_open(self) -> Iterator[ProcessPool]:
        """Keep idle processes between runs, until the end of the block."""
        self._stays_open = True
        try:
            yield self
        finally:
            self._stays_open = False
            self._close()

    def run(self, jobs: Sequence[_Job]) -> Generator[tuple[int, Any], None, None]:
        """Yield the index of each job and its result or JobFailure, in order of completion.

        All processes end when the iterator is closed or an error, such as Ctrl C, leaves it; those
        of a pool that is ``kept_open`` stay for the next run where no job was cut off.
        """
        with closing(self.run_polling(jobs, None)) as results:
            for indexed_result in results:
                if indexed_result is not None:
                    yield indexed_result

    def run_polling(
        self, jobs: Sequence[_Job], poll_seconds: float | None
    ) -> Generator[tuple[int, Any] | None, None, None]:
        """Yield as ``run`` does, and None after every ``poll_seconds`` seconds without a result."""
        # Taken from its end, the first job runs first.
        queue = list(enumerate(jobs))[::-1]
        running_jobs: dict[Connection, int] = {}
        try:
            while queue or running_jobs:
                while queue and len(running_jobs) < self._size:
                    idle = (
                        candidate
                        for candidate in self._workers
                        if candidate not in running_jobs
                    )
                    worker = next(idle, None) or self._start_worker()
                    index, job = queue.pop()
                    running_jobs[worker] = index
                    # A worker that has just died is noticed below.
                    with suppress(OSError):
                        worker.send(job)
                ready: list[Any] = wait(list(running_jobs), poll_seconds)
                if not ready:
                    yield None
                for connection in ready:
                    yield running_jobs.pop(connection), self._result(connection)
        finally:
            if running_jobs or not self._stays_open:
                self._close()

    def _close(self) -> None:
        for connection, process in self._workers.items():
            connection.close()
            process.kill()
        for process in self._workers.values():
            process.join(_CLOSE_SECONDS)
        self._workers.clear()

    def _start_worker(self) -> Connection:
        # A fork would copy the locks that other threads hold at that moment.
        context = multiprocessing.get_context("spawn")
        parent_end, child_end = context.Pipe(duplex=True)
        process = context.Process(
            target=run_worker,
            args=(child_end, self._work),
            name="foldline pool",
            daemon=True,
        )
        process.start()
        # While this process holds it open, the death of the worker goes unnoticed.
        child_end.close()
        self._workers[parent_end] = process
        return parent_end

    def _result(self, connection: Connection) -> Any:
        try:
            return connection.recv()
        except (EOFError, OSError):
            process = self._workers.pop(connection)
            process.join(_CLOSE_SECONDS)
            code = process.exitcode or 0
            connection.close()
            if code < 0:
                exit_status = f"signal {-code}"
            else:
                exit_status = f"exit code {code}"
            return JobFailure(f"Its process ended unexpectedly ({exit_status}).")
