"""The last compression of a session, for later checks."""

from __future__ import annotations

from dataclasses import dataclass

from core.settings.values import Values
from core.transcript.compaction import NoOp, NoOpCode


@dataclass(frozen=True, slots=True)
class LastRun:
    """``additions``: messages added before the run began; ``no_op``: why it changed nothing."""

    additions: int
    values: Values
    no_op: NoOp | None

    def is_unchanged_since(self, additions: int, values: Values) -> bool:
        """Return whether nothing was added or set since, whatever the run did (fix EN-03)."""
        return (self.additions, self.values) == (additions, values)

    @property
    def is_final_no_op(self) -> bool:
        """True for a no-op, except one that only the cache forbade: an emergency may still run it."""
        return self.no_op is not None and self.no_op.code is not NoOpCode.CACHE_DEARER
