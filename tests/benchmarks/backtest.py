"""What a backtest costs: beside one run of its strategy, and as sessions grow."""

import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from core.analysis.analysis_input import AnalysisInput
from core.preview.preview import compute_preview
from core.settings.schema import LIMIT, with_strategy
from core.trials.past import backtest
from tests.benchmarks.loops import agent_loop
from tests.benchmarks.table import Claim
from tests.core.strategies.strategy_running import values
from tests.support.builders import conversation

SIZE, RUNS = 10_000, 8
"""Messages of the session, and the runs of a strategy on all of it that five points may cost."""
SHORT, LONG, GROWTH = 1_000, 100_000, 1.5
_STRATEGIES = ("top-down-truncation", "high-density", "hybrid", "mask-observations")
_GROWING = "hybrid"
_ROUNDS = 3


def measure(home: Path) -> Iterator[Claim]:
    for name in _STRATEGIES:
        rounds = [
            (_run_seconds(name, seed), _backtest_seconds(name, SIZE, seed))
            for seed in range(_ROUNDS)
        ]
        run, points = (
            statistics.median(column) for column in zip(*rounds, strict=True)
        )
        ratio = statistics.median(b / a for a, b in rounds)
        measured = f"{points:.2f} s of {run:.2f} s"
        yield Claim(
            f"five points under {name}, {SIZE:,} messages; a run on all = 1",
            measured,
            ratio,
            RUNS,
        )
    short = sum(
        _backtest_seconds(_GROWING, SHORT, seed) for seed in range(LONG // SHORT)
    )
    long = _backtest_seconds(_GROWING, LONG, 0)
    measured = (
        f"{SHORT:,}: {short / LONG * 1e6:.0f} µs; {LONG:,}: {long / LONG * 1e6:.0f} µs"
    )
    yield Claim(
        f"backtest, a message of {LONG:,}; of {SHORT:,} = 1",
        measured,
        long / short,
        GROWTH,
    )


def _input(size: int, seed: int) -> AnalysisInput:
    """Return a session that nothing has counted yet."""
    return AnalysisInput(
        conversation=conversation(*agent_loop(size, seed)),
        values=values(**{LIMIT: 20 * size}),
    )


def _run_seconds(name: str, seed: int) -> float:
    source = _input(SIZE, seed + _ROUNDS)
    options = replace(source.options, checks=False)
    began = time.process_time()
    compute_preview(
        source.conversation, with_strategy(source.values, name), options, source.stages
    )
    return time.process_time() - began


def _backtest_seconds(name: str, size: int, seed: int) -> float:
    source = _input(size, seed)
    began = time.process_time()
    *_, found = backtest(source, name)
    assert found.share is not None, found
    return time.process_time() - began
