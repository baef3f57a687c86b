"""Takes a key out of a text, whole or in part, as it is or as servers encode what they were sent."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

COVERED = "[key]"
LEAST = 6
"""Characters of a key that are a part of it worth hiding."""

_SECRET = re.compile(
    r"\b(?:sk|pk|key|gsk|xai)-[\w*.-]{6,}|\bAIza[\w-]{10,}|\bBearer\s+[^\s\"'”]+", re.IGNORECASE
)
_ESCAPE = re.compile(
    r"(?P<url>%[0-9a-fA-F]{2})|\\+u(?P<u>[0-9a-fA-F]{4})|\\+x(?P<x>[0-9a-fA-F]{2})|\\(?P<plain>[^ux])"
    r"|(?P<html>&#?\w{1,8};)|(?P<gap>[\s\u200b\u00ad\ufeff]+)"
)
"""How one character is written otherwise, or what stands between two without meaning anything."""

_Letters = Sequence[tuple[str, int, int]]
"""A text letter by letter, each with where it begins and ends in the text as it was."""


def without_key(text: str, key: str) -> str:
    """The text without any part of the key of six characters or more, and without what looks like a key."""
    hidden = {at for found in _SECRET.finditer(text) for at in range(*found.span())}
    for letters in (_plain(text), _read(text), _read(text, gaps=True)):
        for size, parts in _searched(key):
            hidden.update(_places(letters, parts, size))
    return _covered(text, hidden)


def _searched(key: str) -> Iterator[tuple[int, frozenset[str]]]:
    """Parts of the key in each of its forms: how long they are, and the parts."""
    raw = key.encode()
    for form, size in (
        (key, min(LEAST, max(4, len(key)))),
        (raw.hex(), 2 * LEAST),
        *((form, 8) for shift in range(3) for form in _base64(raw, shift)),
    ):
        folded = form.lower()
        yield size, frozenset(folded[at : at + size] for at in range(len(folded) - size + 1))


def _base64(raw: bytes, shift: int) -> tuple[str, str]:
    """The key as it looks in the middle of a longer text, ``shift`` bytes after a full group."""
    whole = b"\0" * shift + raw
    inner = slice(4 if shift else 0, len(whole) // 3 * 4)
    return base64.b64encode(whole).decode()[inner], base64.urlsafe_b64encode(whole).decode()[inner]


def _plain(text: str) -> _Letters:
    return [(letter, at, at + 1) for at, letter in enumerate(text)]


def _read(text: str, *, gaps: bool = False) -> _Letters:
    """The text with its escapes read; with ``gaps`` also without its white space."""
    found: list[tuple[str, int, int]] = []
    end = 0
    for match in _ESCAPE.finditer(text):
        if match["gap"] and not gaps:
            continue
        found += [(text[at], at, at + 1) for at in range(end, match.start())]
        found += [(letter, *match.span()) for letter in _meant(match)]
        end = match.end()
    return found + [(text[at], at, at + 1) for at in range(end, len(text))]


def _meant(match: re.Match[str]) -> str:
    if match["url"]:
        return unquote(match["url"])
    if code := match["u"] or match["x"]:
        return chr(int(code, 16))
    return match["plain"] or html.unescape(match["html"] or "")


def _places(letters: _Letters, parts: frozenset[str], size: int) -> Iterator[int]:
    """Every place of the text that belongs to one of the parts."""
    folded = [letter.lower() for letter, _, _ in letters]
    for at in range(len(folded) - size + 1):
        if "".join(folded[at : at + size]) in parts:
            yield from range(letters[at][1], letters[at + size - 1][2])


def _covered(text: str, hidden: set[int]) -> str:
    made: list[str] = []
    for at, letter in enumerate(text):
        if at not in hidden:
            made.append(letter)
        elif at - 1 not in hidden:
            made.append(COVERED)
    return "".join(made)
