"""Placeholders in the text of a prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping

PLACEHOLDERS = ("max_tokens", "focus")
"""Names of placeholders that a prompt may hold in braces."""


_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")


def unknown_placeholders(text: str) -> tuple[str, ...]:
    """Return the unknown placeholders, each once, in order."""
    names = dict.fromkeys(match[1] for match in _PLACEHOLDER.finditer(text))
    return tuple(name for name in names if name not in PLACEHOLDERS)


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Replace placeholders by values; unknown ones stay. A missing or empty value leaves its
    placeholder out and nothing else; a line that holds nothing but such placeholders goes."""
    known = {name: values.get(name, "") for name in PLACEHOLDERS}
    lines = []
    for line in text.splitlines(keepends=True):
        filled = _PLACEHOLDER.sub(lambda match: known.get(match[1], match[0]), line)
        if filled.strip() or not line.strip():
            lines.append(filled)
    return "".join(lines)


def placeholder_lines(text: str, name: str) -> tuple[int, ...]:
    """Return the lines, from 1, in which a placeholder stands."""
    return tuple(
        number
        for number, line in enumerate(text.splitlines(), 1)
        if f"{{{name}}}" in line
    )


def unfilled_placeholders(text: str) -> tuple[tuple[str, int], ...]:
    """Return each unknown placeholder with its first line, from 1."""
    return tuple(
        (name, next(iter(placeholder_lines(text, name)), 0))
        for name in unknown_placeholders(text)
    )
