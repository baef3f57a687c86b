"""Client of the process that counts tokens, so that no thread here waits while a tokenizer loads.

Requests are written as far as the pipe accepts them; the rest is written at the next call.
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
_PIPE = 1 << 20  # bytes of the pipe's buffer on Linux; the default is 64 kB


@dataclass(slots=True)
class CountBatch:
    """Texts of one request, as they are sent, and their tokens once known."""

    question: bytes
    counts: array[int] | None = field(default=None)


class CountingProcess:
    """The parent's end of the counting process, which the first request or ``begin`` starts.

    A process that dies is replaced once and gets the same requests; if that dies, too, ``wait`` raises
    InputError.
    """

    def __init__(self, start: Callable[[], Popen[bytes]]) -> None:
        self._start = start
        self._process: Popen[bytes] | None = None
        self._pending: deque[CountBatch] = deque()  # unanswered, oldest first
        self._out: deque[memoryview] = deque()
        self._in = bytearray()
        self._deaths = 0  # since the last answer

    def begin(self) -> None:
        """Start the process, so that it loads its table meanwhile."""
        if self._process is None:
            process = self._process = self._start()
            for stream in (process.stdin, process.stdout):
                assert stream is not None, "both are pipes"
                os.set_blocking(stream.fileno(), False)
            assert process.stdin is not None, "it is a pipe"
            _widen(process.stdin.fileno())

    @property
    def has_room(self) -> bool:
        """Return True if ``ask`` would not wait."""
        return sum(map(len, self._out)) <= _MOST

    def ask(self, encoding: str, texts: Sequence[str], pause: Callable[[], None] | None) -> CountBatch:
        """Request the counts of texts.

        Waits only while much is unsent, calling ``pause`` as ``wait`` does; never waits without ``pause``.
        """
        batch = CountBatch(_framed(encoding, texts))
        self._pending.append(batch)
        self._out.append(memoryview(batch.question))
        self.move()
        while pause is not None and not self.has_room:
            self._move(_POLL)
            pause()
        return batch

    def move(self) -> None:
        if self._pending:
            self._move(0)

    def wait(self, batch: CountBatch, pause: Callable[[], None]) -> array[int]:
        """Return the tokens of each text of a batch; ``pause`` is called meanwhile and may raise."""
        while batch.counts is None:
            self._move(_POLL)
            if batch.counts is None:
                pause()
        return batch.counts

    def end(self) -> None:
        """End the process at once; the next request starts a new one."""
        process, self._process = self._process, None
        self._pending.clear()
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
        """Send and receive; wait up to ``seconds`` for the process."""
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
        data = os.read(handle, _PIECE)
        if not data:
            raise BrokenPipeError
        self._in += data
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
            batch = self._pending.popleft()
            batch.counts, batch.question = array("q", body), b""  # needed no more
            self._deaths = 0

    def _replace(self) -> None:
        """Replace a dead process once and send the unanswered requests again."""
        asked, self._deaths = list(self._pending), self._deaths + 1
        code = self._process.wait() if self._process is not None else 0
        self.end()
        if self._deaths > 1:
            self._deaths = 0
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise InputError(
                f"The process that counts tokens ended unexpectedly, twice ({how}).", "Open the file again."
            )
        self._pending.extend(asked)
        self._out.extend(memoryview(batch.question) for batch in asked)


def _widen(handle: int) -> None:
    """Enlarge the pipe's buffer, so that the process is not idle until the next call."""
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
