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

    def error(self, key: str, problem: str) -> InputError:
        """Return the error for a key."""
        return InputError(f"{self.file}: {self._path(key)} {problem}.", "Correct the preset's file.")

    def _path(self, key: str) -> str:
        return f"{self.table}.{key}" if self.table else key


def check_known_keys(table: Mapping[str, Json], known: Iterable[str], location: TomlLocation) -> None:
    """Raise InputError for an unknown key."""
    names = tuple(known)
    for key in table:
        if key not in names:
            raise location.error(key, f"is unknown; known: {', '.join(names) or 'none'}")


def take_value(table: Mapping[str, Json], key: str, kind: Any, location: TomlLocation) -> Json:
    """Return the value of a key; raises InputError where it is missing or of another type."""
    if key not in table:
        raise location.error(key, "is missing")
    return _value(table[key], key, kind, location)


def build_from_table(cls: type[_Rule], table: Json, location: TomlLocation) -> _Rule:
    """Build a dataclass from a table whose keys are its fields; fields with a default may be absent."""
    rule: Any = cls
    field_by_name = {rule_field.name: rule_field for rule_field in fields(rule)}
    check_known_keys(table, field_by_name, location)
    hints = _hints(rule)
    for name, rule_field in field_by_name.items():
        if name not in table and rule_field.default is MISSING and rule_field.default_factory is MISSING:
            raise location.error(name, "is missing")
    return cls(**{key: take_value(table, key, hints[key], location) for key in table})


def build_by_kind(kinds: Mapping[str, type[_Rule]], table: Json, location: TomlLocation) -> _Rule:
    """Build the rule named by ``kind`` from the other keys of its table."""
    kind = take_value(table, "kind", str, location)
    if kind not in kinds:
        raise location.error("kind", f"must be one of: {', '.join(kinds)}")
    return build_from_table(
        kinds[kind], {key: value for key, value in table.items() if key != "kind"}, location
    )


def array_of_tables(
    table: Mapping[str, Json], key: str, location: TomlLocation
) -> list[tuple[Json, TomlLocation]]:
    """Return the tables of an array, each with its location; none where the key is absent."""
    tables = take_value(table, key, list, location) if key in table else []
    numbered = [(f"{key}[{number}]", item) for number, item in enumerate(tables, 1)]
    return [(_value(item, name, dict, location), location.child(name)) for name, item in numbered]


@cache
def _hints(cls: type[object]) -> Mapping[str, Any]:
    """Return the field types of a dataclass; cached, since many tables are of one class."""
    return typing.get_type_hints(cls)


def _value(value: Json, key: str, kind: Any, location: TomlLocation) -> Json:
    """Convert nothing but a whole number to a fraction, a date to its text, and a list to a tuple."""
    if isinstance(kind, GenericAlias):  # tuple[X, ...]
        inner = typing.get_args(kind)[0]
        items = _value(value, key, list, location)
        return tuple(
            _value(item, f"{key}[{number}]", inner, location) for number, item in enumerate(items, 1)
        )
    if is_dataclass(kind):
        return build_from_table(
            typing.cast("type[object]", kind), _value(value, key, dict, location), location.child(key)
        )
    if issubclass(kind, StrEnum):
        allowed = [member.value for member in kind]
        if value not in allowed:
            raise location.error(key, f"must be one of: {', '.join(allowed)}")
        return kind(value)
    if kind is str and type(value) is date:
        return value.isoformat()
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise location.error(key, f"must be {_TYPE_NAMES[kind]}")
    if kind in (int, float) and value < 0:
        raise location.error(key, "is below 0")
    return value
