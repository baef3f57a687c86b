"""Shapes of records: conditions on fields."""

from __future__ import annotations

import pytest

from core.common.json_value import Json
from core.formats.common.unsupported_formats import RecordShapes


@pytest.mark.parametrize(
    ("shape", "record", "fits"),
    [
        ("a", {"a": None}, True),
        ("a", {"b": 1}, False),
        ("a.b", {"a": {"b": 1}}, True),
        ("a.b", {"a": [1]}, False),
        ("a=x|y", {"a": "y"}, True),
        ("a=x|y", {"a": "yes"}, False),
        ("a=x|y*", {"a": "yes"}, True),
        ("a=x", {"a": 1}, False),
        ("a !b", {"a": 1}, True),
        ("a !b", {"a": 1, "b": None}, False),
        ("a", ["a"], False),
    ],
)
def test_conditions_of_a_shape(shape: str, record: Json, fits: bool) -> None:
    assert RecordShapes("never there", shape).match(record) is fits
