"""Runs a strategy incrementally, so that a turn costs what is new and not what the history is long."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.engine.events import (
    CompactionStatus,
    CompressionCause,
    CompressionEnded,
    CompressionStarted,
    EngineEvent,
)
from core.engine.history_store import HistoryStore, apply_edits
from core.engine.passes import HISTORY_REPLACED_REASON, PassContext, strategy_context
from core.engine.strategy_run import StrategyInput, waiting_turn_start
from core.settings.keys import STRATEGY
from core.settings.schema import Mode, Values
from core.strategies.base import CompressorFactory, HistoryEdits, Strategy, StrategyContext
from core.strategies.curated_history import is_empty
from core.strategies.density.optimize import Optimize, incremental_optimize
from core.transcript.compaction import ModelCall, NoOp, NoOpCode
from core.transcript.model import Message


@dataclass(frozen=True, slots=True)
class IncrementalRunResult:
    """The result of a run that the store has applied: ``no_op`` says why nothing changed."""

    no_op: NoOp | None
    calls: tuple[ModelCall, ...] = ()


class IncrementalRunner:
    """Runs one strategy over one store, in safe mode."""

    def __init__(self, store: HistoryStore, factory: CompressorFactory) -> None:
        self._store, self._factory = store, factory
        self._restart()

    def run(
        self, context: PassContext, strategy: Strategy, cause: CompressionCause
    ) -> IncrementalRunResult | None:
        """Compress incrementally; None, with nothing done, if the strategy itself must run."""
        events: list[EngineEvent] = []
        quiet = replace(context, listener=events.append)  # the run may yet be that of the strategy itself
        given = strategy_context(quiet, strategy, StrategyInput((), (), 0), "", "")
        name = context.values.text(STRATEGY)
        edits, before = self._decide(replace(given, by_trigger=True)), self._store.total
        if edits is None:
            return None
        context.listener(CompressionStarted(name, cause))
        for event in events:
            context.listener(event)
        no_op = edits.no_op or self._apply(edits)
        context.listener(CompressionEnded(name, no_op=no_op))
        if no_op is None:
            context.listener(CompactionStatus(before, self._store.total, cause))
        return IncrementalRunResult(no_op, edits.calls)

    def _restart(self) -> None:
        self._compressor = self._factory(lambda message: self._store.estimate((message,)))
        self._seen: list[Message] = []
        self._replacements = self._store.replacements
        self._has_empty = False

    def _decide(self, context: StrategyContext) -> HistoryEdits | None:
        """Return the edits for the store as it is, a no-op, or None if the strategy itself must run."""
        if self._replacements != self._store.replacements:
            self._restart()
        for message in self._store.messages_from(len(self._seen)):
            if is_empty(message, Mode.SAFE):
                self._has_empty = True  # an applied run removes it, too
            else:
                self._compressor.add(len(self._seen), message)
            self._seen.append(message)
        if waiting_turn_start(self._seen) < len(self._seen):
            return None
        edits = self._compressor.edits(context)
        if edits is None:
            self._restart()
        return None if edits is not None and edits.no_op is None and self._has_empty else edits

    def _apply(self, edits: HistoryEdits) -> NoOp | None:
        before = {place: self._seen[place] for place in edits.messages}
        if not self._store.edit(before, edits.messages):
            return NoOp(NoOpCode.HISTORY_CHANGED, HISTORY_REPLACED_REASON)
        self._replacements += 1  # a replacement by another thread is noticed by the next look
        apply_edits(self._seen, edits.messages)
        self._compressor.apply(edits)
        return None


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


class StrategyCaches:
    """The caches of one session: one of each kind, for the strategy last used."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store
        self._optimize: tuple[Optimize, Optimize] | None = None
        self._runner: tuple[CompressorFactory, IncrementalRunner] | None = None

    def optimize(self, optimize: Optimize) -> Optimize:
        """Return the density step with its cache: it runs on every turn."""
        if self._optimize is None or self._optimize[0] is not optimize:
            self._optimize = optimize, incremental_optimize(optimize)
        return self._optimize[1]

    def incremental_runner(self, strategy: Strategy) -> IncrementalRunner | None:
        if strategy.incremental is None:
            return None
        if self._runner is None or self._runner[0] is not strategy.incremental:
            self._runner = strategy.incremental, IncrementalRunner(self._store, strategy.incremental)
        return self._runner[1]
