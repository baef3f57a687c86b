"""Control of Python's garbage collector and of glibc's memory allocator."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LARGE = 1 << 20  # bytes
_OPTIONS = {-3: _LARGE, -1: 64 << 20, -2: 16 << 20}
"""Bytes by option of mallopt: M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, M_TOP_PAD."""


@contextmanager
def paused_collection() -> Iterator[None]:
    """Disable the garbage collector during work that creates many values and few reference cycles.

    The collector would walk all new values again and again: a fifth of the time of reading.
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
    """Pause the collector and exempt the values created meanwhile from later collections.

    Values set aside earlier that became garbage are collected first.
    """
    if gc.get_freeze_count():  # otherwise a collection of 15 ms finds nothing
        gc.unfreeze()
        gc.collect()
    with paused_collection():
        yield
        gc.freeze()


def keep_little() -> None:
    """Make glibc return large blocks to the system at once and keep small ones until ``give_back``.

    The setting lasts as long as the process. With M_MMAP_THRESHOLD alone, glibc would trim its heap after
    each line of a file and grow it again: an eighth of the time of reading.
    """
    if (set_option := _glibc_function("mallopt")) is not None:
        for option, size in _OPTIONS.items():
            set_option(option, size)


def give_back() -> None:
    """Return free memory to the system (glibc)."""
    if (trim := _glibc_function("malloc_trim")) is not None:
        trim(0)


def _glibc_function(name: str) -> Callable[..., int] | None:
    if sys.platform != "linux":
        return None
    import ctypes  # late: the window imports this module at its start

    return getattr(ctypes.CDLL(None), name, None)
