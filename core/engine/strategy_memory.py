"""What strategies know of a session's history from turn to turn, so that a turn costs what is new."""

from __future__ import annotations

from collections.abc import Callable

from core.engine.history_store import HistoryStore
from core.engine.incremental_strategy import IncrementalRunner
from core.strategies.base import Strategy, StrategyContext
from core.strategies.density.incremental_density import Optimize, incremental_optimize
from core.strategies.incremental import CompressorFactory
from core.transcript.compaction import Compaction


class StrategyCaches:
    """The memories of one session; of each kind that of the strategy that was asked for last."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store
        self._step: tuple[Optimize, Optimize] | None = None
        self._memory: tuple[Strategy, Callable[[StrategyContext], Compaction]] | None = None
        self._following: tuple[CompressorFactory, IncrementalRunner] | None = None

    def optimize(self, optimize: Optimize) -> Optimize:
        """A density step with a memory: it runs on every turn."""
        if self._step is None or self._step[0] is not optimize:
            self._step = optimize, incremental_optimize(optimize)
        return self._step[1]

    def compress(self, strategy: Strategy) -> Callable[[StrategyContext], Compaction]:
        """What compresses under a strategy, with a memory where it has one."""
        if strategy.remembering is None:
            return strategy.compress
        if self._memory is None or self._memory[0] is not strategy:
            self._memory = strategy, strategy.remembering()
        return self._memory[1]

    def following(self, strategy: Strategy) -> IncrementalRunner | None:
        """What follows a strategy in safe mode; None for one that cannot be followed."""
        if strategy.follow is None:
            return None
        if self._following is None or self._following[0] is not strategy.follow:
            self._following = strategy.follow, IncrementalRunner(self._store, strategy.follow)
        return self._following[1]
