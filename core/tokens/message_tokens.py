"""Token counts of a whole conversation, in batches."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable
from typing import TypeAlias

from core.tokens.counter import TokenCounter
from core.transcript.model import Conversation, Progress, no_progress

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
    """Count each message, in order; the counter knows all of them afterwards. Cancelled passes through."""
    messages = conversation.messages
    known = counter.cached_counts(messages)
    if known is not None:
        on_batch(0, known)
        return known
    counts = array("q")
    sent, last = 0, time.monotonic()

    def report() -> None:
        progress(
            len(counts) / len(messages), f"Counting tokens: message {len(counts):,} of {len(messages):,}"
        )

    for tokens in counter.count_each(messages, report):
        counts.append(tokens)
        if time.monotonic() - last >= _BATCH_SECONDS:
            on_batch(sent, counts[sent:])
            sent = len(counts)
            report()
            last = time.monotonic()
    if sent < len(counts):
        on_batch(sent, counts[sent:])
    return counts
