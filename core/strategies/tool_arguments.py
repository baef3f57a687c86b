"""Strict parsing of a model's tool arguments against the tool's JSON schema."""

from __future__ import annotations

import json
from collections.abc import Mapping

from core.common.json_value import Json


class ToolArgumentsError(Exception):
    """Unusable arguments; its text is sent to the model (spec section 2.7)."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"Failed to parse arguments: error.{cause}")


def parse_arguments(text: str, schema: Mapping[str, Json]) -> dict[str, Json]:
    """Return the arguments by name; raises ToolArgumentsError unless they are an object of these fields.
    ``schema`` has ``properties`` of the types integer (not negative), string and boolean, and ``required``.
    Empty text means an object without fields."""
    try:
        parsed = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        raise ToolArgumentsError("SyntaxError") from None
    if not isinstance(parsed, dict):
        raise ToolArgumentsError("UnexpectedToken")
    properties = schema["properties"]
    if any(name not in properties for name in parsed):
        raise ToolArgumentsError("UnknownField")
    values = {name: _value(value, properties[name]["type"]) for name, value in parsed.items()}
    if any(name not in values for name in schema["required"]):
        raise ToolArgumentsError("MissingField")
    return values


def _value(value: Json, kind: str) -> Json:
    if kind == "integer":
        return _whole_number(value)
    if not isinstance(value, bool if kind == "boolean" else str):
        raise ToolArgumentsError("UnexpectedToken")
    return value


def _whole_number(value: Json) -> int:
    """Return a number from 0 on; models sometimes write 3.0 for 3."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ToolArgumentsError("UnexpectedToken")
    if value != value or value in (float("inf"), float("-inf")) or value != int(value):
        raise ToolArgumentsError("InvalidNumber")
    if value < 0:
        raise ToolArgumentsError("Overflow")
    return int(value)
