"""How much slow tests look at: parts in ``make test``, the whole in ``make test-all``."""

import os
from typing import TypeVar

_Value = TypeVar("_Value")


def sampled(whole: _Value, part: _Value) -> _Value:
    """Return the part, or the whole where the environment variable TEST_ALL is set."""
    return whole if os.environ.get("TEST_ALL") else part
