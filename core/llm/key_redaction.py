"""Removes a key from a text, whole or in part, plain or in the encodings that servers use."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

REPLACEMENT = "[key]"
MIN_PART_LENGTH = 6  # shortest part of a key, in characters, that is hidden
_SECRET = re.compile(
    r"\b(?:sk|pk|key|gsk|xai)-[\w*.-]{6,}|\bAIza[\w-]{10,}|\bBearer\s+[^\s\"'”]+", re.IGNORECASE
)
_ESCAPE = re.compile(
    r"(?P<url>%[0-9a-fA-F]{2})|\\+u(?P<u>[0-9a-fA-F]{4})|\\+x(?P<x>[0-9a-fA-F]{2})|\\(?P<plain>[^ux])"
    r"|(?P<html>&#?\w{1,8};)|(?P<gap>[\s\u200b\u00ad\ufeff]+)"
)
"""An escaped character, or whitespace without meaning between two characters."""

_Letters = Sequence[tuple[str, int, int]]
"""The characters of a text, each with its start and end in the original text."""


def without_key(text: str, key: str) -> str:
    """Remove parts of the key of six characters or more, and everything that looks like a key."""
    hidden_positions = {position for match in _SECRET.finditer(text) for position in range(*match.span())}
    for letters in (_plain_letters(text), _unescaped_letters(text), _unescaped_letters(text, gaps=True)):
        for size, parts in _key_parts(key):
            hidden_positions.update(_matching_positions(letters, parts, size))
    return _with_replacements(text, hidden_positions)


def _key_parts(key: str) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield the length and the parts of the key in each of its forms."""
    raw = key.encode()
    for form, size in (
        (key, min(MIN_PART_LENGTH, max(4, len(key)))),
        (raw.hex(), 2 * MIN_PART_LENGTH),
        *((form, 8) for shift in range(3) for form in _base64(raw, shift)),
    ):
        folded = form.lower()
        yield size, frozenset(folded[index : index + size] for index in range(len(folded) - size + 1))


def _base64(raw: bytes, shift: int) -> tuple[str, str]:
    """Return the key as encoded inside a longer text, ``shift`` bytes after a full group."""
    padded = b"\0" * shift + raw
    key_range = slice(4 if shift else 0, len(padded) // 3 * 4)
    return base64.b64encode(padded).decode()[key_range], base64.urlsafe_b64encode(padded).decode()[key_range]


def _plain_letters(text: str) -> _Letters:
    return [(letter, index, index + 1) for index, letter in enumerate(text)]


def _unescaped_letters(text: str, *, gaps: bool = False) -> _Letters:
    """Return the text with its escapes decoded; with ``gaps`` also without whitespace."""
    letters: list[tuple[str, int, int]] = []
    end = 0
    for match in _ESCAPE.finditer(text):
        if match["gap"] and not gaps:
            continue
        letters += [(text[index], index, index + 1) for index in range(end, match.start())]
        letters += [(letter, *match.span()) for letter in _unescaped(match)]
        end = match.end()
    return letters + [(text[index], index, index + 1) for index in range(end, len(text))]


def _unescaped(match: re.Match[str]) -> str:
    if match["url"]:
        return unquote(match["url"])
    if code := match["u"] or match["x"]:
        return chr(int(code, 16))
    return match["plain"] or html.unescape(match["html"] or "")


def _matching_positions(letters: _Letters, parts: frozenset[str], size: int) -> Iterator[int]:
    """Yield every position of the text that belongs to one of the parts."""
    folded = [letter.lower() for letter, _, _ in letters]
    for index in range(len(folded) - size + 1):
        if "".join(folded[index : index + size]) in parts:
            yield from range(letters[index][1], letters[index + size - 1][2])


def _with_replacements(text: str, hidden_positions: set[int]) -> str:
    pieces: list[str] = []
    for position, letter in enumerate(text):
        if position not in hidden_positions:
            pieces.append(letter)
        elif position - 1 not in hidden_positions:
            pieces.append(REPLACEMENT)
    return "".join(pieces)
