"""The process that counts: loads a tokenizer at once, then answers questions until its pipe ends.

It imports next to nothing, for what it takes is added to what the worker takes.
"""

from __future__ import annotations

import signal
import struct
import sys
from array import array
from collections.abc import Callable

from core.errors import FoldlineError
from core.fast_tokens import RELEASE, load_fast

ASKED = struct.Struct("<32sII")
"""Before a question: the encoding, how many texts, how many bytes. The length of each follows, then all."""
ANSWERED = struct.Struct("<BI")
"""Before an answer: 1 where it is an error's words, and how many bytes follow; else the counts follow."""

_FIRST = "o200k_base"  # what nearly all files are counted by


def main() -> None:
    """Entry of the process; what it is asked comes through standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl C is for who started it
    encoders: dict[str, Callable[[str], int]] = {}
    try:
        encoders[_FIRST] = _encoder(_FIRST)
    except (FoldlineError, LookupError):
        encoders.clear()  # whoever asks for it is told
    while _answer(encoders):
        pass


def _answer(encoders: dict[str, Callable[[str], int]]) -> bool:
    """Answer one question; False where there are no more."""
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
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
        answer, failed = _counted(encoders[encoding], lengths, body).tobytes(), 0
    except FoldlineError as error:
        answer, failed = f"{error.message}\n{error.hint}".encode(), 1
    answers.write(ANSWERED.pack(failed, len(answer)) + answer)
    answers.flush()
    return True


def _encoder(encoding: str) -> Callable[[str], int]:
    try:
        import toktok

        is_known = toktok.__version__ == RELEASE
    except Exception:  # whatever is wrong with it is told below, in words
        is_known = False
    if is_known:
        return load_fast(encoding)
    from core.tokens import encoder  # late: it is large

    return encoder(encoding)


def _counted(count: Callable[[str], int], lengths: array[int], body: bytes) -> array[int]:
    counts, start = array("q"), 0
    for length in lengths:
        counts.append(count(body[start : start + length].decode("utf-8", "surrogatepass")))
        start += length
    return counts
