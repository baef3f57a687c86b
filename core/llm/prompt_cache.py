"""Prompt cache arithmetic: tokens, and prices in units of one fresh input token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from core.tokens.calibration import median
from core.transcript.model import Message, Speaker

MIN_CACHED_PREFIX = 1024  # smallest cached prefix in tokens
_T = TypeVar("_T")


def prices_at_size(tokens: float, base: _T, tiers: Sequence[tuple[int, _T]]) -> _T:
    """Return the prices of a request with that many input tokens, cached ones included. ``tiers``
    are (threshold in tokens, prices) in rising order; the whole request, its answer included, has
    the prices of the highest tier whose threshold it exceeds."""
    return next(
        (prices for threshold, prices in reversed(tiers) if tokens > threshold), base
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRates:
    """Prices in US dollars per token: fresh input, output, input read from and written to the
    cache. Where writing costs nothing extra, ``write`` equals ``input``; ``write_hour`` is for a
    cache of one hour. ``tiers`` are the prices of larger requests."""

    model: str
    input: float
    output: float
    read: float
    write: float
    write_hour: float = 0.0
    tiers: tuple[tuple[int, TokenRates], ...] = ()

    def at(self, tokens: float) -> TokenRates:
        """Return the prices of a request with that many input tokens."""
        return prices_at_size(tokens, self, self.tiers)

    def uncached_prices(self, sent: int, received: int) -> tuple[float, float]:
        """Return US dollars for input and output of one uncached request."""
        rates = self.at(sent)
        return sent * rates.input, received * rates.output

    def as_read(self, share: float) -> TokenRates:
        """Return the prices of a session in which only this share of what was sent before is read
        from the cache, and the rest is written again."""
        read = share * self.read + (1 - share) * self.write
        tiers = tuple(
            (threshold, rates.as_read(share)) for threshold, rates in self.tiers
        )
        return replace(self, read=read, tiers=tiers)

    def for_an_hour(self) -> TokenRates:
        """Return the prices with every cache write at the rate of one hour."""
        tiers = tuple(
            (threshold, rates.for_an_hour()) for threshold, rates in self.tiers
        )
        # Where no rate for an hour is known, writing costs what it costs for five minutes.
        return replace(self, write=self.write_hour or self.write, tiers=tiers)


_APPENDED = 500  # tokens added per call, assumed for short histories


def later_call_price(tokens: float, rates: TokenRates, added: float) -> float:
    """Price a request with a warm cache, ``added`` tokens of it new, in the unit of ``rates``."""
    prices = rates.at(tokens)
    return prices.read * tokens + prices.write * added


def break_even(
    before: float,
    after: float,
    prefix: float,
    rates: TokenRates,
    summary: float = 0.0,
    added: float = 0.0,
) -> float | None:
    """Return the calls until a compaction has paid back with a warm cache; None where it never
    does. ``before`` and ``after`` are the tokens of the whole request, ``prefix`` those that stay
    cached, ``added`` those that each call adds; ``summary`` is the price of writing the summary in
    the unit of ``rates``."""
    saved_per_call = later_call_price(before, rates, added) - later_call_price(
        after, rates, added
    )
    return calls_to_pay(summary + rewrite_cost(after, prefix, rates), saved_per_call)


def calls_to_pay(extra_cost: float, saved_per_call: float) -> float | None:
    """Return the calls until a saving has paid for a cost; None where it never does."""
    if saved_per_call > 0:
        return max(0.0, extra_cost / saved_per_call)
    return None


def rewrite_cost(after: float, prefix: float, rates: TokenRates) -> float:
    """Return the extra price of the first request after a compaction."""
    prices = rates.at(after)
    # What is kept in front of the change stays in the cache; the rest is written once.
    return (prices.write - prices.read) * (after - prefix)


def appended_per_call(messages: Sequence[Message], counts: Sequence[int]) -> float:
    """Return the median number of tokens added per request: an answer and what follows it."""

    turns: list[int] = []
    for message, tokens in zip(messages, counts, strict=True):
        if message.speaker is Speaker.AI or not turns:
            turns.append(0)
        turns[-1] += tokens
    # Two turns are no typical ones, so a usual amount is assumed.
    if len(turns) > 2:
        # The median, because one long output would make every call look expensive.
        return float(median(turns))
    return float(_APPENDED)
