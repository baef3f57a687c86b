"""Brings ``resources/schemas`` up to date, a JSON Schema for each ``--json``: ``python -m
tests.tools.json_schemas``.

Keys, their order and their meaning are written there by hand, and the tests compare them with what
commands print. The kind of a value is the one that a run on the samples shows; any may be null.
"""

import io
import json
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any

from core.cli.command_names import FORMER_NAMES
from core.cli.main import run_command_line
from tests.core.cli.test_cli_commands import COMMANDS
from tests.support.published_schemas import FOLDER, documented

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_KINDS = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def printing_command(schema: str) -> str:
    """Return the command whose output a schema is of."""
    name, _, action = schema.partition("-")
    if name == "models" and action:
        return f"{name} {action}"
    return f"{FORMER_NAMES.get(name, name)} {action}".rstrip()


def schema_of(command: str, output: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a command, with the kinds of the values of an output."""
    schema: dict[str, Any] = {
        "$schema": DRAFT,
        "title": f"foldline {printing_command(command)} --json",
    }
    schema |= {"type": "object", "properties": {}, "required": []}
    for key, about in documented(command):
        *parents, name = key.split(".")
        place, value = schema, output
        for parent in parents:
            place = place["properties"].setdefault(parent, {})
            place |= {
                "type": ["object", "null"],
                "properties": place.get("properties", {}),
            }
            place.setdefault("required", [])
            value = value[parent] or {}
        found = value.get(name)
        kind = {} if found is None else {"type": [_KINDS[type(found)], "null"]}
        place["properties"][name] = (
            place["properties"].get(name, {}) | kind | {"description": about}
        )
        place["required"].append(name)
        for depth, parent in enumerate(parents):
            above = schema
            for one in parents[:depth]:
                above = above["properties"][one]
            if parent not in above["required"]:
                above["required"].append(parent)
    schema["properties"]["schema"] = {"const": output["schema"]}
    return schema


def main() -> None:
    for command, arguments in COMMANDS.items():
        printed = io.StringIO()
        with redirect_stdout(printed):
            run_command_line([command.split("-")[0], *arguments, "--json"])
        text = json.dumps(
            schema_of(command, json.loads(printed.getvalue())),
            indent=1,
            ensure_ascii=False,
        )
        (FOLDER / f"{command}.json").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
