"""Removes a key from a text, whole or in part, plain or in the encodings that servers use."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

COVERED = "[key]"
LEAST = 6  # shortest part of a key, in characters, that is hidden
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
    hidden = {position for match in _SECRET.finditer(text) for position in range(*match.span())}
    for letters in (_plain(text), _unescaped_letters(text), _unescaped_letters(text, gaps=True)):
        for size, parts in _key_parts(key):
            hidden.update(_places(letters, parts, size))
    return _with_covered(text, hidden)


def _key_parts(key: str) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield the length and the parts of the key in each of its forms."""
    raw = key.encode()
    for form, size in (
        (key, min(LEAST, max(4, len(key)))),
        (raw.hex(), 2 * LEAST),
        *((form, 8) for shift in range(3) for form in _base64(raw, shift)),
    ):
        folded = form.lower()
        yield size, frozenset(folded[at : at + size] for at in range(len(folded) - size + 1))


def _base64(raw: bytes, shift: int) -> tuple[str, str]:
    """Return the key as encoded inside a longer text, ``shift`` bytes after a full group."""
    whole = b"\0" * shift + raw
    inner = slice(4 if shift else 0, len(whole) // 3 * 4)
    return base64.b64encode(whole).decode()[inner], base64.urlsafe_b64encode(whole).decode()[inner]


def _plain(text: str) -> _Letters:
    return [(letter, at, at + 1) for at, letter in enumerate(text)]


def _unescaped_letters(text: str, *, gaps: bool = False) -> _Letters:
    """Return the text with its escapes decoded; with ``gaps`` also without whitespace."""
    letters: list[tuple[str, int, int]] = []
    end = 0
    for match in _ESCAPE.finditer(text):
        if match["gap"] and not gaps:
            continue
        letters += [(text[at], at, at + 1) for at in range(end, match.start())]
        letters += [(letter, *match.span()) for letter in _unescaped(match)]
        end = match.end()
    return letters + [(text[at], at, at + 1) for at in range(end, len(text))]


def _unescaped(match: re.Match[str]) -> str:
    if match["url"]:
        return unquote(match["url"])
    if code := match["u"] or match["x"]:
        return chr(int(code, 16))
    return match["plain"] or html.unescape(match["html"] or "")


def _places(letters: _Letters, parts: frozenset[str], size: int) -> Iterator[int]:
    """Yield every position of the text that belongs to one of the parts."""
    folded = [letter.lower() for letter, _, _ in letters]
    for at in range(len(folded) - size + 1):
        if "".join(folded[at : at + size]) in parts:
            yield from range(letters[at][1], letters[at + size - 1][2])


def _with_covered(text: str, hidden: set[int]) -> str:
    pieces: list[str] = []
    for position, letter in enumerate(text):
        if position not in hidden:
            pieces.append(letter)
        elif position - 1 not in hidden:
            pieces.append(COVERED)
    return "".join(pieces)
