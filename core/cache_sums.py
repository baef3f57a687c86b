"""The arithmetic of a prompt cache in plain numbers, for those who show it and those who act by it.

Tokens, and prices as multiples of one fresh input token (field.md section 4.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from core.conversation import Message, Speaker

READ, WRITE = 0.1, 1.25
"""What reading and writing a cached token costs where a provider takes extra for writing."""

OUTPUT = 5.0
"""What a token of an answer costs where a price is not known."""

LEAST = 1024
"""The smallest prefix in tokens that is cached."""

_APPENDED = 500  # tokens that a call adds where a history is too short to tell


@dataclass(frozen=True, slots=True)
class CacheRates:
    """What tokens read from the cache, written to it, and answered cost, in units of one fresh input token.

    ``model`` is the one whose prices these are, empty where they are assumed.
    """

    read: float = READ
    write: float = WRITE
    output: float = OUTPUT
    model: str = ""

    @property
    def words(self) -> str:
        """Whose prices these are, for a sentence."""
        whose = f"the prices of {self.model}" if self.model else "assumed prices, for the model has none"
        return f"{whose}: reading the cache costs {self.read:.4g}, writing it {self.write:.4g} of fresh input"


ASSUMED = CacheRates()
"""Where the model has no price in the table."""


def break_even(
    before: float, after: float, prefix: float, read: float, write: float, summary: float = 0.0
) -> float | None:
    """Calls until a compaction has paid back with a warm cache; None where it never does.

    ``before`` and ``after`` are the tokens of the whole request, ``prefix`` those that stay cached,
    ``summary`` what writing the summary cost, in the unit of ``read`` and ``write``.
    """
    saved = read * (before - after)
    extra = summary + (write - read) * (after - prefix)
    return max(0.0, extra / saved) if saved > 0 else None


def expected_calls(trigger: float, after: float, per_call: float) -> float:
    """Calls until the trigger is reached again, at so many tokens more with each."""
    return max(0.0, (trigger - after) / per_call) if per_call > 0 else float("inf")


def appended_per_call(messages: Sequence[Message], counts: Sequence[int]) -> float:
    """The median of the tokens that one request adds to the one before: an answer and what follows it."""

    turns: list[int] = []
    for message, tokens in zip(messages, counts, strict=True):
        if message.speaker is Speaker.AI or not turns:
            turns.append(0)
        turns[-1] += tokens
    return float(median(turns)) if len(turns) > 2 else float(_APPENDED)
