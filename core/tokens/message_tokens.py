"""Token counts of a whole conversation, in batches, with the cache of counts."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from core.common.file_checksum import NO_FILE, file_checksum
from core.tokens import count_cache
from core.tokens.count_cache import CountSidecar, SidecarKey
from core.tokens.counter import TokenCounter, no_pause
from core.transcript.model import Conversation, Message, Progress, no_progress

OnBatch: TypeAlias = Callable[[int, "array[int]"], None]
"""Receives the index of a batch's first message and the tokens of its messages, in order."""

_BATCH_SECONDS = 0.05  # frequent enough for a list that fills visibly


def no_batches(first: int, counts: array[int]) -> None:
    """Ignore batches."""


def count_messages(
    conversation: Conversation,
    counter: TokenCounter,
    progress: Progress = no_progress,
    on_batch: OnBatch = no_batches,
) -> array[int]:
    """Count each message, in order; a file counted before is read from the cache.

    The counter knows all these messages afterwards. A missing, broken or foreign sidecar is ignored, as is an
    error in writing one. Cancelled passes through.
    """
    messages = conversation.messages
    counts = counter.cached_counts(messages)
    if counts is not None:
        on_batch(0, counts)
        return counts
    place = _sidecar_path(conversation, counter)
    content = _checksum(conversation, progress) if place else NO_FILE
    sidecar = count_cache.load_sidecar(place) if place else None
    if sidecar is not None and is_of(sidecar, conversation, content):
        counts = known_counts(sidecar)
        learn_counts(counter, messages, counts)
        on_batch(0, counts)
        return counts
    counts = message_token_counts(messages, counter, progress, on_batch)
    if place and content != NO_FILE:
        count_cache.save_sidecar(
            place, CountSidecar(counts, count_cache.messages_shape(messages), content, conversation.format)
        )
    return counts


def is_of(found: CountSidecar, conversation: Conversation, content: int) -> bool:
    """Return True if a sidecar belongs to these messages of a file with this checksum."""
    is_same_file = content != NO_FILE and (found.content, found.format) == (content, conversation.format)
    return is_same_file and found.shape == count_cache.messages_shape(conversation.messages)


def known_counts(found: CountSidecar) -> array[int]:
    """Return the counts of a sidecar; figures below 0 mark messages that cannot be counted."""
    return array("q", [max(0, figure) for figure in found.figures])


def learn_counts(counter: TokenCounter, messages: Sequence[Message], counts: Iterable[int]) -> None:
    for message, tokens in zip(messages, counts, strict=True):
        counter.cache_count(message, tokens)


def message_token_counts(
    messages: Sequence[Message],
    counter: TokenCounter,
    progress: Progress = no_progress,
    on_batch: OnBatch = no_batches,
    meanwhile: Iterable[int] | None = None,
) -> array[int]:
    """Count each message, in order, or take the counts begun earlier from ``meanwhile``."""
    counts = array("q")
    sent, last = 0, time.monotonic()

    def report() -> None:
        progress(
            len(counts) / len(messages), f"Counting tokens: message {len(counts):,} of {len(messages):,}"
        )

    counter.pause = report
    try:
        for tokens in (
            counter.count_each(messages) if meanwhile is None else _learned(counter, messages, meanwhile)
        ):
            counts.append(tokens)
            if time.monotonic() - last >= _BATCH_SECONDS:
                on_batch(sent, counts[sent:])
                sent = len(counts)
                report()
                last = time.monotonic()
    finally:
        counter.pause = no_pause
    if sent < len(counts):
        on_batch(sent, counts[sent:])
    return counts


def _learned(counter: TokenCounter, messages: Sequence[Message], counts: Iterable[int]) -> Iterator[int]:
    for message, tokens in zip(messages, counts, strict=True):
        counter.cache_count(message, tokens)
        yield tokens


def _sidecar_path(conversation: Conversation, counter: TokenCounter) -> Path | None:
    """Return the sidecar's path; None without a file, or if it changed since it was read."""
    document = conversation.document
    if document.path is None:
        return None
    wanted = SidecarKey(document.path, conversation.number, conversation.branch, counter.method.encoding)
    return count_cache.sidecar_path(wanted, document.size, document.mtime_ns)


def _checksum(conversation: Conversation, progress: Progress) -> int:
    document = conversation.document

    def report(read: int) -> None:
        progress(min(1.0, read / max(1, document.size)), "Checking for cached counts")

    return file_checksum(str(document.path), report)
