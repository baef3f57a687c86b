"""Filled-in texts and joined texts."""

from __future__ import annotations

from collections.abc import Iterable


def phrase(template: str, **values: object) -> str:
    """``template`` with its ``{names}`` filled in; without values it is returned as it is.

    A name without a value is a KeyError.
    """
    return template.format(**values) if values else template


def joined(separator: str, parts: Iterable[str]) -> str:
    """``separator.join(parts)`` without the empty parts."""
    return separator.join(filter(None, parts))


Quoted = str
"""Words of a transcript or a file."""
