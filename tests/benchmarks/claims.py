"""One line of the table: what was measured, its figure, and the most that it may be."""

from __future__ import annotations

from dataclasses import dataclass

TOLERANCE = 2.0
"""An absolute limit fails at this multiple: other work on the machine decides the rest."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What was measured, how it reads, the figure and its limit; an absolute one is no ratio."""

    name: str
    measured: str
    figure: float
    limit: float
    is_absolute: bool = False

    @property
    def is_met(self) -> bool:
        return self.figure <= self.limit * (TOLERANCE if self.is_absolute else 1.0)
