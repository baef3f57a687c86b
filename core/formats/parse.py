"""From bytes to JSON values: fast where the JSON is clean, lenient and telling where it is not."""

from __future__ import annotations

import json
from typing import NamedTuple

import orjson

from core.conversation import Json

_DIGITS = bytes(ord("0") if ord("0") <= code <= ord("9") else code for code in range(256))
_LONG = b"0" * 19
_LOST = float(1 << 63)  # integers from here on may have become floats
_LOOKED_INTO = 4_096  # bytes; longer ones are mostly text, so looking at the values is quicker
TOO_DEEP, TOO_LONG = "nested too deeply", "a number has too many digits"
"""Why a text that is JSON is not read."""
DEEPEST = 200
"""Levels of lists and objects that are read: far more than transcripts have, and few enough that
everything that walks a value may call itself for each."""


class Parsed(NamedTuple):  # quicker to make than a dataclass, and there is one for each line
    """A value, or the reason there is none. ``note`` is a warning about a value that was read."""

    value: Json = None
    error: str = ""
    note: str = ""


def parse_bytes(data: bytes) -> Parsed:
    """One JSON value. Lone surrogates, NaN and integers of any size are read; so is broken UTF-8,
    with a note."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return _parse_leniently(data)
    if len(data) < _LOOKED_INTO:
        is_exact = _LONG not in data.translate(_DIGITS)
        is_flat = data.count(b"[") + data.count(b"{") <= DEEPEST or not is_deep(value)
    else:
        is_exact, is_flat = _looked_into(value)
    if not is_exact:  # orjson turns integers above 64 bits into floats; ids must stay as they are
        return _parse_leniently(data)
    return Parsed(value) if is_flat else Parsed(error=TOO_DEEP)


def _looked_into(value: Json) -> tuple[bool, bool]:
    """Whether a value holds no float that may have been an integer, and whether it is not deep."""
    level: list[Json] = [[value]]
    for _ in range(DEEPEST + 1):
        inner: list[Json] = []
        for one in level:
            for found in one.values() if type(one) is dict else one:
                kind = type(found)
                if kind is dict or kind is list:
                    inner.append(found)
                elif kind is float and abs(found) >= _LOST:
                    return False, True
        if not inner:
            return True, True
        level = inner
    return True, False


def parse_text(text: str) -> Json:
    """The JSON value that a text is. Raises JSONDecodeError where it is none, and ValueError with
    TOO_DEEP or TOO_LONG where it cannot be read."""
    try:
        value = json.loads(text, strict=False)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        raise ValueError(TOO_DEEP if isinstance(error, RecursionError) else TOO_LONG) from error
    if is_deep(value):
        raise ValueError(TOO_DEEP)
    return value


def is_deep(value: Json) -> bool:
    """True where lists and objects lie in each other by more than DEEPEST levels."""
    level = [value]
    for _ in range(DEEPEST + 1):
        nested = [one for one in level if isinstance(one, dict | list)]
        if not nested:
            return False
        level = [value for one in nested for value in (one.values() if isinstance(one, dict) else one)]
    return True


def _parse_leniently(data: bytes) -> Parsed:
    note = ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        note = "bytes that are not UTF-8 were replaced"
    try:
        return Parsed(parse_text(text), "", note)
    except ValueError as error:
        return Parsed(error=_reason(error, text))


def _reason(error: ValueError, text: str) -> str:
    if isinstance(error, json.JSONDecodeError):
        at_end = error.pos >= len(text) or error.msg.startswith("Unterminated string")
        return "incomplete JSON" if at_end else f"not JSON ({error.msg.lower()})"
    return str(error)
