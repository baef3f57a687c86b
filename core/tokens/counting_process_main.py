"""The process that counts: loads a tokenizer at once, then answers questions until its pipe ends.

It imports next to nothing, for what it takes is added to what the worker takes.
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
from core.tokens.toktok_counter import RELEASE, load_fast

ASKED = struct.Struct("<32sII")
"""Before a question: the encoding, how many texts, how many bytes. The length of each follows, then all."""
ANSWERED = struct.Struct("<BI")
"""Before an answer: 1 where it is an error's words, and how many bytes follow; else the counts follow."""

CHECKSUM = "checksum of a file"
"""Asked for in the place of an encoding: the texts are paths."""

_FIRST = "o200k_base"  # what nearly all files are counted by
_PIECE = 1 << 17  # bytes
_HELD = 1 << 19  # bytes of questions that are taken in while others are answered
_LOOK = 1 << 17  # bytes counted between two looks at what waits


def run_counting() -> None:
    """Entry of the process; what it is asked comes through standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl C is for who started it
    encoders: dict[str, Callable[[str], int]] = {}
    try:
        encoders[_FIRST] = _encoder(_FIRST)
    except (FoldlineError, LookupError):
        encoders.clear()  # whoever asks for it is told
    questions = _QuestionPipe(sys.stdin.fileno())
    while _answer(questions, encoders):
        pass


class _QuestionPipe:
    """What comes through a pipe. Its end is emptied now and then, so that whoever writes can go on."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._held = bytearray()

    def read(self, size: int) -> bytes:
        """So many bytes, waiting for them; fewer at the end."""
        while len(self._held) < size and self._take():
            pass
        with memoryview(self._held) as held:
            found = bytes(held[:size])
        del self._held[:size]
        return found

    def look(self) -> None:
        """Take in what is there, without waiting."""
        while len(self._held) < _HELD and select.select([self._handle], [], [], 0)[0] and self._take():
            pass

    def _take(self) -> bool:
        found = os.read(self._handle, _PIECE)
        self._held += found
        return bool(found)


def _answer(questions: _QuestionPipe, encoders: dict[str, Callable[[str], int]]) -> bool:
    """Answer one question; False where there are no more."""
    head = questions.read(ASKED.size)
    if len(head) < ASKED.size:
        return False
    name, count, size = ASKED.unpack(head)
    lengths = array("I", questions.read(4 * count))
    body = questions.read(size)
    encoding = name.rstrip(b"\0").decode()
    try:
        if encoding not in encoders:
            encoders[encoding] = _encoder(encoding)
        answer, failed = _counted(encoders[encoding], lengths, body, questions.look).tobytes(), 0
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
    except Exception:  # whatever is wrong with it is told below, in words
        is_known = False
    if is_known:
        return load_fast(encoding)
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
