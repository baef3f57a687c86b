"""Colours of words on a terminal; NO_COLOR turns them off. Pipes, files and JSON have none."""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

_RESET = "\x1b[0m"
BOLD, RED, GREEN, YELLOW = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m"
_COLOURS = {
    GREEN: ("kept", "excerpted", "Word for word", "passed", "✓"),
    YELLOW: ("summarised", "edited", "in part", "Not word for word", "warning", "◐"),
    RED: ("dropped", "pruned", "gone", "Gone", "error", "failed", "✕"),
}
_COLOUR_BY_WORD = {word: colour for colour, words in _COLOURS.items() for word in words}
_ALTERNATIVES = "|".join(map(re.escape, _COLOUR_BY_WORD))
_CELL = re.compile(rf"(?:(?<=  )|^)({_ALTERNATIVES})(?=:|  |$)|(?<=^  )([✓◐✕])(?= )")
"""A word that stands alone in a cell, or before a colon: no word of a transcript, which is one
among others."""


class HeadLine(str):
    """The head of a table or the title of a section."""

    __slots__ = ()


def has_colours(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that shows colours, and nobody has turned them off."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    is_old_console = sys.platform == "win32" and "WT_SESSION" not in os.environ
    return stream.isatty() and not is_old_console


def coloured(line: str, *, is_head: bool = False) -> str:
    """Return a line of a report with its verdict words in colour, a head in bold."""
    if is_head:
        return f"{BOLD}{line}{_RESET}"
    return _CELL.sub(_in_colour, line)


def _in_colour(found: re.Match[str]) -> str:
    return f"{_COLOUR_BY_WORD[found[0]]}{found[0]}{_RESET}"


def coloured_error(text: str) -> str:
    """Return a sentence about an error in red."""
    return f"{RED}{text}{_RESET}"
