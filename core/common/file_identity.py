"""How a file is told from what it was when it was read; the window need not load prompts for that."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileSignature:
    """The state of a file: nanoseconds of its last change, bytes (-1: no file), digest of the content."""

    changed: int
    size: int
    digest: str


ABSENT = FileSignature(0, -1, "")
"""The signature of a file that does not exist or cannot be read."""
