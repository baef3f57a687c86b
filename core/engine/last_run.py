"""What the last compression of a session still says to the checks behind it."""

from __future__ import annotations

from dataclasses import dataclass

from core.settings.values import Values
from core.transcript.compaction import NoOp, NoOpCode


@dataclass(frozen=True, slots=True)
class LastRun:
    """A run: how many messages had been added when it began, its settings, and why it changed nothing."""

    additions: int
    values: Values
    no_op: NoOp | None

    def settles(self, additions: int, values: Values) -> bool:
        """True where nothing was added or set since, whatever came of the run (fix EN-03)."""
        return (self.additions, self.values) == (additions, values)

    @property
    def found_nothing(self) -> bool:
        """True for a no-op; one that the cache alone forbade is still there for an emergency."""
        return self.no_op is not None and self.no_op.code is not NoOpCode.CACHE_DEARER
