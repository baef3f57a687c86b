"""Values of the decay chart: fidelity after repeated compactions."""

from __future__ import annotations

from dataclasses import dataclass

DECAY_ROUNDS = 5
"""Compactions in the decay chart."""

DECAY_NOTE = "Each compacts the result of the last, with nothing said in between; summaries are offline."


@dataclass(frozen=True, slots=True)
class DecayBar:
    """Fidelity after one of the compactions, 0 to 1, None without facts."""

    value: float | None
    label: str
    tip: str


@dataclass(frozen=True, slots=True)
class DecayPage:
    """The compactions so far, of ``total`` in all."""

    bars: tuple[DecayBar, ...] = ()
    total: int = DECAY_ROUNDS
    note: str = DECAY_NOTE

    @property
    def is_over(self) -> bool:
        return len(self.bars) >= self.total
