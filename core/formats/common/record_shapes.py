"""Shapes of single records as data: which fields a record has, and with which values.

A shape is a text of conditions separated by blanks; a record has the shape if all of them hold:

==============  ==================================================================================
``a.b``         the field ``b`` of the object in field ``a`` is there
``a=x|y``       the field is the text ``x`` or ``y``; ``x*`` is any text that begins with ``x``
``!a``          the field is not there
==============  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.common.json_value import MISSING, Json


@dataclass(frozen=True, slots=True)
class RecordCondition:
    """One condition of a shape. ``values`` are whole texts, ``starts`` beginnings; both empty: any value."""

    path: tuple[str, ...]
    values: frozenset[str] = frozenset()
    starts: tuple[str, ...] = ()
    is_absent: bool = False

    def holds(self, record: Mapping[str, Json]) -> bool:
        value: Json = record
        for name in self.path:
            value = value.get(name, MISSING) if isinstance(value, dict) else MISSING
        if value is MISSING or self.is_absent:
            return (value is MISSING) is self.is_absent
        if not self.values and not self.starts:
            return True
        return isinstance(value, str) and (value in self.values or value.startswith(self.starts))


class RecordShapes:
    """Several shapes, for records that have any of them."""

    __slots__ = ("_shapes",)

    def __init__(self, *shapes: str) -> None:
        self._shapes = [_parse_shape(shape) for shape in shapes]

    def match(self, record: Json) -> bool:
        if type(record) is not dict:
            return False
        names = record.keys()
        for required_fields, conditions in self._shapes:  # names first: most records lack some
            if required_fields <= names and all(condition.holds(record) for condition in conditions):
                return True
        return False


def _parse_shape(text: str) -> tuple[frozenset[str], list[RecordCondition]]:
    """Return the fields that a record needs, and the further conditions."""
    conditions = [_parse_condition(part) for part in text.split()]
    required_fields = frozenset(condition.path[0] for condition in conditions if not condition.is_absent)
    further_conditions = [
        condition
        for condition in conditions
        if condition.is_absent or condition.values or condition.starts or len(condition.path) > 1
    ]
    return required_fields, further_conditions


def _parse_condition(text: str) -> RecordCondition:
    path, equals_sign, values = text.removeprefix("!").partition("=")
    allowed = values.split("|") if equals_sign else []
    return RecordCondition(
        tuple(path.split(".")),
        frozenset(value for value in allowed if not value.endswith("*")),
        tuple(value[:-1] for value in allowed if value.endswith("*")),
        text.startswith("!"),
    )
