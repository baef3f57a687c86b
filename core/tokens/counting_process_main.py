"""Main function of the counting process: loads a tokenizer, then answers requests until its pipe closes.

It imports little, since its memory adds to that of the worker.
"""

from __future__ import annotations

import os
import select
import signal
import struct
import sys
from array import array
from collections.abc import Callable

from core.common.errors import FoldlineError
from core.common.file_checksum import file_checksum
from core.tokens.toktok_counter import RELEASE, load_toktok

ASKED = struct.Struct("<32sII")
"""Header of a request: encoding, number of texts, bytes; the length of each text and the texts follow."""
ANSWERED = struct.Struct("<BI")
"""Header of an answer: 1 for an error message, 0 for counts; and the bytes that follow."""

CHECKSUM = "checksum of a file"
"""Stands for an encoding in a request whose texts are paths."""

_FIRST = "o200k_base"  # nearly all files use it
_PIECE = 1 << 17  # bytes
_HELD = 1 << 19  # bytes of requests that are buffered while others are answered
_LOOK = 1 << 17  # bytes counted between two reads of the pipe


def run_counting() -> None:
    """Answer requests from standard input; the entry point of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl C
    encoders: dict[str, Callable[[str], int]] = {}
    try:
        encoders[_FIRST] = _encoder(_FIRST)
    except (FoldlineError, LookupError):
        encoders.clear()  # the answer to a request reports it
    requests = _QuestionPipe(sys.stdin.fileno())
    while _answer(requests, encoders):
        pass


class _QuestionPipe:
    """Buffered reader of the pipe, emptied now and then so that the writer can continue."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._buffer = bytearray()

    def read(self, size: int) -> bytes:
        """Read ``size`` bytes, waiting for them; fewer at the end."""
        while len(self._buffer) < size and self._receive():
            pass
        with memoryview(self._buffer) as held:
            data = bytes(held[:size])
        del self._buffer[:size]
        return data

    def look(self) -> None:
        """Buffer available bytes without waiting."""
        while len(self._buffer) < _HELD and select.select([self._handle], [], [], 0)[0] and self._receive():
            pass

    def _receive(self) -> bool:
        data = os.read(self._handle, _PIECE)
        self._buffer += data
        return bool(data)


def _answer(requests: _QuestionPipe, encoders: dict[str, Callable[[str], int]]) -> bool:
    """Answer one request; return False if there are no more."""
    head = requests.read(ASKED.size)
    if len(head) < ASKED.size:
        return False
    name, count, size = ASKED.unpack(head)
    lengths = array("I", requests.read(4 * count))
    body = requests.read(size)
    encoding = name.rstrip(b"\0").decode()
    try:
        if encoding not in encoders:
            encoders[encoding] = _encoder(encoding)
        answer, failed = _counted(encoders[encoding], lengths, body, requests.look).tobytes(), 0
    except FoldlineError as error:
        answer, failed = f"{error.message}\n{error.hint}".encode(), 1
    sys.stdout.buffer.write(ANSWERED.pack(failed, len(answer)) + answer)
    sys.stdout.buffer.flush()
    return True


def _encoder(encoding: str) -> Callable[[str], int]:
    if encoding == CHECKSUM:
        return file_checksum
    try:
        import toktok

        is_known = toktok.__version__ == RELEASE
    except Exception:  # load_fast reports any fault
        is_known = False
    if is_known:
        return load_toktok(encoding)
    from core.tokens.encodings import token_counter_function  # late: it is large

    return token_counter_function(encoding)


def _counted(
    count: Callable[[str], int], lengths: array[int], body: bytes, look: Callable[[], None]
) -> array[int]:
    counts, start, looked = array("q"), 0, 0
    for length in lengths:
        counts.append(count(body[start : start + length].decode("utf-8", "surrogatepass")))
        start += length
        if start - looked >= _LOOK:
            looked = start
            look()
    return counts
