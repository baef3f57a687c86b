"""Jobs for the tests of the process pool, which other processes import by name."""

from __future__ import annotations

import os
import time


def double(number: int) -> int:
    return 2 * number


def die_at_one(number: int) -> int:
    """End the process that gets a 1."""
    if number == 1:
        os._exit(7)
    return number


def fail_at_one(number: int) -> int:
    if number == 1:
        raise ValueError("no ones here")
    return number


def sleep_long(number: int) -> int:
    """Sleep until the pool is ended."""
    time.sleep(60)
    return number
