"""The published JSON Schemas: they say what each key means, and other outputs than those they were
made from fit them."""

import json
from typing import Any

import pytest

from tests.core.cli.running_cli import CHAT, RECORDING, SESSION, Cli
from tests.core.cli.test_cli_commands import COMMANDS
from tests.support.published_schemas import FOLDER, documented

jsonschema = pytest.importorskip(
    "jsonschema", reason="the package mcp brings jsonschema"
)

OTHERS = [
    ("inspect", (CHAT,)),
    ("inspect", (RECORDING, "-s", "none")),
    ("facts", (CHAT,)),
    ("compact", (CHAT, "-s", "hybrid")),
    ("compact", (SESSION, "-s", "none")),
    ("compact", (RECORDING, "-s", "high-density", "--every-turn")),
    ("compare", (CHAT, "-s", "pi,hybrid", "--against", "pi", "hybrid")),
    ("check", (CHAT, "-s", "middle-out", "--max-lost", "3")),
    ("lint", (RECORDING, "--provider", "openai")),
    ("repair", (CHAT,)),
    ("replay", (SESSION, "-s", "none", "--set", "compression.context-limit=60000")),
    ("strategies", ()),
    ("settings", ("-s", "tiered", "--set", "compression.context-limit=9000")),
    ("sessions", ("--newest", "1")),
]


def schema(command: str) -> Any:
    return json.loads((FOLDER / f"{command}.json").read_text("utf-8"))


def closed(part: Any) -> Any:
    """Return a schema that refuses what it does not name; the published ones allow keys of later
    versions."""
    if "properties" not in part:
        return part
    keys = {key: closed(value) for key, value in part["properties"].items()}
    return {**part, "properties": keys, "additionalProperties": False}


def test_each_json_has_a_schema() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_schema_says_what_each_key_means(command: str) -> None:
    top = schema(command)
    assert sorted(top["required"]) == sorted(top["properties"])
    for key, about in documented(command):
        *parents, name = key.split(".")
        place = top
        for parent in parents:
            place = place["properties"][parent]
        assert name in place["required"]
        assert key == "schema" or about, key
    jsonschema.Draft202012Validator.check_schema(top)


@pytest.mark.parametrize(("command", "arguments"), [*COMMANDS.items(), *OTHERS])
def test_outputs_fit_and_have_no_other_keys(
    cli: Cli, command: str, arguments: tuple[str, ...]
) -> None:
    output = cli.json(command.split("-")[0], *arguments)
    jsonschema.validate(output, closed(schema(command)))


def test_an_output_without_a_key_does_not_fit(cli: Cli) -> None:
    output = cli.json("lint", CHAT)
    del output["findings"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(output, schema("lint"))
