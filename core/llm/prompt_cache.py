"""The arithmetic of a prompt cache in plain numbers, for those who show it and those who act by it.

Tokens, and prices as multiples of one fresh input token (field.md section 4.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol

from core.llm.prices import at_size
from core.transcript.model import Message, Speaker

READ, WRITE = 0.1, 1.25
"""What reading and writing a cached token costs where a provider takes extra for writing."""

OUTPUT = 5.0
"""What a token of an answer costs where a price is not known."""

_APPENDED = 500  # tokens that a call adds where a history is too short to tell


@dataclass(frozen=True, slots=True)
class CacheRates:
    """What tokens read from the cache, written to it, and answered cost, in units of one fresh input token.

    ``model`` is the one whose prices these are, empty where they are assumed. ``tiers`` are the prices of
    larger requests, in units of the same token.
    """

    read: float = READ
    write: float = WRITE
    output: float = OUTPUT
    model: str = ""
    tiers: tuple[tuple[int, CacheRates], ...] = ()

    def at(self, tokens: float) -> CacheRates:
        """The prices of a request with so many tokens of input."""
        return at_size(tokens, self, self.tiers)

    @property
    def words(self) -> str:
        """Whose prices these are, for a sentence."""
        whose = f"the prices of {self.model}" if self.model else "assumed prices, for the model has none"
        return f"{whose}: reading the cache costs {self.read:.4g}, writing it {self.write:.4g} of fresh input"


ASSUMED = CacheRates()
"""Where the model has no price in the table."""


class RatesBySize(Protocol):
    """What reading and writing the cache costs in a request of a size."""

    @property
    def read(self) -> float: ...

    @property
    def write(self) -> float: ...

    def at(self, tokens: float) -> RatesBySize: ...


def later_call(tokens: float, rates: RatesBySize, added: float) -> float:
    """A request of so many tokens with a warm cache, ``added`` tokens of it new, in the unit of ``rates``."""
    at = rates.at(tokens)
    return at.read * tokens + at.write * added


def break_even(
    before: float,
    after: float,
    prefix: float,
    rates: RatesBySize,
    summary: float = 0.0,
    added: float = 0.0,
) -> float | None:
    """Calls until a compaction has paid back with a warm cache; None where it never does.

    ``before`` and ``after`` are the tokens of the whole request, ``prefix`` those that stay cached,
    ``summary`` what writing the summary cost, in the unit of ``rates``; ``added`` the tokens that each call
    adds.
    """
    large, small = rates.at(before), rates.at(after)
    cheaper = (large.read - small.read) * after + (large.write - small.write) * added
    saved = large.read * (before - after) + cheaper
    extra = summary + rewrite_cost(after, prefix, rates)
    return max(0.0, extra / saved) if saved > 0 else None


def rewrite_cost(after: float, prefix: float, rates: RatesBySize) -> float:
    """What the first request after a compaction costs beyond those that follow it."""
    at = rates.at(after)
    return (at.write - at.read) * (after - prefix)


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
