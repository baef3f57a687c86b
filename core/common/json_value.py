"""The type of parsed JSON values, of objects that become such, and the marker of a missing one; what
is wrong with a text that is not JSON."""

from __future__ import annotations

import json
import re
from dataclasses import is_dataclass
from datetime import date
from enum import Enum, StrEnum
from functools import cache
from types import UnionType
from typing import (
    Any,
    Protocol,
    TypeAlias,
    get_args,
    get_type_hints,
    runtime_checkable,
)

Json: TypeAlias = Any
"""A parsed JSON value: None, bool, int, float, str, list or dict of such."""


@runtime_checkable
class MessageObject(Protocol):
    """A message, or a part of one, as the packages of the APIs return it."""

    def model_dump(
        self, *, mode: str, by_alias: bool, exclude_none: bool
    ) -> dict[str, Any]: ...


JSON_BLANKS = re.compile(r"[ \t\r\n]*")
"""What may stand between the parts of JSON; Python's own notion of blanks has more."""
MAX_COUNT = 1 << 53
"""Largest count of a file that is believed: above it, floats and other parsers of JSON lose
digits."""
_FAULTS = (
    ("Expecting value", "something else stands where a value should be"),
    ("Expecting property name", "a field name in double quotes is missing"),
    ("Expecting ':'", "a colon is missing after a field name"),
    ("Expecting ','", "a comma is missing"),
    ("Illegal trailing comma", "nothing follows a comma"),
    ("Unterminated string", "the text that begins there is not closed"),
    ("Extra data", "something follows the end of the value"),
    ("Invalid control character", "a control character is not escaped"),
    ("Invalid \\", "an escape is unknown"),
)
"""With what the messages of Python's parser begin, and words for people."""


def json_fault(error: json.JSONDecodeError) -> str:
    """Return what is wrong with a text that is not JSON, in a clause without its place."""
    for beginning, words in _FAULTS:
        if error.msg.startswith(beginning):
            return words
    return error.msg[:1].lower() + error.msg[1:]


def json_fault_and_place(error: Exception) -> str:
    """Return what is wrong with a text that is not JSON, where known with line and column."""
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    return f"in line {error.lineno}, column {error.colno}, {json_fault(error)}"


class Missing(Enum):
    """The value of a JSON field that is absent, as distinct from null."""

    MISSING = "missing"


MISSING = Missing.MISSING


# Parsed TOML and JSON values as the dataclasses that they were written from.


def typed_value(kind: Any, value: Any) -> Any:
    """Return a parsed value as the type of a field; a date becomes its text, a whole number a
    fraction. Raises KeyError, TypeError or ValueError for a value of another type."""
    if is_dataclass(kind):
        make: Any = kind
        hints = _hints(make)
        return make(
            **{key: typed_value(hints[key], item) for key, item in value.items()}
        )
    if isinstance(kind, UnionType):  # X | None
        if value is None:
            return None
        return typed_value(get_args(kind)[0], value)
    if kinds := get_args(kind):  # tuple[X, ...] or tuple[X, Y]
        if kinds[-1] is Ellipsis:
            each = kinds[:1] * len(value)
        else:
            each = kinds
        return tuple(
            typed_value(one, item) for one, item in zip(each, value, strict=True)
        )
    if issubclass(kind, StrEnum):
        return kind(value)
    if kind is str and type(value) is date:
        return value.isoformat()
    if type(value) is not kind and (kind, type(value)) != (float, int):
        raise TypeError(f"{value!r} must be a {kind.__name__}")
    return kind(value)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
