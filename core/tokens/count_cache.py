"""The cache of token counts: one sidecar per file in the cache folder, without any of its text.

The name of a sidecar depends on the file's size, times and inode, a digest of its first and last bytes,
and the conversation and method counted. A sidecar is valid if the shape of the messages and the checksum
of the file match.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from array import array
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.common.file_checksum import ends_digest
from core.common.paths import cache_dir
from core.tokens.counter import COUNTER_VERSION
from core.transcript.model import Message

_VERSION = 1
"""Increases whenever the content of sidecars, or of the columns of rows, changes its meaning."""
MOST_KEPT = 4000
"""Most sidecars; each has 12 bytes per message."""


@dataclass(frozen=True, slots=True)
class SidecarKey:
    """Identifies a count: conversation and branch of a file, and the encoding."""

    path: Path
    number: int
    branch: int
    encoding: str


@dataclass(frozen=True, slots=True)
class CountSidecar:
    """Cached counts of one file.

    ``figures`` are the tokens of each message as in its row; ``columns`` hold one byte per message for the
    speakers, kinds, errors and looks of rows, empty if no rows were made. ``shape`` is that of the messages,
    ``content`` the checksum of the file, ``format`` the reader's name.
    """

    figures: array[int]
    shape: str
    content: int
    format: str
    columns: tuple[bytes, ...] = ()


def sidecar_path(wanted: SidecarKey, size: int = -1, changed: int = -1) -> Path | None:
    """Return the sidecar's path; None if the file is missing, or is not of the given size and time."""
    try:
        with wanted.path.open("rb") as file:
            status = os.fstat(file.fileno())
            ends = ends_digest(file, status.st_size)
    except (OSError, ValueError):
        return None
    if size >= 0 and (size, changed) != (status.st_size, status.st_mtime_ns):
        return None
    parts = (
        *(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev),
        *(ends.hex(), wanted.number, wanted.branch, wanted.encoding),
        *(COUNTER_VERSION, _VERSION, sys.byteorder),
    )
    name = hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()
    return cache_dir() / "counts" / name


def messages_shape(messages: Sequence[Message]) -> str:
    """Return a digest of the block counts and text lengths, which a changed reader would change."""
    sizes = array("q")
    for message in messages:
        sizes.append(-len(message.blocks))
        sizes.extend([len(getattr(block, "text", "")) for block in message.blocks])
    return hashlib.blake2b(sizes.tobytes(), digest_size=16).hexdigest()


def load_sidecar(place: Path) -> CountSidecar | None:
    """Load a sidecar; None if it is missing or broken."""
    try:
        data = place.read_bytes()
    except OSError:
        return None
    checksum, body = data[:16], data[16:]
    if checksum != _checksum(body):
        return None
    head, _, rest = body.partition(b"\n")
    fields = json.loads(head)
    count = fields["messages"]
    columns = tuple(rest[start : start + count] for start in range(8 * count, len(rest), count or 1))
    return CountSidecar(
        array("q", rest[: 8 * count]), fields["shape"], fields["content"], fields["format"], columns
    )


def save_sidecar(place: Path, sidecar: CountSidecar) -> None:
    """Write a sidecar atomically; ignore errors of the file system."""
    fields = {
        "messages": len(sidecar.figures),
        "shape": sidecar.shape,
        "content": sidecar.content,
        "format": sidecar.format,
    }
    import tempfile  # late: needed only after reading and counting

    body = json.dumps(fields).encode() + b"\n" + sidecar.figures.tobytes() + b"".join(sidecar.columns)
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(".tmp", ".", place.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(body) + body)
            os.replace(name, place)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        _delete_old(place.parent)


def _delete_old(folder: Path) -> None:
    """Delete the older half if there are too many: each state of a growing file has one."""
    kept = list(folder.iterdir())
    if len(kept) > MOST_KEPT:
        kept.sort(key=lambda path: path.stat().st_mtime_ns)
        for old in kept[: len(kept) // 2]:
            old.unlink(missing_ok=True)


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).digest()
