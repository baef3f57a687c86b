"""Short lines are judged by their bytes, long ones by their values; what is read is the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.formats.parse import _LOOKED_INTO, DEEPEST, TOO_DEEP, parse_bytes

WORDS = "x" * _LOOKED_INTO
NUMBERS = (1 << 63, -(1 << 63) - 1, 1 << 64, 10**30, (1 << 63) - 1, 0.1, 1e300, -2.5, float("nan"))


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.parametrize("beside", ["", WORDS])
@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_are_read_exactly(number: float, beside: str) -> None:
    line = {"text": beside, "inner": [{"id": number}, "1" * 30]}
    parsed = parse_bytes(json.dumps(line).encode())
    assert repr(parsed.value) == repr(line)
    assert not parsed.error


@pytest.mark.parametrize("beside", ["", WORDS])
def test_so_much_nesting_is_read_and_no_more(beside: str) -> None:
    fine, deep = ({"text": beside, "value": nested(DEEPEST - 1 + more)} for more in (0, 1))
    assert parse_bytes(json.dumps(fine).encode()).value == fine
    assert parse_bytes(json.dumps(deep).encode()).error == TOO_DEEP
