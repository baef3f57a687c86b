"""The text of a summary as lines to set: heads, bullets and paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

_TAG = re.compile(r"\s*<(/?)([A-Za-z][\w.-]*)>\s*")
_HEAD = re.compile(r"\s*#{1,6}\s+(.*?)\s*#*\s*")
_STRONG_HEAD = re.compile(r"\s*\*\*([^*]+)\*\*:?\s*")
_CODE = re.compile(r"`([^`]+)`")
_BULLET = re.compile(r"\s*[-*•]\s+(.*)")


NAMES_PREFIX = "Names in use: "
EMPTY_SECTION = "None noted."
"""Those of the offline summary; a test compares them, as the window does not load what writes
it."""
_WRAPPERS = ("state_snapshot", "context-summary", "conversation-checkpoint", "summary")
"""Tags around a whole summary, which head nothing."""
_MAX_NAMES_CHARS = 100  # about three lines of a cell


class LineKind(IntEnum):
    TEXT = 0
    HEAD = 1
    BULLET = 2


class CellLine(NamedTuple):
    kind: LineKind
    text: str


def cell_lines(text: str) -> tuple[CellLine, ...]:
    """Return a summary's lines without blank ones; a tag or a Markdown heading becomes a head, left
    out where nothing stands below it. The names in use stand once, at the end."""
    lines = list(_lines(text))
    listed = [
        line.text.removeprefix(NAMES_PREFIX) for line in lines if _has_names(line)
    ]
    names = dict.fromkeys(
        name.strip(" .`") for part in listed for name in part.split(", ")
    )
    others = [
        line for line in lines if not _has_names(line) and line.text != EMPTY_SECTION
    ]
    return (*_filled(others), *_names_lines([name for name in names if name]))


def _filled(lines: Sequence[CellLine]) -> Iterator[CellLine]:
    """Yield the lines without heads that are followed by no text."""
    for place, line in enumerate(lines):
        if place + 1 < len(lines):
            below = lines[place + 1]
        else:
            below = None
        has_text = below is not None and below.kind is not LineKind.HEAD
        if line.kind is not LineKind.HEAD or has_text:
            yield line


def _has_names(line: CellLine) -> bool:
    return line.text.startswith(NAMES_PREFIX)


def _names_lines(names: Sequence[str]) -> Iterator[CellLine]:
    """Yield a head and the names that fit on about three lines, with how many more there are."""
    if not names:
        return
    shown: list[str] = []
    for name in names:
        if shown and len(", ".join((*shown, name))) > _MAX_NAMES_CHARS:
            break
        shown.append(name)
    text = ", ".join(f"`{name}`" for name in shown)
    more = len(names) - len(shown)
    yield CellLine(LineKind.HEAD, NAMES_PREFIX.strip(" :"))
    yield CellLine(LineKind.TEXT, f"{text} and {more:,} more" if more else text)


def line_parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a line without the marks of code, each with whether it is code."""
    for number, part in enumerate(_CODE.split(text)):
        if part:
            yield part, bool(number % 2)


def _lines(text: str) -> Iterator[CellLine]:
    for line in text.splitlines():
        if tag := _TAG.fullmatch(line):
            if not tag[1] and tag[2] not in _WRAPPERS:
                yield CellLine(
                    LineKind.HEAD,
                    tag[2].replace("_", " ").replace("-", " ").capitalize(),
                )
        elif head := (_HEAD.fullmatch(line) or _STRONG_HEAD.fullmatch(line)):
            yield CellLine(LineKind.HEAD, head[1].replace("**", ""))
        elif bullet := _BULLET.fullmatch(line):
            yield CellLine(LineKind.BULLET, bullet[1].replace("**", ""))
        elif line.strip():
            yield CellLine(LineKind.TEXT, line.strip().replace("**", ""))
