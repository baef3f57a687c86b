"""Which texts stand for a value when its tokens are counted: JSON without blanks, long ones in pieces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

import orjson

from core.common.json_value import Json

BLANK_RUN = 100_000
"""Characters: tiktoken dies on about a million blanks in a row, so such runs are cut here."""

_BLANK_PROBE = 500
_PIECE = 400_000  # characters counted at once, so that counting a huge text can be cancelled
_SEAM = re.compile(r"[a-z](?=[ (\[{<,;:.=/])|[0-9](?=[A-Za-z])")  # no token of any encoding lies across
_SEAM_PROBE = 10_000
_PLAIN = frozenset((str, int, bool, type(None)))


def text_pieces(text: str) -> Iterator[str]:
    """A text, divided where it has been blank for long, which costs a token a cut at most, and now
    and then between two tokens, which costs nothing."""
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
    """JSON without blanks as one text; the strings alone of a value too deep to be written."""
    try:
        if _is_plain(value):
            yield orjson.dumps(value).decode()
            return
    except TypeError:  # what only the slower writer knows: half a character, a long integer
        pass
    try:
        yield json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except RecursionError:
        yield from _strings(value)


def _is_plain(value: Json) -> bool:
    """True where orjson writes what json writes, if it writes it at all: floats look different."""
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
