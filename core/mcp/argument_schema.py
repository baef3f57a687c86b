"""The arguments of a tool, checked against its JSON schema before anything is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.errors import InputError
from core.common.json_value import Json

_KINDS: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}
_WORDS: Mapping[str, str] = {
    "string": "a text",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def object_schema(properties: Mapping[str, Json], *required: str) -> dict[str, Json]:
    """The JSON schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def check_arguments(tool: str, wanted: Mapping[str, Json], given: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments without those that are null. Raises InputError that names tool and argument."""
    known = wanted["properties"]
    for name in given:
        if name not in known:
            raise InputError(f"{tool} has no argument {name!r}.", f"It takes {', '.join(known)}.")
    found = {name: value for name, value in given.items() if value is not None}
    for name in wanted["required"]:
        if name not in found:
            raise InputError(f"{tool} needs the argument {name}.", str(known[name].get("description", "")))
    for name, value in found.items():
        _check(tool, name, value, known[name]["type"])
    return found


def _check(tool: str, name: str, value: Json, kind: str | Sequence[str]) -> None:
    kinds = (kind,) if isinstance(kind, str) else tuple(kind)
    fits = any(isinstance(value, _KINDS[one]) for one in kinds)
    if not fits or (isinstance(value, bool) and "boolean" not in kinds):
        words = " or ".join(_WORDS[one] for one in kinds)
        raise InputError(f"{tool}: {name} is {words}.", f"Give {name} as such.")
