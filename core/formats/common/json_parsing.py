"""Parses JSON: fast if it is clean, lenient with notes if it is not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

import orjson

from core.common.json_value import MISSING, Json

_ZEROS = "\0 \t\r\n"
_MIN_INEXACT = float(1 << 63)  # integers from here on may have become floats
TOO_DEEP, TOO_LONG = "nested too deeply", "a number has too many digits"
"""Reasons why valid JSON is not read."""
MAX_DEPTH = 200
"""Levels of nesting that are read: far more than transcripts have, and few enough for recursion."""


class ParsedJson(NamedTuple):  # faster than a dataclass; there is one per line
    """A value, or the reason there is none. ``note`` is a warning about a value that was read."""

    value: Json = None
    error: str = ""
    note: str = ""


def parse_clean_json(data: bytes | str) -> Json:
    """Return the value of clean JSON; MISSING if ``parse_bytes`` must decide."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return MISSING
    return value if _is_exact((value,), 0) else MISSING


def parse_bytes(data: bytes) -> ParsedJson:
    """Parse one JSON value leniently: lone surrogates, NaN, big integers, and broken UTF-8 with a note."""
    value = parse_clean_json(data)
    return _parse_leniently(data) if value is MISSING else ParsedJson(value)


def _is_exact(values: Iterable[Json], level: int) -> bool:
    """Return whether values are not too deep and hold no float that may have been an integer: orjson makes
    floats of integers above 64 bits, but ids must stay exact."""
    if level > MAX_DEPTH:
        return False
    for value in values:
        kind = type(value)
        if kind is str:  # nearly always
            continue
        if kind is dict:
            if not _is_exact(value.values(), level + 1):
                return False
        elif kind is list:
            if not _is_exact(value, level + 1):
                return False
        elif kind is float and abs(value) >= _MIN_INEXACT:
            return False
    return True


def parse_text(text: str) -> Json:
    """Return the JSON value of a text. Raises JSONDecodeError, or ValueError with TOO_DEEP or TOO_LONG."""
    try:
        value = json.loads(text, strict=False)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        raise ValueError(TOO_DEEP if isinstance(error, RecursionError) else TOO_LONG) from error
    if is_too_deep(value):
        raise ValueError(TOO_DEEP)
    return value


def is_too_deep(value: Json) -> bool:
    """Return whether lists and objects are nested more than DEEPEST levels."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        containers = [container for container in level if isinstance(container, dict | list)]
        if not containers:
            return False
        level = [
            value
            for container in containers
            for value in (container.values() if isinstance(container, dict) else container)
        ]
    return True


def _parse_leniently(data: bytes) -> ParsedJson:
    note = ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        note = "bytes that are not UTF-8 were replaced"
    try:
        return ParsedJson(parse_text(text), "", note)
    except ValueError as error:
        return ParsedJson(error=_reason(error, text))


def _reason(error: ValueError, text: str) -> str:
    if text.strip(_ZEROS) == "":
        return "zero bytes, as a crash leaves them"
    if isinstance(error, json.JSONDecodeError):
        at_end = error.pos >= len(text) or error.msg.startswith("Unterminated string")
        return "incomplete JSON" if at_end else f"not JSON ({error.msg.lower()})"
    return str(error)
