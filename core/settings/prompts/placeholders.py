"""Placeholders in the text of a prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping

PLACEHOLDERS = ("message", "max_tokens", "focus")
"""Names of placeholders that a prompt may hold in braces (product.md section 3.2)."""


_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")


def unknown_placeholders(text: str) -> tuple[str, ...]:
    """Return the unknown placeholders, each once, in order."""
    names = dict.fromkeys(match[1] for match in _PLACEHOLDER.finditer(text))
    return tuple(name for name in names if name not in PLACEHOLDERS)


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Replace placeholders by values; unknown ones stay. A line with a known placeholder whose value is
    missing or empty is removed, so that a prompt mentions a focus only if there is one."""
    lines = []
    for line in text.splitlines(keepends=True):
        names = [match[1] for match in _PLACEHOLDER.finditer(line) if match[1] in PLACEHOLDERS]
        if all(values.get(name) for name in names):
            lines.append(_PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), line))
    return "".join(lines)


def unfilled_placeholders(text: str) -> tuple[tuple[str, int], ...]:
    """Return each unknown placeholder with its first line, from 1."""
    lines = list(enumerate(text.splitlines(), 1))
    return tuple(
        (name, next((number for number, line in lines if f"{{{name}}}" in line), 0))
        for name in unknown_placeholders(text)
    )
