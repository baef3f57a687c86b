"""What strategies cache of a session's history between turns, so that a turn costs only what is new."""

from __future__ import annotations

from collections.abc import Callable

from core.engine.history_store import HistoryStore
from core.engine.incremental_strategy import IncrementalRunner
from core.strategies.base import Strategy, StrategyContext
from core.strategies.density.incremental_density import Optimize, incremental_optimize
from core.strategies.incremental import CompressorFactory
from core.transcript.compaction import Compaction


class StrategyCaches:
    """The caches of one session: one of each kind, for the strategy last used."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store
        self._optimize: tuple[Optimize, Optimize] | None = None
        self._compress: tuple[Strategy, Callable[[StrategyContext], Compaction]] | None = None
        self._runner: tuple[CompressorFactory, IncrementalRunner] | None = None

    def optimize(self, optimize: Optimize) -> Optimize:
        """Return the density step with its cache: it runs on every turn."""
        if self._optimize is None or self._optimize[0] is not optimize:
            self._optimize = optimize, incremental_optimize(optimize)
        return self._optimize[1]

    def compress(self, strategy: Strategy) -> Callable[[StrategyContext], Compaction]:
        if strategy.make_cached_compress is None:
            return strategy.compress
        if self._compress is None or self._compress[0] is not strategy:
            self._compress = strategy, strategy.make_cached_compress()
        return self._compress[1]

    def incremental_runner(self, strategy: Strategy) -> IncrementalRunner | None:
        if strategy.incremental is None:
            return None
        if self._runner is None or self._runner[0] is not strategy.incremental:
            self._runner = strategy.incremental, IncrementalRunner(self._store, strategy.incremental)
        return self._runner[1]
