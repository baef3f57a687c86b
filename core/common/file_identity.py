"""File signatures, in a module of their own so that the window need not import the prompts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileSignature:
    """State of a file: time of its last change in nanoseconds, bytes (-1: no file), digest of the content."""

    changed: int
    size: int
    digest: str


ABSENT = FileSignature(0, -1, "")
"""Signature of a file that does not exist or cannot be read."""
