"""What an agent's provider reported that its requests took: cost, cache, and what compactions cost."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import groupby, pairwise

from core.llm.catalog import MIN_CACHED_PREFIX, TokenRates, token_rates
from core.tokens.recorded_compactions import (
    LOOP_REQUESTS,
    SELDOM,
    is_in_vain,
    reported_sizes,
)
from core.transcript.model import Conversation, ReportedUsage, Speaker

_LIFE = 5 * 60
_LONG_LIFE = 60 * 60
"""Seconds that a prompt cache lives."""
_LOST = 0.5
"""A request that reads less than this share of what the one before left in the cache wrote its
beginning again."""


class RewriteCause(StrEnum):
    """Why a request wrote its beginning to the cache again, as far as the file shows it."""

    COMPACTION = "compaction"
    MODEL = "another model"
    PAUSE = "pause"
    UNKNOWN = "not recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidRequest:
    """A request as reported, and its price in US dollars; None where no price is known.
    ``rewrite`` is why it wrote its beginning again, None where it did not."""

    usage: ReportedUsage
    cost: float | None
    is_cost_reported: bool
    rewrite: RewriteCause | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidCompaction:
    """What recorded compaction ``number`` (from 1) cost and saved, in US dollars, None where
    unknown. ``cost`` is that of writing again what the first request after it did not read from the
    cache; ``savings`` is what the requests up to the next compaction would have paid for what it took
    out, read from the cache. ``requests`` are those requests. ``is_loop``: it came few
    requests after another. ``is_in_vain``: it freed next to nothing."""

    number: int
    freed: int | None
    requests: int
    cost: float | None
    savings: float | None
    is_loop: bool
    is_in_vain: bool


@dataclass(frozen=True, slots=True)
class Paid:
    """What was paid for a session; ``requests`` are those whose size was reported. ``is_part``: the
    file has other branches or conversations, whose requests are not among them."""

    requests: tuple[PaidRequest, ...]
    compactions: tuple[PaidCompaction, ...]
    is_part: bool = False

    @property
    def cost(self) -> float | None:
        """The sum of what is known; None where no request has a price."""
        known = [one.cost for one in self.requests if one.cost is not None]
        if known:
            return sum(known)
        return None

    @property
    def priced(self) -> int:
        return sum(one.cost is not None for one in self.requests)

    @property
    def is_cost_reported(self) -> bool:
        """Whether every request with a price has that of the agent; False where none has one."""
        priced = [one for one in self.requests if one.cost is not None]
        return bool(priced) and all(one.is_cost_reported for one in priced)

    @property
    def cache_share(self) -> float | None:
        """The share of all input that was read from the cache; None where that is not reported."""
        told = [one.usage for one in self.requests if one.usage.cache.read is not None]
        sent = sum(usage.context for usage in told)
        if sent:
            return sum(usage.cache.read or 0 for usage in told) / sent
        return None

    @property
    def rewrites(self) -> tuple[PaidRequest, ...]:
        return tuple(one for one in self.requests if one.rewrite is not None)

    @property
    def loops(self) -> tuple[PaidCompaction, ...]:
        return tuple(one for one in self.compactions if one.is_loop or one.is_in_vain)


NOTHING_PAID = Paid((), ())
"""The file reports no request."""


def paid(conversation: Conversation) -> Paid:
    """Return what the file reports of its requests; without requests where it reports none."""
    requests = tuple(_requests(conversation))
    if conversation.recorded:
        compactions = tuple(_compactions(conversation, requests))
    else:
        compactions = ()
    is_part = len(conversation.branches) > 1 or conversation.siblings > 1
    return Paid(requests, compactions, is_part)


LEAST_PAIRS = 3
"""Pairs of requests from which a share of the cache is taken."""


def cache_kept(conversation: Conversation, model: str) -> float | None:
    """Return what share of the tokens sent before the requests to a model read from the cache again,
    as the file reports it; None where it reports too little. A request right after a compaction
    does not count: it has another beginning."""
    pairs = [
        (before, usage)
        for before, usage in pairwise(conversation.usage)
        if _is_followed(conversation, before, usage, model)
    ]
    if len(pairs) < LEAST_PAIRS:
        return None
    sent = [min(before.context, usage.context) for before, usage in pairs]
    read = [
        min(size, usage.cache.read or 0)
        for size, (_, usage) in zip(sent, pairs, strict=True)
    ]
    return sum(read) / sum(sent)


def _is_followed(
    conversation: Conversation, before: ReportedUsage, usage: ReportedUsage, model: str
) -> bool:
    """Return whether the second request sends what the first one sent, and more."""
    is_reported = usage.cache.read is not None and before.context >= MIN_CACHED_PREFIX
    is_of_model = (before.model or model) == (usage.model or model) == model
    if not is_reported or not is_of_model:
        return False
    return not _compacted_between(conversation, before, usage)


def recorded_costs(conversation: Conversation) -> dict[int, float | None]:
    """Return what was paid for the reported requests as US dollars, None without a price, by the
    index of the first message of their answer."""
    return {one.usage.message_index: one.cost for one in _requests(conversation)}


def _requests(conversation: Conversation) -> Iterator[PaidRequest]:
    before: ReportedUsage | None = None
    for usage in conversation.usage:
        rates = _rates(conversation, usage)
        reported = usage.cache.cost
        yield PaidRequest(
            usage=usage,
            cost=_price(usage, rates) if reported is None else reported,
            is_cost_reported=reported is not None,
            rewrite=_rewrite(conversation, before, usage),
        )
        before = usage


def _rates(conversation: Conversation, usage: ReportedUsage) -> TokenRates | None:
    return token_rates(usage.model or conversation.model, conversation.hour_cache)


def _price(usage: ReportedUsage, rates: TokenRates | None) -> float | None:
    """Return the price of a request; None without prices, or where the cache is not reported."""
    if rates is None or usage.cache.read is None:
        return None
    prices = rates.at(usage.context)
    read = usage.cache.read
    written = usage.cache.written or 0
    fresh = max(0, usage.context - read - written)
    sent = fresh * prices.input + read * prices.read + written * prices.write
    return sent + (usage.output or 0) * prices.output


def _rewrite(
    conversation: Conversation, before: ReportedUsage | None, usage: ReportedUsage
) -> RewriteCause | None:
    if before is None or usage.cache.read is None or before.cache.read is None:
        return None
    left = before.cache.read + (before.cache.written or 0)
    is_read = usage.cache.read >= _LOST * left
    if left < MIN_CACHED_PREFIX or is_read:
        return None
    if _compacted_between(conversation, before, usage):
        return RewriteCause.COMPACTION
    if before.model != usage.model:
        return RewriteCause.MODEL
    pause = _pause(conversation, before, usage)
    life = _LONG_LIFE if conversation.hour_cache else _LIFE
    return (
        RewriteCause.PAUSE
        if pause is not None and pause > life
        else RewriteCause.UNKNOWN
    )


def _compacted_between(
    conversation: Conversation, before: ReportedUsage, usage: ReportedUsage
) -> bool:
    return any(
        before.message_index < one.boundary <= usage.message_index
        for one in conversation.recorded
    )


def _pause(
    conversation: Conversation, before: ReportedUsage, usage: ReportedUsage
) -> float | None:
    """Return the seconds between two answers; None where their times are not recorded."""
    times = [
        _time(conversation.messages[one.message_index].timestamp)
        for one in (before, usage)
    ]
    if times[0] is None or times[1] is None:
        return None
    return (times[1] - times[0]).total_seconds()


def _time(timestamp: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return time.replace(tzinfo=None)


def _compactions(
    conversation: Conversation, requests: Sequence[PaidRequest]
) -> Iterator[PaidCompaction]:
    indices = [one.usage.message_index for one in requests]
    seldom = [one for one in conversation.recorded if one.kind in SELDOM]
    sizes = reported_sizes(conversation)
    previous: int | None = None  # the boundary of the one before
    for number, (one, (before, after)) in enumerate(
        zip(conversation.recorded, sizes, strict=True), 1
    ):
        if one.kind not in SELDOM:
            continue
        start = bisect_left(indices, one.boundary)
        later = [other.boundary for other in seldom if other.boundary > one.boundary]
        if later:
            end = bisect_left(indices, later[0])
        else:
            end = len(indices)
        if before is None or after is None:
            freed = None
        else:
            freed = before - after
        yield PaidCompaction(
            number=number,
            freed=freed,
            requests=end - start,
            cost=_written_again(conversation, requests[start:end]),
            savings=_savings(conversation, freed, requests[start:end]),
            is_loop=previous is not None
            and _is_loop(conversation, previous, one.boundary),
            is_in_vain=is_in_vain(before, after),
        )
        previous = one.boundary


def _is_loop(conversation: Conversation, previous: int, boundary: int) -> bool:
    """Return whether few requests, but at least one, lie between two compactions; consecutive
    messages of the model are one answer. None lies between two records of one compaction."""
    speakers = [message.speaker for message in conversation.messages[previous:boundary]]
    answers = sum(speaker is Speaker.AI for speaker, _ in groupby(speakers))
    return 1 <= answers <= LOOP_REQUESTS


def _written_again(
    conversation: Conversation, requests: Sequence[PaidRequest]
) -> float | None:
    """Return what the first request paid above reading all of it from the cache."""
    if not requests:
        return None
    usage = requests[0].usage
    rates = _rates(conversation, usage)
    if rates is None or usage.cache.read is None:
        return None
    prices = rates.at(usage.context)
    written = usage.cache.written or 0
    fresh = max(0, usage.context - usage.cache.read - written)
    return written * (prices.write - prices.read) + fresh * (prices.input - prices.read)


def _savings(
    conversation: Conversation, freed: int | None, requests: Sequence[PaidRequest]
) -> float | None:
    if freed is None or not requests:
        return None
    savings = 0.0
    for one in requests:
        rates = _rates(conversation, one.usage)
        if rates is None:
            return None
        savings += freed * rates.at(one.usage.context + max(0, freed)).read
    return savings
