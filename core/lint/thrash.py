"""Compactions of an agent that follow each other and free next to nothing."""

from __future__ import annotations

from core.transcript.model import Conversation

_LEAST_FREED = 0.10  # share of the context
_LEAST_COUNT = 3


def thrash_text(conversation: Conversation) -> str:
    """Return "9 compactions in 120 messages freed under 10 % each …" of the newest recorded compactions, by
    the sizes that the file reports; "" where there are fewer than three such in a row."""
    start, count = 0, 0
    for recorded in reversed(conversation.recorded):
        before, after = recorded.tokens_before, recorded.tokens_after
        if not before or after is None or before - after >= _LEAST_FREED * before:
            break
        start, count = recorded.position, count + 1
    if count < _LEAST_COUNT:
        return ""
    messages = conversation.recorded[-1].position - start
    return (
        f"The last {count:,} compactions, in {messages:,} messages, freed under {_LEAST_FREED:.0%} each: "
        "what stays fills the window; a larger window or fewer tools would help."
    ).replace("0%", "0 %")
