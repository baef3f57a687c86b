"""Jobs for the tests of the crew; a process of its own has to find them by name."""

from __future__ import annotations

import os
import time


def double(number: int) -> int:
    """What a job should be."""
    return 2 * number


def die_at_one(number: int) -> int:
    """The process that gets a 1 is gone."""
    if number == 1:
        os._exit(7)
    return number


def fail_at_one(number: int) -> int:
    """A job that raises."""
    if number == 1:
        raise ValueError("no ones here")
    return number


def sleep_long(number: int) -> int:
    """A job that is still at it when its crew is ended."""
    time.sleep(60)
    return number
