"""Parsed TOML and JSON values as the dataclasses that they were written from."""

from __future__ import annotations

from dataclasses import is_dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, get_args, get_type_hints


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
