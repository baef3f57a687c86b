"""Builds dataclasses from TOML tables, strictly: every error names the file and the key."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from types import GenericAlias
from typing import Any, TypeVar

from core.common.errors import InputError
from core.common.json_value import Json

_Rule = TypeVar("_Rule")

_TYPE_NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


@dataclass(frozen=True, slots=True)
class TomlLocation:
    """A table of a file, for error messages: the file's name and the table's key, "" for the file itself."""

    file: str
    table: str = ""

    def child(self, key: str) -> TomlLocation:
        """Return the location of a table inside this one."""
        return TomlLocation(self.file, self._path(key))

    def wrong(self, key: str, what: str) -> InputError:
        """Return the error for a key."""
        return InputError(f"{self.file}: {self._path(key)} {what}.", "Correct the preset's file.")

    def _path(self, key: str) -> str:
        return f"{self.table}.{key}" if self.table else key


def known_only(table: Mapping[str, Json], known: Iterable[str], where: TomlLocation) -> None:
    """Raise InputError for an unknown key."""
    names = tuple(known)
    for key in table:
        if key not in names:
            raise where.wrong(key, f"is unknown; known: {', '.join(names) or 'none'}")


def take_value(table: Mapping[str, Json], key: str, kind: Any, where: TomlLocation) -> Json:
    """Return the value of a key; raises InputError where it is missing or of another type."""
    if key not in table:
        raise where.wrong(key, "is missing")
    return _value(table[key], key, kind, where)


def build_from_table(cls: type[_Rule], table: Json, where: TomlLocation) -> _Rule:
    """Build a dataclass from a table whose keys are its fields; fields with a default may be absent."""
    rule: Any = cls
    known = {one.name: one for one in fields(rule)}
    known_only(table, known, where)
    hints = _hints(rule)
    for name, one in known.items():
        if name not in table and one.default is MISSING and one.default_factory is MISSING:
            raise where.wrong(name, "is missing")
    return cls(**{key: take_value(table, key, hints[key], where) for key in table})


def by_kind(kinds: Mapping[str, type[_Rule]], table: Json, where: TomlLocation) -> _Rule:
    """Build the rule named by ``kind`` from the other keys of its table."""
    kind = take_value(table, "kind", str, where)
    if kind not in kinds:
        raise where.wrong("kind", f"must be one of: {', '.join(kinds)}")
    return build_from_table(kinds[kind], {key: value for key, value in table.items() if key != "kind"}, where)


def array_of_tables(
    table: Mapping[str, Json], key: str, where: TomlLocation
) -> list[tuple[Json, TomlLocation]]:
    """Return the tables of an array, each with its location; none where the key is absent."""
    tables = take_value(table, key, list, where) if key in table else []
    numbered = [(f"{key}[{number}]", one) for number, one in enumerate(tables, 1)]
    return [(_value(one, name, dict, where), where.child(name)) for name, one in numbered]


@cache
def _hints(cls: type[object]) -> Mapping[str, Any]:
    """Return the field types of a dataclass; cached, since many tables are of one class."""
    return typing.get_type_hints(cls)


def _value(value: Json, key: str, kind: Any, where: TomlLocation) -> Json:
    """Convert nothing but a whole number to a fraction, a date to its text, and a list to a tuple."""
    if isinstance(kind, GenericAlias):  # tuple[X, ...]
        inner = typing.get_args(kind)[0]
        items = _value(value, key, list, where)
        return tuple(_value(one, f"{key}[{number}]", inner, where) for number, one in enumerate(items, 1))
    if is_dataclass(kind):
        return build_from_table(
            typing.cast("type[object]", kind), _value(value, key, dict, where), where.child(key)
        )
    if issubclass(kind, StrEnum):
        known = [member.value for member in kind]
        if value not in known:
            raise where.wrong(key, f"must be one of: {', '.join(known)}")
        return kind(value)
    if kind is str and type(value) is date:
        return value.isoformat()
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise where.wrong(key, f"must be {_TYPE_NAMES[kind]}")
    if kind in (int, float) and value < 0:
        raise where.wrong(key, "is below 0")
    return value
