"""Counts many texts in a process of its own, so that no thread here waits while a tokenizer loads.

What is asked goes through a pipe as far as that takes it; the rest goes on its way at the next call.
"""

from __future__ import annotations

import os
import select
import sys
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from core.common.errors import InputError
from core.tokens.counting_process_main import ANSWERED, ASKED

if TYPE_CHECKING:
    import subprocess


if TYPE_CHECKING:
    from subprocess import Popen

_POLL = 0.02  # seconds
_PIECE = 1 << 20  # bytes
_MOST = 3 << 20  # bytes that wait to be sent
_PIPE = 1 << 20  # bytes: what a pipe holds at most where that may be asked for (Linux; as a rule it is 64 kB)


@dataclass(slots=True)
class CountBatch:
    """Texts that were asked for together, as they are sent, and their tokens once they are known."""

    question: bytes
    counts: array[int] | None = field(default=None)


class CountingProcess:
    """Our end of the process that counts; it is started by the first question or by ``begin``.

    A process that dies is replaced once and asked the same again; where that dies, too, ``wait``
    raises InputError.
    """

    def __init__(self, start: Callable[[], Popen[bytes]]) -> None:
        self._start = start
        self._process: Popen[bytes] | None = None
        self._asked: deque[CountBatch] = deque()  # without an answer yet, the oldest first
        self._out: deque[memoryview] = deque()
        self._in = bytearray()
        self._deaths = 0  # since the last answer

    def begin(self) -> None:
        """Start the process, so that it loads its table while something else is done here."""
        if self._process is None:
            process = self._process = self._start()
            for stream in (process.stdin, process.stdout):
                assert stream is not None, "both are pipes"
                os.set_blocking(stream.fileno(), False)
            assert process.stdin is not None, "it is a pipe"
            _widen(process.stdin.fileno())

    @property
    def has_room(self) -> bool:
        """True while little waits to be sent, so that ``ask`` would not wait."""
        return sum(map(len, self._out)) <= _MOST

    def ask(self, encoding: str, texts: Sequence[str], pause: Callable[[], None] | None) -> CountBatch:
        """Have texts counted; waits only while much is not yet on its way, calling ``pause`` as ``wait``
        does, and without one not at all."""
        batch = CountBatch(_framed(encoding, texts))
        self._asked.append(batch)
        self._out.append(memoryview(batch.question))
        self.move()
        while pause is not None and not self.has_room:
            self._move(_POLL)
            pause()
        return batch

    def move(self) -> None:
        """Send and take in what can be at once."""
        if self._asked:
            self._move(0)

    def wait(self, batch: CountBatch, pause: Callable[[], None]) -> array[int]:
        """The tokens of each text of a batch. ``pause`` is called while they take long; what it raises
        ends the wait."""
        while batch.counts is None:
            self._move(_POLL)
            if batch.counts is None:
                pause()
        return batch.counts

    def end(self) -> None:
        """End the process at once, whatever it was asked; the next question starts a new one."""
        process, self._process = self._process, None
        self._asked.clear()
        self._out.clear()
        self._in.clear()
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                assert stream is not None, "both are pipes"
                with suppress(OSError):
                    stream.close()

    def _move(self, seconds: float) -> None:
        """Write and read what can be at once; wait so long for anything to happen."""
        self.begin()
        assert self._process is not None
        out, into = self._process.stdin, self._process.stdout
        assert out is not None, "both are pipes"
        assert into is not None, "both are pipes"
        readable, writable, _ = select.select([into], [out] if self._out else [], [], seconds)
        try:
            if writable:
                self._write(out.fileno())
            if readable:
                self._read(into.fileno())
        except OSError:
            self._replace()

    def _write(self, handle: int) -> None:
        while self._out:
            try:
                written = os.write(handle, self._out[0][:_PIECE])
            except BlockingIOError:
                return
            self._out[0] = self._out[0][written:]
            if not self._out[0]:
                self._out.popleft()

    def _read(self, handle: int) -> None:
        found = os.read(handle, _PIECE)
        if not found:
            raise BrokenPipeError
        self._in += found
        while len(self._in) >= ANSWERED.size:
            failed, size = ANSWERED.unpack_from(self._in)
            end = ANSWERED.size + size
            if len(self._in) < end:
                return
            body = bytes(self._in[ANSWERED.size : end])
            del self._in[:end]
            if failed:
                self.end()
                raise InputError(*body.decode().split("\n", 1))
            batch = self._asked.popleft()
            batch.counts, batch.question = array("q", body), b""  # nobody asks for these again
            self._deaths = 0

    def _replace(self) -> None:
        """A new process in the place of one that died, asked the same; not for ever."""
        asked, self._deaths = list(self._asked), self._deaths + 1
        code = self._process.wait() if self._process is not None else 0
        self.end()
        if self._deaths > 1:
            self._deaths = 0
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise InputError(
                f"The process that counts tokens ended unexpectedly, twice ({how}).", "Open the file again."
            )
        self._asked.extend(asked)
        self._out.extend(memoryview(batch.question) for batch in asked)


def _widen(handle: int) -> None:
    """Let a pipe hold much, so that the process at its end is not idle until the next call here."""
    if sys.platform == "linux":
        import fcntl  # not everywhere

        with suppress(OSError):
            fcntl.fcntl(handle, fcntl.F_SETPIPE_SZ, _PIPE)


def _framed(encoding: str, texts: Sequence[str]) -> bytes:
    written = [text.encode("utf-8", "surrogatepass") for text in texts]
    sizes = array("I", map(len, written))
    head = ASKED.pack(encoding.encode(), len(written), sum(sizes))
    return b"".join((head, sizes.tobytes(), *written))


def start_counting() -> subprocess.Popen[bytes]:
    """A new process that counts; it ends with its pipe."""
    import subprocess  # late: the window loads this module

    from core.tokens.counting_process_main import run_counting

    place, name = run_counting.__module__, run_counting.__name__
    code = f"import sys; sys.path[:] = sys.argv[1:]; from {place} import {name} as run; run()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    )


@cache
def counting_process() -> CountingProcess | None:
    """What counts for this process; None where pipes cannot be read without waiting (Windows)."""

    return CountingProcess(start_counting) if os.name == "posix" else None
