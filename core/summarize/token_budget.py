"""Spending a token budget on candidate lines: shares first, then what is left, in order of worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.summarize.fact_lines import CandidateLine
from core.summarize.summary_sections import SPENDING, SnapshotSlot

_ROUNDS = (1.0, 1.6, float("inf"))
"""How far a slot may go beyond its share in each round."""

_SMALLEST = 3  # tokens; nothing worth saying is shorter


class TokenBudget:
    """A budget and what has been bought from it. Tokens."""

    def __init__(self, budget: int, count: Callable[[str], int]) -> None:
        self.left = budget
        self._count = count
        self._prices: dict[str, int] = {}
        self.taken: list[tuple[SnapshotSlot, CandidateLine]] = []

    def price(self, line: CandidateLine) -> int:
        """The tokens of a line with its line end, counted once."""
        if line.text not in self._prices:
            self._prices[line.text] = self._count(line.text + "\n")
        return self._prices[line.text]

    def take_back(self, tokens: int) -> bool:
        """Give back the lines taken last until ``tokens`` are freed; False where none is left."""
        freed = 0
        while self.taken and freed < tokens:
            freed += self.price(self.taken.pop()[1])
        return freed > 0


def spend_budget(candidates: Mapping[SnapshotSlot, Sequence[CandidateLine]], purse: TokenBudget) -> None:
    """Take lines into the purse: best first within a slot, slots in the order of their worth."""
    budget = purse.left
    spent = dict.fromkeys(SPENDING, 0)
    waiting = {slot: list(candidates.get(slot, ())) for slot in SPENDING}
    for stretch in _ROUNDS:
        for slot in SPENDING:
            limit = min(slot.share * budget * stretch, float(budget)) - spent[slot]
            cost, waiting[slot] = _take(slot, waiting[slot], limit, purse)
            spent[slot] += cost


def _take(
    slot: SnapshotSlot, lines: list[CandidateLine], limit: float, purse: TokenBudget
) -> tuple[int, list[CandidateLine]]:
    """Take what fits into ``limit`` and the purse; the rest waits for the next round."""
    cost = 0
    rest: list[CandidateLine] = []
    for place, line in enumerate(lines):
        if min(limit - cost, purse.left) < _SMALLEST:
            return cost, rest + lines[place:]
        price = purse.price(line)
        if price > min(limit - cost, purse.left):
            rest.append(line)
            continue
        purse.left -= price
        cost += price
        purse.taken.append((slot, line))
    return cost, rest
