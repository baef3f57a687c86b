"""What a compaction costs and when it has paid back, with a prompt cache (field.md section 4.5)."""

from __future__ import annotations

from dataclasses import dataclass

from core.llm.prices import TokenRates


@dataclass(frozen=True, slots=True)
class UnpaidRequests:
    """Requests for summaries that no model wrote: (tokens sent, tokens of the answer) of each; estimates."""

    requests: tuple[tuple[int, int], ...] = ()

    def __add__(self, other: UnpaidRequests) -> UnpaidRequests:
        return UnpaidRequests(self.requests + other.requests)

    @property
    def sent(self) -> int:
        """Tokens of all requests."""
        return sum(sent for sent, _ in self.requests)

    @property
    def received(self) -> int:
        """Tokens of all answers."""
        return sum(received for _, received in self.requests)


NONE_UNPAID = UnpaidRequests()
"""Every summary was paid for, or there is none."""


@dataclass(frozen=True, slots=True)
class CompactionCost:
    """The price of a compaction; dollars None where the model has no price in the table.

    ``prefix`` tokens of the request stay as they were and are read from a warm cache, system prompt
    included; ``first_changed`` is the first source message that differs, None where none does;
    ``rewritten`` tokens have to be written anew. ``summary`` is what models were paid for the calls,
    ``unpaid`` the summaries that none wrote, ``first_before`` and ``first_after`` the next call without and
    with the compaction, ``later_before`` and ``later_after`` each call after that. ``break_even`` calls until
    it has paid back, None where it never does.
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
    unpaid: UnpaidRequests = NONE_UNPAID
