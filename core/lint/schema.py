"""What an API takes of one written message, from a JSON Schema for each API (``schemas``).

A part of a schema that stands for a rule names it in ``rule``; the words, the source and the date
of each rule are in ``rules`` of its file. What a schema cannot say, as pairs, order and limits, is
in the other modules of this package.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from core.common.json_value import Json

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

MESSAGE, TOOL = "message", "tool"
"""What a schema describes: a record of the list of messages, and a definition of a tool."""

MISSING_FIELD, WRONG_TYPE, SHAPE = "missing-field", "wrong-type", "shape"
"""Rules of all APIs, for parts of a schema that name none."""
_FOLDER = Path(__file__).with_name("schemas")
_TYPES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "null": "null",
    "boolean": "true or false",
    "number": "a number",
    "integer": "a whole number",
}
_MAX_SHOWN = 60
_MAX_ERRORS = 50
"""Errors of one record that are read: of more, the first of each rule stand for the rest."""


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """What an API would refuse of a record: the rule, and the end of a sentence about the
    message."""

    rule: str
    text: str


@cache
def schema_of(provider: str) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = orjson.loads((_FOLDER / f"{provider}.json").read_bytes())
    return schema


@cache
def _validator(provider: str, kind: str) -> Validator:
    import jsonschema_rs  # late: most processes check nothing

    schema = {**schema_of(provider), "$ref": f"#/$defs/{kind}"}
    options = jsonschema_rs.RegexOptions()  # patterns in linear time
    return jsonschema_rs.Draft202012Validator(schema, pattern_options=options)


def schema_faults(provider: str, record: Json, kind: str = MESSAGE) -> tuple[SchemaFault, ...]:
    """Return what the API of a provider refuses of a record, one fault a rule."""
    validator = _validator(provider, kind)
    try:
        if validator.is_valid(record):
            return ()
        return tuple(_faults(provider, validator.iter_errors(record)))
    except ValueError:  # of texts that are more than texts, as those of images left in the file
        pass
    try:
        plain = orjson.loads(orjson.dumps(record, default=str))
        return tuple(_faults(provider, validator.iter_errors(plain)))
    except (TypeError, ValueError) as error:  # too deep, or half a surrogate pair, which is no text
        return (SchemaFault(SHAPE, f"cannot be written: {str(error)[:_MAX_SHOWN]}."),)


def _faults(provider: str, errors: Iterator[ValidationError]) -> Iterator[SchemaFault]:
    seen: set[str] = set()
    for _, error in zip(range(_MAX_ERRORS), errors, strict=False):
        rule = _rule_of(provider, error.schema_path) or _general_rule(error)
        if rule not in seen:
            seen.add(rule)
            yield SchemaFault(rule, f"{_words(provider, rule, error)} ({_place(error)}).")


def _rule_of(provider: str, path: Sequence[str | int]) -> str:
    """Return the rule that the part of the schema with the failing keyword names, "" for none."""
    part: Any = schema_of(provider)
    for key in path[:-1]:
        part = part[key]
    rule = part.get("rule", "") if isinstance(part, dict) else ""
    return str(rule)


def _general_rule(error: ValidationError) -> str:
    return {"required": MISSING_FIELD, "type": WRONG_TYPE}.get(error.kind.name, SHAPE)


def _words(provider: str, rule: str, error: ValidationError) -> str:
    if rule == MISSING_FIELD:
        return f"has no {error.kind.as_dict()['property']}, which the API needs"
    if rule == WRONG_TYPE:
        wanted = [_TYPES.get(name, name) for name in error.kind.as_dict()["types"]]
        return f"has another type of value where the API takes {' or '.join(wanted)}"
    if rule == SHAPE:
        return "has a value that the API does not take"
    return str(schema_of(provider)["rules"][rule]["text"])


def _place(error: ValidationError) -> str:
    """Return "content[2].id: 'a|b'": the place in the written message and what stands there."""
    place = "".join(
        f"[{one}]" if isinstance(one, int) else f".{one}" for one in error.instance_path
    ).removeprefix(".")
    value = error.instance
    if isinstance(value, dict | list) and value:
        return place or "the message"
    shown = repr(value) if isinstance(value, str) else json.dumps(value)
    shown = shown if len(shown) <= _MAX_SHOWN else f"{shown[:_MAX_SHOWN]}…"
    return f"{place}: {shown}" if place else shown
