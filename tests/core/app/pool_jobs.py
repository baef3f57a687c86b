"""A job for tests of the process pool, which other processes import by name."""

import os


def die_at_one_and_fail_at_two(number: int) -> int:
    if number == 1:
        os._exit(7)
    if number == 2:
        raise ValueError("no twos here")
    return number
