"""White space as JavaScript trims it, and marks for invisible and bidirectional characters."""

from __future__ import annotations

import re
import unicodedata

LINE_END = "\n\r\u2028\u2029"
"""JavaScript's line terminators, for use inside the brackets of a regular expression."""

_SPACE = " \t\v\f\u00a0\ufeff\u1680\u2000-\u200a\u202f\u205f\u3000" + LINE_END
_TRIM = re.compile(rf"\A[{_SPACE}]+|[{_SPACE}]+\Z")


def trim(text: str) -> str:
    """Trim a text: a byte order mark is removed, U+001C to U+001F and U+0085 are not."""
    return _TRIM.sub("", text)


def with_whole_characters(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate, half of a character; pairs of them are
    joined."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


INVISIBLE = re.compile(
    r"\r\n|[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\uffff\ud800-\udfff"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    # joiners belong to many scripts and to emoji; next to ASCII they only hide something
    r"|(?:(?<![^\x00-\x7f])[\u200c\u200d])|(?:[\u200c\u200d](?![^\x00-\x7f]))"
)
"""Matches control and invisible characters, but not tab, line feed, and joiners within other
scripts."""


def visible_text(text: str) -> str:
    """Return the text with marks: "a\\u202eb" as "a⟨U+202E⟩b", an escape as "␛"."""
    return INVISIBLE.sub(_mark, text)


def _mark(match: re.Match[str]) -> str:
    label = character_label(match.group())
    if label.startswith("U+"):
        return f"⟨{label}⟩"
    return label


def character_label(character: str) -> str:
    """Return the mark of a character: the Unicode symbol of a control, "U+202E", or a line feed for
    CRLF."""
    if character == "\r\n":
        return "\n"
    code = ord(character)
    if code == 0xFFFD:
        return character
    if code < 0x20:
        return chr(0x2400 + code)  # Unicode's control pictures
    if code == 0x7F:
        return "\u2421"
    return f"U+{code:04X}"


def character_title(code: int) -> str:
    """Return name and code point of a character: "right-to-left override, U+202E"."""
    unnamed = "half of a character" if 0xD800 <= code < 0xE000 else "control character"
    return f"{unicodedata.name(chr(code), unnamed).lower()}, U+{code:04X}"
