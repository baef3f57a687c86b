"""The token counts of a whole conversation, in batches, and their memory in the cache folder."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import time
import zlib
from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from core.conversation import Conversation, Document, Message, Progress, no_progress
from core.paths import cache_dir
from core.tokens import COUNTER_VERSION, Counter, go_on

OnBatch: TypeAlias = Callable[[int, "array[int]"], None]
"""Called with the index of a batch's first message and the tokens of its messages, in order."""

_PIECE = 1 << 20
_BATCH_SECONDS = 0.05  # often enough for a list that fills while it is watched


def no_batches(first: int, counts: array[int]) -> None:
    """The batch callback of those who wait for the whole."""


def count_messages(
    conversation: Conversation,
    counter: Counter,
    progress: Progress = no_progress,
    on_batch: OnBatch = no_batches,
) -> array[int]:
    """Tokens of each message, in order. A file counted before is read from the cache folder.

    The counter knows all these messages afterwards. A missing, broken or foreign sidecar is the same
    as none; one that cannot be written is done without. Cancelled passes through.
    """
    messages = conversation.messages
    counts = counter.known(messages)
    if counts is not None:
        on_batch(0, counts)
        return counts
    place = _sidecar(conversation, counter, progress)
    counts = _read(place, len(messages)) if place else None
    if counts is None:
        counts = _count(messages, counter, progress, on_batch)
        if place:
            _write(place, counts)
        return counts
    for message, count in zip(messages, counts, strict=True):
        counter.learn(message, count)
    on_batch(0, counts)
    return counts


def _count(
    messages: tuple[Message, ...], counter: Counter, progress: Progress, on_batch: OnBatch
) -> array[int]:
    counts = array("q")
    sent, last = 0, time.monotonic()

    def tell() -> None:
        progress(
            len(counts) / len(messages), f"Counting tokens: message {len(counts):,} of {len(messages):,}"
        )

    counter.pause = tell
    try:
        for count in counter.each(messages):
            counts.append(count)
            if time.monotonic() - last >= _BATCH_SECONDS:
                on_batch(sent, counts[sent:])
                sent = len(counts)
                tell()
                last = time.monotonic()
    finally:
        counter.pause = go_on
    if sent < len(counts):
        on_batch(sent, counts[sent:])
    return counts


def _sidecar(conversation: Conversation, counter: Counter, progress: Progress) -> Path | None:
    """Where the counts of this content lie; None where the file is gone or has changed since."""
    content = _content(conversation.document, progress)
    if content is None:
        return None
    document = conversation.document
    parts = (
        content,
        document.size,
        document.mtime_ns,
        conversation.format,
        conversation.number,
        conversation.branch,
        _shape(conversation.messages),
        counter.method.encoding,
        COUNTER_VERSION,
        sys.byteorder,
    )
    name = hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()
    return cache_dir() / "counts" / name


def _content(document: Document, progress: Progress) -> int | None:
    """A checksum of the whole file. With its size, its time and the shape of its messages that tells
    two files apart as well as a digest does, at a fifth of the cost."""
    if document.path is None:
        return None
    checksum, read = 0, 0
    try:
        with document.path.open("rb") as file:
            status = os.fstat(file.fileno())
            if (status.st_size, status.st_mtime_ns) != (document.size, document.mtime_ns):
                return None
            while piece := file.read(_PIECE):
                checksum = zlib.crc32(piece, checksum)
                read += len(piece)
                progress(min(1.0, read / status.st_size), "Looking whether it was counted before")
    except OSError:
        return None
    return checksum


def _shape(messages: tuple[Message, ...]) -> str:
    """What a newer reader would change first: how many blocks each message has, of which length."""
    sizes = array("q")
    for message in messages:
        sizes.append(-len(message.blocks))
        sizes.extend([len(getattr(block, "text", "")) for block in message.blocks])
    return hashlib.blake2b(sizes.tobytes(), digest_size=16).hexdigest()


def _read(place: Path, expected: int) -> array[int] | None:
    try:
        data = place.read_bytes()
    except OSError:
        return None
    seal, body = data[:16], data[16:]
    if len(body) != 8 * expected or seal != _seal(body):
        return None
    return array("q", body)


def _write(place: Path, counts: array[int]) -> None:
    body = counts.tobytes()
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_seal(body) + body)
            os.replace(name, place)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise


def _seal(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).digest()
