"""Spends a token budget on candidate lines: shares first, then the rest, in order of value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.summarize.summary_lines import CandidateLine, SnapshotSlot

_ROUNDS = (
    1.0,
    1.6,
    float("inf"),
)  # multiples of its share that a slot may spend by the end of each round
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

    def take(self, slot: SnapshotSlot, line: CandidateLine) -> None:
        self.remaining -= self.line_cost(line)
        self.selected.append((slot, line))

    def refund(self, tokens: int) -> bool:
        """Give back the lines taken last until ``tokens`` are freed; False where none is left."""
        freed = 0
        while self.selected and freed < tokens:
            freed += self.line_cost(self.selected.pop()[1])
        return freed > 0


def spend_budget(
    candidates: Mapping[SnapshotSlot, Sequence[CandidateLine]],
    token_budget: TokenBudget,
    shares: Mapping[SnapshotSlot, float],
) -> None:
    """Take lines: best first within a slot, slots in the order of ``shares``."""
    budget = token_budget.remaining
    spent = dict.fromkeys(shares, 0)
    waiting = {slot: list(candidates.get(slot, ())) for slot in shares}
    for factor in _ROUNDS:
        for slot, share in shares.items():
            limit = min(share * budget * factor, float(budget))
            left: list[CandidateLine] = []
            for index, line in enumerate(waiting[slot]):
                room = min(limit - spent[slot], token_budget.remaining)
                if room < _MIN_TOKENS:
                    left += waiting[slot][index:]
                    break
                price = token_budget.line_cost(line)
                if price > room:
                    left.append(line)
                    continue
                spent[slot] += price
                token_budget.take(slot, line)
            waiting[slot] = left


def fitting_count(most: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number up to ``most`` that fits, 0 where none does; ``fits`` is
    monotonic."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
