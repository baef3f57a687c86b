"""Words in base64, base32, hex and octal, which may hold a secret."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from core.common.redaction.secret_values import decoded_text

_WORD = re.compile(r"(?<![A-Za-z0-9+/=_\-])([A-Za-z0-9+/]{24,8000}+={0,6})(?![A-Za-z0-9+/_\-])")
"""A word that may be encoded. Longer ones are images; a file of keys is shorter."""
_LONG_WORD = re.compile(r"[A-Za-z0-9+/]{24}")
"""What such a word has; most texts have none, which this tells much sooner."""
_HEX = re.compile(r"(?:[0-9a-f]{2})+|(?:[0-9A-F]{2})+")
_BASE32 = re.compile(r"[A-Z2-7]+={0,6}")
_HEAD = 16  # characters of a word that tell whether it is the base64 of a text
_SEPARATORS = " :,"
_LEAST = 16  # bytes of a list; shorter ones hold no key
_BYTES = re.compile(
    rf"(?:[2-7][0-9a-fA-F][ :,]){{{_LEAST},4000}}+(?:[2-7][0-9a-fA-F](?![0-9a-zA-Z]))?"
    rf"|(?:[01][0-7]{{2}}[ ,]){{{_LEAST},4000}}+(?:[01][0-7]{{2}}(?![0-9a-zA-Z]))?"
)
"""Bytes of printable text as a list, as dumps show them: in hex or in octal."""
_THREE_BYTES = re.compile(r"[ :,][0-7][0-7a-fA-F]{1,2}[ :,][0-7][0-7a-fA-F]{1,2}[ :,][0-7]")
"""What such a list has: a search that begins with a separator tells it much sooner."""


def encoded_words(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start and end of each encoded word, and its text."""
    for match in _WORD.finditer(text) if _LONG_WORD.search(text) else ():
        for decoded in _decoded(match[1]):
            yield match.start(1), match.end(1), decoded
    for match in _BYTES.finditer(text) if _THREE_BYTES.search(text) else ():
        digits = match[0].rstrip(_SEPARATORS)
        base = 16 if digits[2] in _SEPARATORS else 8
        signs = (chr(int(item, base)) for item in re.split(f"[{_SEPARATORS}]", digits))
        yield match.start(), match.start() + len(digits), "".join(signs)


def _decoded(word: str) -> Iterator[str]:
    if _HEX.fullmatch(word):
        yield _ascii(bytes.fromhex(word))
        return
    if decoded_text(word[:_HEAD]):
        yield decoded_text(word)
    if _BASE32.fullmatch(word):
        digits = word.rstrip("=")
        try:
            yield _ascii(base64.b32decode(digits + "=" * (-len(digits) % 8)))
        except binascii.Error:
            return


def _ascii(data: bytes) -> str:
    return data.decode("ascii") if data.isascii() else ""
