"""Sizes around recorded compactions as the file reports them."""

from __future__ import annotations

from bisect import bisect_left

from core.transcript.model import Conversation

SELDOM = ("summary", "opaque")
"""Kinds of compactions that an agent makes seldom: others may be part of every request."""


def reported_sizes(conversation: Conversation) -> list[tuple[int | None, int | None]]:
    """Return the size before and after each compaction as recorded; of one that replaced the
    context else those of the requests that were reported around it."""
    recorded, usage = conversation.recorded, conversation.usage
    indices = [one.message_index for one in usage]
    ends = [*(one.boundary for one in recorded[1:]), len(conversation.messages) + 1]
    sizes: list[tuple[int | None, int | None]] = []
    for one, end in zip(recorded, ends, strict=True):
        before, after = one.tokens_before, one.tokens_after
        at = bisect_left(indices, one.boundary)
        if one.kind in SELDOM and before is None and at > 0:
            before = usage[at - 1].context
        if one.kind in SELDOM and after is None and at < len(usage) and indices[at] < end:
            after = usage[at].context
        sizes.append((before, after))
    return sizes
