"""Is every strategy linear? Cost per message at 100,000 messages and at 10,000 against that at 1,000.

The small sides run over as many different histories as make 100,000 messages, so that all work on as
much memory and the processor's cache decides nothing. The reference needs 31 s for high-density and
55 s for top-down on 10,000 messages.
"""

import gc
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.strategies.base import Strategy, StrategyContext
from core.strategies.registry import STRATEGIES
from core.summarize.summarizer_choice import summariser_factory
from core.tokens.counter import counter_for
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message
from tests.benchmarks.loops import agent_loop
from tests.benchmarks.table import Claim
from tests.core.strategies.strategy_running import context

SIZES = (1_000, 10_000, 100_000)
LIMIT = 1.5
"""Most that a message may cost at the last size, as a multiple of its cost at the first at which the
strategy has as much to do."""
_SAME_TOKENS = 0.75
"""So much of the share of messages that a run changes at the last size it has to change at the first as well:
where a tail of so many tokens stays, that is all of a short history, or nearly half of it."""

_ROUNDS = 3
_CLEAR = 0.25
"""Share of the limit by which one round has to miss or meet it to be the only one."""


@dataclass(frozen=True, slots=True)
class Workload:
    history: tuple[Message, ...]
    context: StrategyContext


def _make_workload(size: int, seed: int) -> Workload:
    history = agent_loop(size, seed)
    counter = counter_for("")
    tokens = counter.messages(history)
    given = replace(
        context(history),
        estimate_tokens=counter.messages,
        current_token_count=tokens,
        limit=tokens,
        summariser=summariser_factory(None, counter.text),
    )
    return Workload(history, given)


def _cost(strategy: Strategy, workloads: Sequence[Workload]) -> float:
    """Microseconds of processor time per message over all histories, without the garbage collector."""
    gc.collect()
    gc.disable()
    start = time.process_time()
    for workload in workloads:
        strategy.compress(workload.context)
    spent = time.process_time() - start
    gc.enable()
    return spent / sum(len(workload.history) for workload in workloads) * 1e6


def measure(home: Path) -> Iterator[Claim]:
    """Every strategy at all sizes by turns; where one round says it clearly, it is not asked again."""
    sizes = [[_make_workload(size, size + number) for number in range(SIZES[-1] // size)] for size in SIZES]
    for strategy in STRATEGIES:
        # what is loaded on first use is not the strategy's cost, and to do nothing is no measure of it
        shares = [_changed(strategy.compress(workloads[0].context)) for workloads in sizes]
        enough = (place for place, share in enumerate(shares[:-1]) if share >= _SAME_TOKENS * shares[-1])
        base = next(enough, len(SIZES) - 2)
        rounds: list[list[float]] = []
        is_clear = False
        while len(rounds) < _ROUNDS and not is_clear:
            rounds.append([_cost(strategy, workloads) for workloads in sizes])
            is_clear = abs(rounds[0][-1] / rounds[0][base] - LIMIT) > _CLEAR * LIMIT
        yield _claim(strategy.name, rounds, base)


def _changed(result: Compaction) -> float:
    return sum(one.kind is not FateKind.KEPT for one in result.fates) / len(result.fates)


def _claim(name: str, rounds: Sequence[Sequence[float]], base: int) -> Claim:
    """Return the claim of a strategy; ``base`` is the first size at which it does something."""
    costs = [statistics.median(column) for column in zip(*rounds, strict=True)]
    costs_text = "; ".join(f"{size:,}: {cost:.1f} µs" for size, cost in zip(SIZES, costs, strict=True))
    ratio = statistics.median(one[-1] / one[base] for one in rounds)
    return Claim(f"{name}, a message of {SIZES[-1]:,}; of {SIZES[base]:,} = 1", costs_text, ratio, LIMIT)
