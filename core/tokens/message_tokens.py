"""The token counts of a whole conversation, in batches, and their memory in the cache folder."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from core.common.file_checksum import NO_FILE, file_checksum
from core.tokens import count_cache
from core.tokens.count_cache import CountSidecar, SidecarKey
from core.tokens.counter import TokenCounter, go_on
from core.transcript.model import Conversation, Message, Progress, no_progress

OnBatch: TypeAlias = Callable[[int, "array[int]"], None]
"""Called with the index of a batch's first message and the tokens of its messages, in order."""

_BATCH_SECONDS = 0.05  # often enough for a list that fills while it is watched


def no_batches(first: int, counts: array[int]) -> None:
    """The batch callback of those who wait for the whole."""


def count_messages(
    conversation: Conversation,
    counter: TokenCounter,
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
    place = _place(conversation, counter)
    content = _checksum(conversation, progress) if place else NO_FILE
    found = count_cache.load_sidecar(place) if place else None
    if found is not None and is_of(found, conversation, content):
        counts = known_counts(found)
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
    """True where a sidecar was written for these very messages, out of a file with this checksum."""
    is_same_file = content != NO_FILE and (found.content, found.format) == (content, conversation.format)
    return is_same_file and found.shape == count_cache.messages_shape(conversation.messages)


def known_counts(found: CountSidecar) -> array[int]:
    """The counts in a sidecar; rows have figures below 0 for what nobody can count."""
    return array("q", [max(0, figure) for figure in found.figures])


def learn_counts(counter: TokenCounter, messages: Sequence[Message], counts: Iterable[int]) -> None:
    """Have a counter know the tokens of messages."""
    for message, tokens in zip(messages, counts, strict=True):
        counter.learn(message, tokens)


def message_token_counts(
    messages: Sequence[Message],
    counter: TokenCounter,
    progress: Progress = no_progress,
    on_batch: OnBatch = no_batches,
    meanwhile: Iterable[int] | None = None,
) -> array[int]:
    """Tokens of each message, in order, counted now, or known from where it was begun: ``meanwhile``."""
    counts = array("q")
    sent, last = 0, time.monotonic()

    def tell() -> None:
        progress(
            len(counts) / len(messages), f"Counting tokens: message {len(counts):,} of {len(messages):,}"
        )

    counter.pause = tell
    try:
        for tokens in counter.each(messages) if meanwhile is None else _learned(counter, messages, meanwhile):
            counts.append(tokens)
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


def _learned(counter: TokenCounter, messages: Sequence[Message], counts: Iterable[int]) -> Iterator[int]:
    for message, tokens in zip(messages, counts, strict=True):
        counter.learn(message, tokens)
        yield tokens


def _place(conversation: Conversation, counter: TokenCounter) -> Path | None:
    """Where the sidecar lies; None where there is no file, or it has changed since it was read."""
    document = conversation.document
    if document.path is None:
        return None
    wanted = SidecarKey(document.path, conversation.number, conversation.branch, counter.method.encoding)
    return count_cache.sidecar_path(wanted, document.size, document.mtime_ns)


def _checksum(conversation: Conversation, progress: Progress) -> int:
    document = conversation.document

    def tell(read: int) -> None:
        progress(min(1.0, read / max(1, document.size)), "Looking whether it was counted before")

    return file_checksum(str(document.path), tell)
