"""The text of a summary as lines to set: heads, bullets and paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

_TAG = re.compile(r"\s*<(/?)([A-Za-z][\w.-]*)>\s*")
_HEAD = re.compile(r"\s*#{1,6}\s+(.*?)\s*#*\s*")
_STRONG_HEAD = re.compile(r"\s*\*\*([^*]+)\*\*:?\s*")
_CODE = re.compile(r"`([^`]+)`")
_BULLET = re.compile(r"\s*[-*•]\s+(.*)")


class LineKind(IntEnum):
    TEXT = 0
    HEAD = 1
    BULLET = 2


class CellLine(NamedTuple):
    kind: LineKind
    text: str


def cell_lines(text: str) -> tuple[CellLine, ...]:
    """Return a summary's lines without blank ones; a tag or a Markdown heading becomes a head."""
    return tuple(_lines(text))


def line_parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a line without the marks of code, each with whether it is code."""
    for number, part in enumerate(_CODE.split(text)):
        if part:
            yield part, bool(number % 2)


def _lines(text: str) -> Iterator[CellLine]:
    for line in text.splitlines():
        if tag := _TAG.fullmatch(line):
            if not tag[1]:
                yield CellLine(
                    LineKind.HEAD, tag[2].replace("_", " ").replace("-", " ").capitalize()
                )
        elif head := (_HEAD.fullmatch(line) or _STRONG_HEAD.fullmatch(line)):
            yield CellLine(LineKind.HEAD, head[1].replace("**", ""))
        elif bullet := _BULLET.fullmatch(line):
            yield CellLine(LineKind.BULLET, bullet[1].replace("**", ""))
        elif line.strip():
            yield CellLine(LineKind.TEXT, line.strip().replace("**", ""))
