"""Signatures of files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class FileSignature:
    """State of a file: time of its last change in nanoseconds, bytes (-1: no file), digest of the content."""

    changed: int
    size: int
    digest: str


ABSENT = FileSignature(0, -1, "")
"""Signature of a file that does not exist or cannot be read."""

_END_BYTES = 4096


def ends_digest(file: BinaryIO, size: int) -> bytes:
    """Return a digest of the first bytes of a file and of the last ones before ``size``."""
    file.seek(0)
    first_bytes = file.read(min(_END_BYTES, size))
    file.seek(max(0, size - _END_BYTES))
    return hashlib.blake2b(first_bytes + file.read(min(_END_BYTES, size)), digest_size=16).digest()
