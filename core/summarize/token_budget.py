"""Spends a token budget on candidate lines: shares first, then the rest, in order of value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.summarize.fact_lines import CandidateLine
from core.summarize.summary_sections import SPENDING_ORDER, SnapshotSlot

_ROUNDS = (1.0, 1.6, float("inf"))  # multiples of its share that a slot may spend by the end of each round
_MIN_TOKENS = 3  # tokens; shorter lines are useless


class TokenBudget:
    """The tokens left of a budget, and the lines taken."""

    def __init__(self, budget: int, count: Callable[[str], int]) -> None:
        self.remaining = budget
        self._count = count
        self._prices: dict[str, int] = {}
        self.selected: list[tuple[SnapshotSlot, CandidateLine]] = []

    def line_cost(self, line: CandidateLine) -> int:
        """Return the tokens of a line with its line end, counted once."""
        if line.text not in self._prices:
            self._prices[line.text] = self._count(line.text + "\n")
        return self._prices[line.text]

    def refund(self, tokens: int) -> bool:
        """Give back the lines taken last until ``tokens`` are freed; False where none is left."""
        freed = 0
        while self.selected and freed < tokens:
            freed += self.line_cost(self.selected.pop()[1])
        return freed > 0


def spend_budget(
    candidates: Mapping[SnapshotSlot, Sequence[CandidateLine]], token_budget: TokenBudget
) -> None:
    """Take lines: best first within a slot, slots in the order of their value."""
    budget = token_budget.remaining
    spent = dict.fromkeys(SPENDING_ORDER, 0)
    remaining = {slot: list(candidates.get(slot, ())) for slot in SPENDING_ORDER}
    for factor in _ROUNDS:
        for slot in SPENDING_ORDER:
            limit = min(slot.share * budget * factor, float(budget)) - spent[slot]
            cost, remaining[slot] = _take(slot, remaining[slot], limit, token_budget)
            spent[slot] += cost


def _take(
    slot: SnapshotSlot, lines: list[CandidateLine], limit: float, token_budget: TokenBudget
) -> tuple[int, list[CandidateLine]]:
    """Take the lines that fit into ``limit`` and the budget; return the cost and the rest."""
    cost = 0
    remaining: list[CandidateLine] = []
    for index, line in enumerate(lines):
        if min(limit - cost, token_budget.remaining) < _MIN_TOKENS:
            return cost, remaining + lines[index:]
        price = token_budget.line_cost(line)
        if price > min(limit - cost, token_budget.remaining):
            remaining.append(line)
            continue
        token_budget.remaining -= price
        cost += price
        token_budget.selected.append((slot, line))
    return cost, remaining
