"""The examples of field.md section 4.5."""

from __future__ import annotations

import pytest

from core.llm.prompt_cache import (
    READ_PRICE,
    WRITE_PRICE,
    CacheRates,
    break_even,
)


@pytest.mark.parametrize(
    ("before", "after", "prefix", "read", "write", "calls"),
    [
        (150_000, 120_000, 20_000, READ_PRICE, WRITE_PRICE, 38.3),
        (150_000, 120_000, 100_000, READ_PRICE, WRITE_PRICE, 7.7),
        (150_000, 120_000, 20_000, 0.1, 1.0, 30.0),
        (150_000, 120_000, 20_000, 0.5, 1.0, 3.3),
    ],
)
def test_the_examples(before: int, after: int, prefix: int, read: float, write: float, calls: float) -> None:
    assert break_even(before, after, prefix, CacheRates(read, write)) == pytest.approx(calls, abs=0.05)
