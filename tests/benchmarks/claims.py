"""One line of the table: what was measured, its figure, and the most that it may be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """What was measured, how it reads, the figure and its limit; ``at_least`` turns the limit round.

    ``limit`` None: nothing is promised, the figure is told.
    """

    name: str
    measured: str
    figure: float
    limit: float | None
    at_least: bool = False

    @property
    def is_met(self) -> bool:
        """True where the figure is within its limit, or has none."""
        if self.limit is None:
            return True
        return self.figure >= self.limit if self.at_least else self.figure <= self.limit
