"""Narrows the types of values that a test knows to be there."""

from typing import TypeVar

_T = TypeVar("_T")


def known(value: _T | None) -> _T:
    assert value is not None
    return value
