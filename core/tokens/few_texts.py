"""Counts the texts of small files with the encoding's own list of tokens, ten times sooner than
toktok's table of it is loaded.

The numbers are the same: tiktoken's rule is followed for the characters of ``_KNOWN``, and a text
with any other is left to toktok.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from itertools import pairwise

MOST_AT_ONCE = 300_000
"""Characters of a batch: larger ones are those of a large file, where toktok is faster."""
MOST = 1_000_000
"""Characters in all: about as long as loading toktok's table would have taken."""
_MAX_PIECE = 400  # characters: merging takes the square of them
_NO_TOKEN = 1 << 30  # above every number of a token

_UPPER = "A-ZÀ-ÖØ-Þ"
_LOWER = "a-zµß-öø-ÿ"
_NEITHER = "ªº"  # letters that the rule takes for both
_LETTERS = _UPPER + _LOWER + _NEITHER
_DIGITS = "0-9²³¹¼½¾"
_BLANKS = "\t-\r \x85\xa0"
_ENDING = "(?:'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD]))?"
_PIECES = (
    # a word with the character before it, and with 's, 't, 're behind it
    rf"[^\r\n{_LETTERS}{_DIGITS}]?[{_UPPER}{_NEITHER}]*[{_LOWER}{_NEITHER}]+{_ENDING}",
    rf"[^\r\n{_LETTERS}{_DIGITS}]?[{_UPPER}{_NEITHER}]+[{_LOWER}{_NEITHER}]*{_ENDING}",
    rf"[{_DIGITS}]{{1,3}}",
    # signs with the blank before them and the ends of lines behind them
    rf" ?[^{_BLANKS}{_LETTERS}{_DIGITS}]+[\r\n/]*",
    # blanks: up to the last end of a line, all but the one before a word, any
    rf"[{_BLANKS}]*[\r\n]+",
    rf"[{_BLANKS}]+(?![^{_BLANKS}])",
    rf"[{_BLANKS}]+",
)
_PIECE = re.compile("|".join(_PIECES))
_SIGNS = (
    "\u2010-\u2027\u2030-\u205e",  # dashes, quotation marks, …
    "\u20a0-\u20cf",  # currencies
    "\u2190-\u245f",  # arrows, mathematics, technical signs
    "\u2500-\u2775\u2794-\u27bf",  # lines, blocks, shapes, ticks
    "\U0001f300-\U0001f64f\U0001f680-\U0001f6ff",  # pictures
)
# Beyond these characters the rules of the pattern differ from those of Python.
_KNOWN = re.compile(f"[\0-ÿ{''.join(_SIGNS)}]*")


class FewTexts:
    """Counts texts until they are many or one has other characters; from then on nothing."""

    def __init__(self, read_table: Callable[[], bytes]) -> None:
        """``read_table`` returns tiktoken's file of the encoding o200k_base."""
        self._read_table = read_table
        self._tokens: _Tokens | None = None
        self._left = MOST

    def count(self, texts: Sequence[str]) -> list[int] | None:
        """Return the tokens of each text; None where toktok is to count them."""
        if not self._left:
            return None
        size = sum(map(len, texts))
        is_small = size <= min(MOST_AT_ONCE, self._left)
        # One text with other characters means that the whole table is needed anyway.
        if not is_small or not all(map(_KNOWN.fullmatch, texts)):
            self.end()
            return None
        tokens = self._tokens
        if tokens is None:
            tokens = self._tokens = _Tokens(self._read_table())
        self._left -= size
        try:
            return [tokens.count(text) for text in texts]
        except _LongPieceError:
            self.end()
            return None

    def end(self) -> None:
        """Count nothing any more: where toktok's table is loaded, nothing is saved."""
        self._left = 0
        self._tokens = None


class _LongPieceError(Exception):
    """A word or a row of signs is too long to be merged here."""


class _Tokens:
    """The tokens of o200k_base, by their bytes as base64, in which the file holds them."""

    def __init__(self, table: bytes) -> None:
        tokens = table.split()[::2]  # each line is a token and its number, from 0 on
        self._ranks = dict(zip(tokens, range(len(tokens)), strict=True))
        self._known: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Return the tokens of a text of known characters."""
        total, known = 0, self._known
        for piece in _PIECE.findall(text):
            tokens = known.get(piece)
            if tokens is None:
                tokens = known[piece] = self._count_piece(piece)
            total += tokens
        return total

    def _count_piece(self, piece: str) -> int:
        """Join the two neighbours with the lowest number, again and again, as tiktoken does."""
        # Merging takes the square of the length.
        if len(piece) > _MAX_PIECE:
            raise _LongPieceError
        data = piece.encode()
        # Most pieces are one token, so the merging is seldom needed.
        if self._rank(data) != _NO_TOKEN:
            return 1
        parts = [data[at : at + 1] for at in range(len(data))]
        ranks = [self._rank(left + right) for left, right in pairwise(parts)]
        while ranks and (lowest := min(ranks)) != _NO_TOKEN:
            at = ranks.index(lowest)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            del ranks[at]
            if at < len(ranks):
                ranks[at] = self._rank(parts[at] + parts[at + 1])
            if at:
                ranks[at - 1] = self._rank(parts[at - 1] + parts[at])
        return len(parts)

    def _rank(self, data: bytes) -> int:
        return self._ranks.get(b64encode(data), _NO_TOKEN)
