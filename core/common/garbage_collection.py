"""Memory: the garbage collector rests while much is made that stays; what is free goes back."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LARGE = 1 << 20  # bytes
_OPTIONS = {-3: _LARGE, -1: 64 << 20, -2: 16 << 20}
"""Of glibc, in bytes: from when a piece is given back at once (M_MMAP_THRESHOLD), how much is kept of what
is free at the end (M_TRIM_THRESHOLD), how much is asked for at a time (M_TOP_PAD)."""


@contextmanager
def paused_collection() -> Iterator[None]:
    """Work that makes many values and hardly any garbage in circles, without the collector.

    It would walk all that was made again and again, which takes a fifth of the time that reading does.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def set_aside() -> Iterator[None]:
    """The same, for values that stay: later, too, the collector does not walk them.

    What was set aside before and is garbage by now goes first; what nobody holds goes at any time.
    """
    if gc.get_freeze_count():  # else nothing was set aside, and looking for it takes 15 ms
        gc.unfreeze()
        gc.collect()
    with paused_collection():
        yield
        gc.freeze()


def keep_little() -> None:
    """Have the C library give large pieces back at once, and keep small ones until ``give_back``, for as long
    as this process runs (glibc: once the former is set, it would hand the end of its memory back after each
    line of a file and ask for it again, which takes an eighth of the time that reading does)."""
    if (set_option := _of_glibc("mallopt")) is not None:
        for option, size in _OPTIONS.items():
            set_option(option, size)


def give_back() -> None:
    """Hand memory that is free back to the system, where the C library keeps it (glibc)."""
    if (trim := _of_glibc("malloc_trim")) is not None:
        trim(0)


def _of_glibc(name: str) -> Callable[..., int] | None:
    if sys.platform != "linux":
        return None
    import ctypes  # late: the window loads this module

    return getattr(ctypes.CDLL(None), name, None)
