"""A strategy followed from turn to turn: what it would do now, told by what it remembers of the store.

A run over the whole history costs as much as that is long. One that clears a result now and then, or finds
nothing to do, costs what is new.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.engine.events import (
    CompactionStatus,
    CompressionCause,
    CompressionEnded,
    CompressionStarted,
    EventListener,
)
from core.engine.history_store import HistoryStore, apply_edits
from core.engine.passes import REPLACED_MEANWHILE
from core.engine.strategy_run import first_waiting
from core.settings.schema import Mode
from core.strategies.curated_history import is_empty
from core.strategies.incremental import CompressorFactory, HistoryEdits
from core.transcript.compaction import ModelCall, NoOp, NoOpCode
from core.transcript.model import Message


@dataclass(frozen=True, slots=True)
class IncrementalRunResult:
    """What is left to say of a run when its result stands in the store: why nothing was applied, and the
    calls of models."""

    no_op: NoOp | None
    calls: tuple[ModelCall, ...] = ()


class IncrementalRunner:
    """One strategy's follower over one store, in safe mode."""

    def __init__(self, store: HistoryStore, follow: CompressorFactory) -> None:
        self._store, self._follow = store, follow
        self._begin()

    def run(
        self, name: str, cause: CompressionCause, limit: int | None, listen: EventListener
    ) -> IncrementalRunResult | None:
        """Compress by what is remembered; None, and nothing is done, where the strategy has to be asked."""
        found, before = self._look(limit), self._store.total
        if found is None:
            return None
        listen(CompressionStarted(name, cause))
        no_op = self._take(found) if isinstance(found, HistoryEdits) else found
        listen(CompressionEnded(name, no_op=no_op))
        if no_op is None:
            listen(CompactionStatus(before, self._store.total, cause))
        return IncrementalRunResult(no_op)

    def _begin(self) -> None:
        self._follower = self._follow(lambda message: self._store.estimate((message,)))
        self._known: list[Message] = []
        self._replacements = self._store.replacements
        self._has_empty = False

    def _look(self, limit: int | None) -> HistoryEdits | NoOp | None:
        """What the follower says of the store as it is."""
        if self._replacements != self._store.replacements:
            self._begin()
        for message in self._store.since(len(self._known)):
            if is_empty(message, Mode.SAFE):
                self._has_empty = True  # an applied run takes it away, too
            else:
                self._follower.add(len(self._known), message)
            self._known.append(message)
        if first_waiting(self._known) < len(self._known):
            return None
        found = self._follower.look(self._store.total, limit)
        if found is None:
            self._begin()
        return None if isinstance(found, HistoryEdits) and self._has_empty else found

    def _take(self, edits: HistoryEdits) -> NoOp | None:
        """Put the edits into the store, or say why not."""
        before = {place: self._known[place] for place in edits.messages}
        if not self._store.edit(before, edits.messages):
            return NoOp(NoOpCode.HISTORY_CHANGED, REPLACED_MEANWHILE)
        self._replacements += 1  # one that somebody else made meanwhile is seen by the next look
        apply_edits(self._known, edits.messages)
        self._follower.took(edits)
        return None
