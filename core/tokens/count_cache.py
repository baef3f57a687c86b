"""The memory of counts in the cache folder: figures of a file that was counted before, never a text of it.

A sidecar is found by what the system says of the file (size, times, place on the disk), a digest of its
first and last bytes, and what of it was read and counted how. It is believed once the messages that were
read have the shape, and the whole file the checksum, that they had.
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
"""Goes up whenever a sidecar holds something else, or the columns of rows mean something else."""
MOST_KEPT = 4000
"""Sidecars; 12 bytes for each message of a file."""


@dataclass(frozen=True, slots=True)
class SidecarKey:
    """What is counted: of which file which conversation and branch, by which encoding."""

    path: Path
    number: int
    branch: int
    encoding: str


@dataclass(frozen=True, slots=True)
class CountSidecar:
    """``figures`` are the tokens of each message as its row has them; ``columns`` the speakers, kinds, errors
    and looks of rows, one byte a message each, empty where nobody made rows; ``messages_shape`` is that of
    the messages, ``content`` the checksum of the file, ``format`` the reader's name."""

    figures: array[int]
    shape: str
    content: int
    format: str
    columns: tuple[bytes, ...] = ()


def sidecar_path(wanted: SidecarKey, size: int = -1, changed: int = -1) -> Path | None:
    """Where the sidecar of a file lies; None where the file is gone, or is not of this size and time
    (``mtime_ns``) if they are given."""
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
    """What a newer reader would change first: how many blocks each message has, of which length."""
    sizes = array("q")
    for message in messages:
        sizes.append(-len(message.blocks))
        sizes.extend([len(getattr(block, "text", "")) for block in message.blocks])
    return hashlib.blake2b(sizes.tobytes(), digest_size=16).hexdigest()


def load_sidecar(place: Path) -> CountSidecar | None:
    """What lies there; None for nothing and for what is broken."""
    try:
        data = place.read_bytes()
    except OSError:
        return None
    seal, body = data[:16], data[16:]
    if seal != _seal(body):
        return None
    head, _, rest = body.partition(b"\n")
    fields = json.loads(head)
    count = fields["messages"]
    columns = tuple(rest[start : start + count] for start in range(8 * count, len(rest), count or 1))
    return CountSidecar(
        array("q", rest[: 8 * count]), fields["shape"], fields["content"], fields["format"], columns
    )


def save_sidecar(place: Path, sidecar: CountSidecar) -> None:
    """Write it, whole or not at all; done without where it cannot be written."""
    fields = {
        "messages": len(sidecar.figures),
        "shape": sidecar.shape,
        "content": sidecar.content,
        "format": sidecar.format,
    }
    import tempfile  # late: a file is read and counted before

    body = json.dumps(fields).encode() + b"\n" + sidecar.figures.tobytes() + b"".join(sidecar.columns)
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(".tmp", ".", place.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_seal(body) + body)
            os.replace(name, place)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        _let_old_go(place.parent)


def _let_old_go(folder: Path) -> None:
    """Take the older half away where there are too many: each state of a file that grows has one."""
    kept = list(folder.iterdir())
    if len(kept) > MOST_KEPT:
        kept.sort(key=lambda path: path.stat().st_mtime_ns)
        for old in kept[: len(kept) // 2]:
            old.unlink(missing_ok=True)


def _seal(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).digest()
