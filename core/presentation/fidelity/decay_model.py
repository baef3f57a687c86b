"""Values of the decay chart: fidelity after repeated compactions."""

from __future__ import annotations

from dataclasses import dataclass

FOLDS = 5
"""Compactions in the decay chart."""

HOW = "Each compacts the result of the last, with nothing said in between; summaries are offline."


@dataclass(frozen=True, slots=True)
class DecayBar:
    """Fidelity after one of the compactions, 0 to 1, None without facts."""

    value: float | None
    label: str
    tip: str


@dataclass(frozen=True, slots=True)
class DecayPage:
    """The compactions so far, of ``of`` in all."""

    bars: tuple[DecayBar, ...] = ()
    of: int = FOLDS
    note: str = HOW

    @property
    def is_over(self) -> bool:
        return len(self.bars) >= self.of
