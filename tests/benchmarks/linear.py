"""Is every stage linear? Cost per message at 100,000 messages against that at 1,000.

The small side runs over 100 different histories, so that both sides work on as much memory and
the processor's cache decides nothing. The reference needs 31 s for high-density and 55 s for
top-down on 10,000 messages.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.conversation import Message
from core.density.optimize import apply_density, optimize
from core.pairs import find_pairs
from core.strategies.base import Context
from core.strategies.registry import STRATEGIES
from core.summarize.choose import offline_or
from core.tokens import Counter, counter_for
from tests.benchmarks.claims import Claim
from tests.benchmarks.loops import agent_loop
from tests.core.running import context, density_config

SMALL, LARGE = 1_000, 100_000
LIMIT = 1.5
"""Most that a message may cost at LARGE, as a multiple of its cost at SMALL."""

_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class _Bench:
    history: tuple[Message, ...]
    counter: Counter
    given: Context


def _bench(size: int, seed: int) -> _Bench:
    history = agent_loop(size, seed)
    counter = counter_for("")
    tokens = counter.messages(history)
    given = replace(
        context(history),
        estimate_tokens=counter.messages,
        current_token_count=tokens,
        limit=tokens,
        summariser=offline_or(None, counter.text),
    )
    return _Bench(history, counter, given)


def _apply_and_recount(bench: _Bench) -> object:
    result = optimize(bench.history, density_config())
    return bench.counter.messages(apply_density(bench.history, result))


def stages() -> dict[str, Callable[[_Bench], object]]:
    """What is measured, by name."""
    found: dict[str, Callable[[_Bench], object]] = {
        "pairs and boundaries": lambda bench: find_pairs(bench.history),
        "optimize": lambda bench: optimize(bench.history, density_config()),
        "optimize, apply, recount": _apply_and_recount,
    }
    for strategy in STRATEGIES:
        found[strategy.name] = _compress(strategy.compress)
    return found


def _compress(compress: Callable[[Context], object]) -> Callable[[_Bench], object]:
    return lambda bench: compress(bench.given)


def _cost(work: Callable[[_Bench], object], benches: Sequence[_Bench]) -> float:
    """Microseconds per message over all histories, without the garbage collector."""
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    for bench in benches:
        work(bench)
    spent = time.perf_counter() - start
    gc.enable()
    return spent / sum(len(bench.history) for bench in benches) * 1e6


def measure() -> Iterator[Claim]:
    """Every stage at both sizes by turns."""
    small = [_bench(SMALL, seed) for seed in range(LARGE // SMALL)]
    large = [_bench(LARGE, seed=LARGE)]
    for name, work in stages().items():
        work(small[0])  # what is loaded on first use is not the stage's cost
        pairs = [(_cost(work, small), _cost(work, large)) for _ in range(_ROUNDS)]
        low, high = (statistics.median(side) for side in zip(*pairs, strict=True))
        told = f"{high:.1f} µs, {SMALL:,}: {low:.1f} µs"
        ratio = statistics.median(b / a for a, b in pairs)
        yield Claim(f"{name}, a message of {LARGE:,}; of {SMALL:,} = 1", told, ratio, LIMIT)
