"""Spends a token budget on candidate lines: shares first, then the rest, in order of value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.summarize.fact_lines import CandidateLine
from core.summarize.summary_sections import SPENDING, SnapshotSlot

_ROUNDS = (1.0, 1.6, float("inf"))  # multiples of its share that a slot may spend by the end of each round
_MIN_TOKENS = 3  # tokens; shorter lines are useless


class TokenBudget:
    """The tokens left of a budget, and the lines taken."""

    def __init__(self, budget: int, count: Callable[[str], int]) -> None:
        self.left = budget
        self._count = count
        self._prices: dict[str, int] = {}
        self.taken: list[tuple[SnapshotSlot, CandidateLine]] = []

    def cost_of(self, line: CandidateLine) -> int:
        """Return the tokens of a line with its line end, counted once."""
        if line.text not in self._prices:
            self._prices[line.text] = self._count(line.text + "\n")
        return self._prices[line.text]

    def refund(self, tokens: int) -> bool:
        """Give back the lines taken last until ``tokens`` are freed; False where none is left."""
        freed = 0
        while self.taken and freed < tokens:
            freed += self.cost_of(self.taken.pop()[1])
        return freed > 0


def spend_budget(candidates: Mapping[SnapshotSlot, Sequence[CandidateLine]], spending: TokenBudget) -> None:
    """Take lines: best first within a slot, slots in the order of their value."""
    budget = spending.left
    spent = dict.fromkeys(SPENDING, 0)
    remaining = {slot: list(candidates.get(slot, ())) for slot in SPENDING}
    for factor in _ROUNDS:
        for slot in SPENDING:
            limit = min(slot.share * budget * factor, float(budget)) - spent[slot]
            cost, remaining[slot] = _take(slot, remaining[slot], limit, spending)
            spent[slot] += cost


def _take(
    slot: SnapshotSlot, lines: list[CandidateLine], limit: float, spending: TokenBudget
) -> tuple[int, list[CandidateLine]]:
    """Take the lines that fit into ``limit`` and the budget; return the cost and the rest."""
    cost = 0
    rest: list[CandidateLine] = []
    for place, line in enumerate(lines):
        if min(limit - cost, spending.left) < _MIN_TOKENS:
            return cost, rest + lines[place:]
        price = spending.cost_of(line)
        if price > min(limit - cost, spending.left):
            rest.append(line)
            continue
        spending.left -= price
        cost += price
        spending.taken.append((slot, line))
    return cost, rest
