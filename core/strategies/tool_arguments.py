"""The arguments of a tool as a model wrote them, read strictly by the tool's JSON schema."""

from __future__ import annotations

import json
from collections.abc import Mapping

from core.transcript.model import Json


class ArgumentsFault(Exception):
    """The arguments cannot be used; its text is what the model is told (spec section 2.7)."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"Failed to parse arguments: error.{cause}")


def parse(text: str, schema: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments by name. Raises ArgumentsFault where they are no object of exactly these fields.

    ``schema`` has ``properties`` of the types integer (not negative), string and boolean, and
    ``required``. No text at all stands for an object without fields.
    """
    try:
        given = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        raise ArgumentsFault("SyntaxError") from None
    if not isinstance(given, dict):
        raise ArgumentsFault("UnexpectedToken")
    properties = schema["properties"]
    if any(name not in properties for name in given):
        raise ArgumentsFault("UnknownField")
    found = {name: _value(value, properties[name]["type"]) for name, value in given.items()}
    if any(name not in found for name in schema["required"]):
        raise ArgumentsFault("MissingField")
    return found


def _value(value: Json, kind: str) -> Json:
    if kind == "integer":
        return _whole(value)
    if not isinstance(value, bool if kind == "boolean" else str):
        raise ArgumentsFault("UnexpectedToken")
    return value


def _whole(value: Json) -> int:
    """A number from 0 on; models write 3.0 for 3 now and then."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentsFault("UnexpectedToken")
    if value != value or value in (float("inf"), float("-inf")) or value != int(value):
        raise ArgumentsFault("InvalidNumber")
    if value < 0:
        raise ArgumentsFault("Overflow")
    return int(value)
