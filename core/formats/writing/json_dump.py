"""Writes JSON as bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable

import orjson

from core.common.json_value import Json


def dump_json(value: Json, *, pretty: bool = False) -> bytes:
    """Return JSON as UTF-8 bytes, compact or indented by two; handles any number and any text."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 if pretty else None)
    except (TypeError, ValueError, RecursionError):
        # Integers above 64 bits and lone surrogates, which orjson refuses.
        separators = None if pretty else (",", ":")
        return json.dumps(value, indent=2 if pretty else None, separators=separators).encode()


def dump_lines(values: Iterable[Json]) -> bytes:
    return b"".join(dump_json(value) + b"\n" for value in values)
