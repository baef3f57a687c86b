"""Prices of tokens, which many providers raise for all of a request above some size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

LEAST = 1024
"""The smallest prefix in tokens that is cached."""

_T = TypeVar("_T")


def at_size(tokens: float, base: _T, tiers: Sequence[tuple[int, _T]]) -> _T:
    """The prices of a request with so many tokens of input, cached ones included.

    ``tiers`` are (threshold in tokens, prices) in rising order; the whole request, its answer included, has
    the prices of the highest tier whose threshold it exceeds.
    """
    return next((prices for above, prices in reversed(tiers) if tokens > above), base)


@dataclass(frozen=True, slots=True)
class TokenRates:
    """Prices in US dollars per token: fresh input, output, input read from and written to the cache.

    ``least`` is the smallest prefix in tokens that is cached. Where a provider takes no extra for
    writing, ``write`` equals ``input``; ``write_hour`` is for a cache that lives an hour. ``tiers`` are the
    prices of larger requests.
    """

    model: str
    input: float
    output: float
    read: float
    write: float
    least: int = LEAST
    write_hour: float = 0.0
    tiers: tuple[tuple[int, TokenRates], ...] = ()

    def at(self, tokens: float) -> TokenRates:
        """The prices of a request with so many tokens of input."""
        return at_size(tokens, self, self.tiers)

    def uncached(self, sent: int, received: int) -> tuple[float, float]:
        """US dollars for input and output of one request of which nothing is in the cache."""
        at = self.at(sent)
        return sent * at.input, received * at.output

    def for_an_hour(self) -> TokenRates:
        """The same prices where every write to the cache is one for an hour."""
        tiers = tuple((above, rates.for_an_hour()) for above, rates in self.tiers)
        return replace(self, write=self.write_hour or self.write, tiers=tiers)
