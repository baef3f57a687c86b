"""Highlights in a prompt line: placeholders, unknown names, tags."""

from __future__ import annotations

import re

from core.settings.prompts import PLACEHOLDERS

TAG, PLACEHOLDER, UNKNOWN = "tag", "placeholder", "unknown"

_MARKED = re.compile(r"\{(?P<name>[a-z][a-z0-9_]*)\}|</?[A-Za-z][\w-]*[ \t]*/?>")


def line_marks(line: str) -> tuple[tuple[int, int, str], ...]:
    """Return start, length and kind of each highlight, in UTF-16 units as in Qt."""
    return tuple(
        (_units(line[: match.start()]), _units(match[0]), _kind(match["name"]))
        for match in _MARKED.finditer(line)
    )


def _kind(name: str | None) -> str:
    if name is None:
        return TAG
    return PLACEHOLDER if name in PLACEHOLDERS else UNKNOWN


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
