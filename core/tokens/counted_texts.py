"""The texts whose tokens are counted for a value: compact JSON, and long texts in pieces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

import orjson

from core.common.json_value import Json

BLANK_RUN = 100_000
"""Characters: tiktoken fails on about a million blanks in a row, so such runs are cut here."""

_BLANK_PROBE = 500
_PIECE = 400_000  # characters counted at once, so that counting a huge text can be cancelled
_SEAM = re.compile(r"[a-z](?=[ (\[{<,;:.=/])|[0-9](?=[A-Za-z])")  # no token of any encoding spans it
_SEAM_PROBE = 10_000
_PLAIN = frozenset((str, int, bool, type(None)))


def text_pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces.

    It is cut inside long runs of blanks, which costs at most one token each, and sometimes between two
    tokens, which costs none.
    """
    start = 0
    for place in range(BLANK_RUN, len(text), BLANK_RUN):
        if text[place - _BLANK_PROBE : place + _BLANK_PROBE].isspace():
            yield text[start:place]
            start = place
        elif place - start >= _PIECE and (seam := _SEAM.search(text, place, place + _SEAM_PROBE)):
            yield text[start : seam.end()]
            start = seam.end()
    yield text[start:] if start else text


def compact_json_texts(value: Json) -> Iterator[str]:
    """Yield compact JSON as one text, or only the strings of a value nested too deep."""
    try:
        if _is_plain(value):
            yield orjson.dumps(value).decode()
            return
    except TypeError:  # only json writes lone surrogates and long integers
        pass
    try:
        yield json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except RecursionError:
        yield from _strings(value)


def _is_plain(value: Json) -> bool:
    """Return True if orjson's output, if any, equals json's: floats differ."""
    stack = [value]
    for found in stack:
        kind = type(found)
        if kind is dict:
            stack.extend(found.values())
        elif kind is list:
            stack.extend(found)
        elif kind not in _PLAIN:
            return False
    return True


def _strings(value: Json) -> Iterator[str]:
    stack = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, Mapping):
            stack.extend(found)
            stack.extend(found.values())
        elif isinstance(found, Sequence):
            stack.extend(found)
