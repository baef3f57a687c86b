"""What is left after one compaction, two, three, as the window shows it."""

from __future__ import annotations

from dataclasses import dataclass

FOLDS = 5
"""Compactions in a row that the window makes."""

HOW = "Each compacts the result of the last, with nothing said in between; summaries are offline."


@dataclass(frozen=True, slots=True)
class DecayBar:
    """One compaction of the row: its fidelity from 0 to 1, None without facts; figure and words for it."""

    value: float | None
    label: str
    tip: str


@dataclass(frozen=True, slots=True)
class DecayPage:
    """The compactions so far; ``of`` are asked for in all."""

    bars: tuple[DecayBar, ...] = ()
    of: int = FOLDS
    note: str = HOW

    @property
    def is_over(self) -> bool:
        """True where all are there."""
        return len(self.bars) >= self.of
