"""What a session remembers between turns: the last run, and what strategies keep of its history."""

from __future__ import annotations

from dataclasses import dataclass

from core.engine.history_store import HistoryStore
from core.engine.incremental_strategy import IncrementalRunner
from core.settings.schema import Values
from core.strategies.base import Strategy
from core.strategies.density.incremental_density import Optimize, incremental_optimize
from core.strategies.incremental import CompressorFactory
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
