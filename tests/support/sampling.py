"""How much slow tests look at: parts in ``make test``, the whole in ``make test-all``."""

import os
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any, TypeVar

_Value = TypeVar("_Value")


def sampled(whole: _Value, part: _Value) -> _Value:
    """Return the part, or the whole where the environment variable TEST_ALL is set."""
    return whole if os.environ.get("TEST_ALL") else part


def pairwise(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return rows of three axes or more that hold every two values of two axes together; with
    TEST_ALL the product."""
    places = list(product(*(range(len(axis)) for axis in axes)))
    rows = sampled(places, _covering(places))
    return [
        tuple(axis[place] for axis, place in zip(axes, row, strict=True))
        for row in rows
    ]


def _covering(rows: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    pairs = {row: set(combinations(enumerate(row), 2)) for row in rows}
    left = set[Any]().union(*pairs.values())
    chosen = []
    while left:
        best = max(rows, key=lambda row: len(left & pairs[row]))
        left -= pairs[best]
        chosen.append(best)
    return chosen
