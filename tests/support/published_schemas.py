"""The JSON Schemas of ``--json`` that Foldline publishes."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.source_tree import ROOT

FOLDER = ROOT / "resources" / "schemas"


def published(command: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{command}.json").read_text("utf-8"))
    return found


def documented(command: str) -> list[tuple[str, str]]:
    """Return the keys of a command's schema and what they mean; a dot leads into an object."""
    return [*_described(published(command), "")]


def _described(part: Mapping[str, Any], before: str) -> Iterator[tuple[str, str]]:
    for name, value in part["properties"].items():
        if value.get("properties"):
            yield from _described(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value.get("description", "")
