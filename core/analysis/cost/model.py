"""Cost of a compaction, and when it pays for itself with a prompt cache (field.md section 4.5)."""

from __future__ import annotations

from dataclasses import dataclass

from core.llm.prompt_cache import TokenRates


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


@dataclass(frozen=True, slots=True)
class CompactionCost:
    """The price of a compaction in US dollars; None where the model has no price in the table.

    The first ``prefix`` tokens of the request, system prompt included, are unchanged and read from a warm
    cache; ``rewritten`` tokens are written anew. ``first_changed`` is the first source message that differs,
    None if none does. ``summary`` is the price of the calls made, ``unpaid`` the summaries that no model
    wrote. ``first_*`` is the price of the next call without and with the compaction, ``later_*`` of each call
    after it. ``break_even``: calls until the compaction has paid for itself, None if never.
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
