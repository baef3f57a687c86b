"""Checks the arguments of a tool against its JSON schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.errors import InputError
from core.common.json_value import Json

_TYPES: Mapping[str, tuple[type, str]] = {
    "string": (str, "a text"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
    "array": (list, "a list"),
    "object": (dict, "an object"),
}


def argument(type_name: str, description: str) -> dict[str, Json]:
    return {"type": type_name, "description": description}


def object_schema(properties: Mapping[str, Json], *required: str) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def check_arguments(tool: str, schema: Mapping[str, Json], arguments: Mapping[str, Json]) -> dict[str, Json]:
    """Return the arguments without those that are null. Raises InputError that names tool and argument."""
    properties = schema["properties"]
    for name in arguments:
        if name not in properties:
            raise InputError(f"{tool} has no argument {name!r}.", f"Arguments: {', '.join(properties)}.")
    values = {name: value for name, value in arguments.items() if value is not None}
    for name in schema["required"]:
        if name not in values:
            about = str(properties[name].get("description", ""))
            raise InputError(f"{tool} needs the argument {name}.", about)
    for name, value in values.items():
        _check_type(tool, name, value, properties[name]["type"])
    return values


def _check_type(tool: str, name: str, value: Json, types: str | Sequence[str]) -> None:
    type_names = (types,) if isinstance(types, str) else tuple(types)
    is_allowed = any(isinstance(value, _TYPES[type_name][0]) for type_name in type_names)
    if not is_allowed or (isinstance(value, bool) and "boolean" not in type_names):
        words = " or ".join(_TYPES[type_name][1] for type_name in type_names)
        raise InputError(f"{tool}: {name} must be {words}.", f"Correct {name}.")
