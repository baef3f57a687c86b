"""What the fuzzer found: told apart by error and place, and made as small as they stay finds."""

import hashlib
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

SECONDS, PER_BYTES = 5.0, 100_000
"""An input may take 5 s for every 100 KB begun."""


class TooSlow(BaseException):
    """An input took longer than its size allows; no Exception, so that nothing catches it on the
    way."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that ends in something other than a conversation or one of Foldline's own errors.

    ``kind`` tells finds apart: the error's type and the innermost line of core where it was raised.
    """

    kind: str
    data: bytes
    details: str

    @property
    def name(self) -> str:
        return hashlib.blake2b(self.kind.encode(), digest_size=6).hexdigest()


def attempt(
    run: Callable[[bytes], None], data: bytes, slack: float = 1.0
) -> Failure | None:
    """Try an input; what it found, or None. ``slack`` multiplies the time that it may take."""
    try:
        with _limited(slack * SECONDS * (1 + len(data) // PER_BYTES)):
            run(data)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return Failure(
            _kind(error), data, "".join(traceback.format_exception(error)[-12:])
        )
    return None


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    former = signal.signal(signal.SIGALRM, _on_alarm)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def _on_alarm(number: int, frame: FrameType | None) -> None:
    raise TooSlow


def _kind(error: BaseException) -> str:
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "/core/" in frame.filename
    ]
    ours = [frame for frame in frames if "/tests/" not in frame.filename]
    place = (
        f"{Path(ours[-1].filename).name} {ours[-1].name}" if ours else "outside core"
    )
    return f"{type(error).__name__} in {place}"


def minimised(
    run: Callable[[bytes], None], find: Failure, seconds: float = 20.0
) -> Failure:
    """The same find by a smaller input: lines, then halves, quarters … single bytes are left
    out."""
    best, until = find, time.monotonic() + seconds
    size = max(1, len(best.data) // 2)
    while size and time.monotonic() < until:
        at, shrunk = 0, False
        while at < len(best.data) and time.monotonic() < until:
            shorter = attempt(run, best.data[:at] + best.data[at + size :])
            if shorter is not None and shorter.kind == best.kind:
                best, shrunk = shorter, True
            else:
                at += size
        size = size if shrunk and size == 1 else size // 2
    return best
