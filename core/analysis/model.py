"""What a compaction costs, and what a replay of strategies over a session gives."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from core.common.number_format import payback_text
from core.llm.catalog import TokenRates


@dataclass(frozen=True, slots=True)
class UnpaidRequests:
    """Estimated (request tokens, answer tokens) of summaries that no model wrote."""

    requests: tuple[tuple[int, int], ...] = ()

    def __add__(self, other: UnpaidRequests) -> UnpaidRequests:
        return UnpaidRequests(self.requests + other.requests)

    @property
    def sent(self) -> int:
        return sum(sent for sent, _ in self.requests)

    @property
    def received(self) -> int:
        return sum(received for _, received in self.requests)


NO_UNPAID_REQUESTS = UnpaidRequests()
"""Every summary was paid for, or there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionCost:
    """The price of a compaction in US dollars; None where the model has no price in the table.

    The first ``prefix`` tokens of the request, system prompt included, are unchanged and read from
    a warm cache; ``rewritten`` tokens are written anew. ``first_changed`` is the first source
    message that differs, None if none does. ``summary`` is the price of the calls made, ``unpaid``
    the summaries that no model wrote. ``first_*`` is the price of the next call without and with
    the compaction, ``later_*`` of each call after it. ``break_even``: calls until the compaction
    has paid for itself, None if never or if not known. ``cache_kept`` is the share of what was sent
    before that requests read from the cache, as the file reports it; None where it does not, and a
    warm cache is assumed.
    """

    prefix: int
    first_changed: int | None
    rewritten: int
    rates: TokenRates | None
    summary: float | None = None
    first_before: float | None = None
    first_after: float | None = None
    later_before: float | None = None
    later_after: float | None = None
    break_even: float | None = None
    unpaid: UnpaidRequests = NO_UNPAID_REQUESTS
    cache_kept: float | None = None

    @property
    def knows_break_even(self) -> bool:
        """Return whether it is known when it pays: something was changed, and all its prices are
        known."""
        is_priced = self.rates is not None and self.summary is not None
        return self.break_even is not None or (
            is_priced and self.first_changed is not None
        )

    @property
    def break_even_text(self) -> str:
        return payback_text(self.break_even, is_known=self.knows_break_even)


BASELINE = "none"
"""The preset that changes nothing; always the first row."""


RECORDED = "recorded"
"""Name of recorded compactions: "recorded 1"; without a number, all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayCompaction:
    """A compaction before the request of ``turn`` (from 1); sizes are those of the whole request.
    ``cost`` was paid to models; ``unpaid`` are summaries that no model wrote."""

    turn: int
    before: int
    after: int
    calls: int
    cost: float | None
    error: str = ""
    unpaid: UnpaidRequests = NO_UNPAID_REQUESTS


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayTrack:
    """The replay of one strategy.

    ``sizes[i]`` is the request of turn i + 1 in tokens, ``sent`` their sum, ``rewritten`` the
    tokens behind an unchanged prefix, ``over_limit_count`` the number of turns that did not fit
    into the window. ``cost`` covers all requests, answers and summaries in US dollars, None if
    unknown; it leaves out ``unpaid``, the summaries that no model wrote. ``paid_requests`` are as
    the agent sent them, and cost what was paid. ``no_op_count`` counts runs that were due and
    changed nothing; ``note`` says why and qualifies the row. ``compactions`` includes failed ones.
    A track with an ``error`` ends before the last turn.
    """

    name: str
    sizes: array[int]
    compactions: tuple[ReplayCompaction, ...]
    calls: int
    sent: int
    rewritten: int
    over_limit_count: int
    cost: float | None
    trigger: int | None = None
    error: str = ""
    no_op_count: int = 0
    note: str = ""
    unpaid: UnpaidRequests = NO_UNPAID_REQUESTS
    paid_requests: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """All tracks over the same turns; turn i + 1 ends with the ai message at index ``turns[i]``.
    Indices refer to the history of ``scope``. ``limit`` in tokens, None if unknown; ``system``
    tokens are added to every request; ``mark`` is the counting method; ``model`` supplies limit and
    prices."""

    turns: tuple[int, ...]
    tracks: tuple[ReplayTrack, ...]
    limit: int | None
    system: int
    scope: str = "all"
    mark: str = "≈"
    model: str = ""
    hidden: int = (
        0  # tokens of the last request that no message accounts for; part of every size
    )
