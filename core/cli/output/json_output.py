"""Writes a result as JSON: keys in the order given, long lists an element a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping

import orjson

from core.cli.output.console import escape_terminal
from core.common.json_value import Json
from core.common.version import installed_version

_SCHEMAS = dict.fromkeys(("inspect", "compact", "compare", "replay", "sweep", "probe", "sessions"), 2)
"""Schema numbers above 1. A number is raised when a key changes its meaning or is removed, not for new keys.
2: tokens are calibrated on what the file reports, and include hidden ones."""


def write_json(command: str, value: Mapping[str, Json]) -> None:
    """Print an object with ``foldline`` and ``schema`` first. Iterators are written while they are read."""
    for piece in _pieces(command, value, _terminal_safe if _is_utf8() else _ascii):
        sys.stdout.write(piece)


def json_output_text(command: str, value: Mapping[str, Json]) -> str:
    return "".join(_pieces(command, value, _dump))


def _pieces(command: str, value: Mapping[str, Json], dump: Callable[[Json], str]) -> Iterator[str]:
    head = {"foldline": installed_version(), "schema": f"{command}/{_SCHEMAS.get(command, 1)}"}
    yield "{"
    for number, (key, item) in enumerate((head | dict(value)).items()):
        yield f"{',' if number else ''}\n  {json.dumps(key)}: "
        if isinstance(item, Iterator):
            yield from _list(item, dump)
        else:
            yield dump(item)
    yield "\n}\n"


def _list(items: Iterable[Json], dump: Callable[[Json], str]) -> Iterator[str]:
    yield "["
    has_items = False
    for item in items:
        yield f"{',' if has_items else ''}\n    {dump(item)}"
        has_items = True
    yield "\n  ]" if has_items else "]"


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def _terminal_safe(value: Json) -> str:
    """Return JSON without characters that control a terminal."""
    return escape_terminal(_dump(value))


def _dump(value: Json) -> str:
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError, RecursionError):
        # Integers above 64 bits and lone surrogates, which orjson refuses.
        return _ascii(value)


def _ascii(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), default=str)
