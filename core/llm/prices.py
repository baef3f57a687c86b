"""Token prices, which many providers raise for large requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

MIN_CACHED_PREFIX = 1024  # smallest cached prefix in tokens
_T = TypeVar("_T")


def prices_at_size(tokens: float, base: _T, tiers: Sequence[tuple[int, _T]]) -> _T:
    """Return the prices of a request with that many input tokens, cached ones included. ``tiers`` are
    (threshold in tokens, prices) in rising order; the whole request, its answer included, has the prices of
    the highest tier whose threshold it exceeds."""
    return next((prices for threshold, prices in reversed(tiers) if tokens > threshold), base)


@dataclass(frozen=True, slots=True)
class TokenRates:
    """Prices in US dollars per token: fresh input, output, input read from and written to the cache.
    ``least`` is the smallest cached prefix in tokens. Where writing costs nothing extra, ``write`` equals
    ``input``; ``write_hour`` is for a cache of one hour. ``tiers`` are the prices of larger requests."""

    model: str
    input: float
    output: float
    read: float
    write: float
    least: int = MIN_CACHED_PREFIX
    write_hour: float = 0.0
    tiers: tuple[tuple[int, TokenRates], ...] = ()

    def at(self, tokens: float) -> TokenRates:
        """Return the prices of a request with that many input tokens."""
        return prices_at_size(tokens, self, self.tiers)

    def uncached_prices(self, sent: int, received: int) -> tuple[float, float]:
        """Return US dollars for input and output of one uncached request."""
        rates = self.at(sent)
        return sent * rates.input, received * rates.output

    def for_an_hour(self) -> TokenRates:
        """Return the prices with every cache write at the rate of one hour."""
        tiers = tuple((threshold, rates.for_an_hour()) for threshold, rates in self.tiers)
        return replace(self, write=self.write_hour or self.write, tiers=tiers)
