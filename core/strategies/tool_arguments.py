"""The arguments of a tool as a model wrote them, read strictly by the tool's JSON schema."""

from __future__ import annotations

import json
from collections.abc import Mapping

from core.common.json_value import Json


class ToolArgumentsError(Exception):
    """The arguments cannot be used; its text is what the model is told (spec section 2.7)."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"Failed to parse arguments: error.{cause}")


def parse_arguments(text: str, schema: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments by name. Raises ToolArgumentsError where they are no object of exactly these fields.

    ``schema`` has ``properties`` of the types integer (not negative), string and boolean, and
    ``required``. No text at all stands for an object without fields.
    """
    try:
        given = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        raise ToolArgumentsError("SyntaxError") from None
    if not isinstance(given, dict):
        raise ToolArgumentsError("UnexpectedToken")
    properties = schema["properties"]
    if any(name not in properties for name in given):
        raise ToolArgumentsError("UnknownField")
    found = {name: _value(value, properties[name]["type"]) for name, value in given.items()}
    if any(name not in found for name in schema["required"]):
        raise ToolArgumentsError("MissingField")
    return found


def _value(value: Json, kind: str) -> Json:
    if kind == "integer":
        return _whole(value)
    if not isinstance(value, bool if kind == "boolean" else str):
        raise ToolArgumentsError("UnexpectedToken")
    return value


def _whole(value: Json) -> int:
    """A number from 0 on; models write 3.0 for 3 now and then."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ToolArgumentsError("UnexpectedToken")
    if value != value or value in (float("inf"), float("-inf")) or value != int(value):
        raise ToolArgumentsError("InvalidNumber")
    if value < 0:
        raise ToolArgumentsError("Overflow")
    return int(value)
