"""Are every strategy and the repair linear? Cost per message at 100,000 messages against that at 1,000.

The small sides run over as many different histories as make 100,000 messages, so that all work on
as much memory and the processor's cache decides nothing. The offline summary, most of the cost of
most strategies, is measured once by itself; a strategy costs its own time and a summary of the
messages that it asked for. The reference needs 31 s for high-density and 55 s for top-down on
10,000 messages.
"""

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.lint.repair import repair_messages
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.settings.profile import OFFLINE
from core.strategies.base import Strategy, StrategyContext
from core.strategies.registry import STRATEGIES
from core.summarize.offline_summariser import OfflineSummariser
from core.summarize.summary_request import TRIGGER
from core.tokens.counter import counter_for
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message
from tests.benchmarks.loops import agent_loop
from tests.benchmarks.table import Claim
from tests.core.strategies.strategy_running import context

SIZES = (1_000, 10_000, 100_000)
LIMIT = 1.5
"""Most that a message may cost at the last size, as a multiple of its cost at the first at which
the strategy has as much to do."""
_SAME_TOKENS = 0.75
"""So much of the share of messages that a run changes at the last size it has to change at the
first as well: where a tail of so many tokens stays, that is all of a short history, or nearly half
of it."""

_ROUNDS = 3
_CLEAR = 0.25
"""Share of the limit by which one round has to miss or meet it to be the only one."""


@dataclass(slots=True)
class _RequestCount:
    """A summariser that writes nothing, and counts the messages of its requests."""

    profile: str = OFFLINE
    model: str = ""
    messages: int = 0

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        self.messages += len(request.messages)
        return SummaryResponse(text="…", unwritten=True)


@dataclass(frozen=True, slots=True)
class Workload:
    history: tuple[Message, ...]
    context: StrategyContext
    requests: _RequestCount = field(default_factory=_RequestCount)


def _make_workload(size: int, seed: int) -> Workload:
    history, requests = agent_loop(size, seed), _RequestCount()
    counter = counter_for("")
    tokens = counter.messages(history)
    given = replace(
        context(history),
        estimate_tokens=counter.messages,
        current_token_count=tokens,
        limit=tokens,
        summariser=lambda _: requests,
    )
    return Workload(history, given, requests)


@dataclass(frozen=True, slots=True)
class _Cost:
    """Microseconds of processor time per message over all histories, and the share of messages that
    a compaction of the last one changed."""

    per_message: float
    changed: float = 1.0


def _timed(work: Callable[[Workload], float], workloads: Sequence[Workload]) -> _Cost:
    """Measure work without the garbage collector."""
    gc.collect()
    gc.disable()
    start = time.process_time()
    changed = [work(workload) for workload in workloads]
    spent = time.process_time() - start
    gc.enable()
    return _Cost(
        spent / sum(len(workload.history) for workload in workloads) * 1e6, changed[-1]
    )


def _summarise(workload: Workload) -> float:
    history = workload.history
    request = SummaryRequest(
        prompt=workload.context.prompt,
        messages=history,
        indices=tuple(range(len(history))),
        trigger=TRIGGER,
        max_tokens=4_000,
    )
    OfflineSummariser(counter_for("").text).summarise(request)
    return 1.0


def _repair(workload: Workload) -> float:
    repair_messages(workload.history, "anthropic")
    return 1.0


def _cost(strategy: Strategy, workloads: Sequence[Workload], summary: float) -> _Cost:
    """Return the cost of a strategy and of the summaries it asks for; ``summary`` is that of one
    message."""
    for workload in workloads:
        workload.requests.messages = 0
    own = _timed(
        lambda workload: _changed(strategy.compress(workload.context)), workloads
    )
    asked = sum(workload.requests.messages for workload in workloads)
    count = sum(len(workload.history) for workload in workloads)
    return replace(own, per_message=own.per_message + asked / count * summary)


def measure(home: Path) -> Iterator[Claim]:
    """Every strategy at two sizes by turns; where one round says it clearly, it is not asked again.
    Where a strategy changes less of a short history, it is compared with its cost at 10,000."""
    sizes = [
        [_make_workload(size, size + number) for number in range(SIZES[-1] // size)]
        for size in SIZES
    ]
    _summarise(sizes[0][0])  # what is loaded on first use is not the cost of messages
    summaries = [_timed(_summarise, workloads).per_message for workloads in sizes]
    yield _claim("offline summary", [summaries[::2]], 0)
    _repair(sizes[0][0])
    repairs = [_timed(_repair, workloads).per_message for workloads in sizes[::2]]
    yield _claim("repair", [repairs], 0)
    for strategy in STRATEGIES:
        _cost(strategy, sizes[0][:1], 0)
        base, rounds = 0, list[list[float]]()
        while len(rounds) < _ROUNDS and not _is_clear(rounds):
            last = _cost(strategy, sizes[-1], summaries[-1])
            first = _cost(strategy, sizes[base], summaries[base])
            if (
                not base and first.changed < _SAME_TOKENS * last.changed
            ):  # to do nothing is no measure
                base = 1
                first = _cost(strategy, sizes[base], summaries[base])
            rounds.append([first.per_message, last.per_message])
        yield _claim(strategy.name, rounds, base)


def _is_clear(rounds: Sequence[Sequence[float]]) -> bool:
    return bool(rounds) and abs(rounds[0][-1] / rounds[0][0] - LIMIT) > _CLEAR * LIMIT


def _changed(result: Compaction) -> float:
    return sum(one.kind is not FateKind.KEPT for one in result.fates) / len(
        result.fates
    )


def _claim(name: str, rounds: Sequence[Sequence[float]], base: int) -> Claim:
    """Return the claim of a strategy; ``base`` is the first size at which it does something."""
    sizes = (SIZES[base], SIZES[-1])
    costs = [statistics.median(column) for column in zip(*rounds, strict=True)]
    costs_text = "; ".join(
        f"{size:,}: {cost:.1f} µs" for size, cost in zip(sizes, costs, strict=True)
    )
    ratio = statistics.median(one[-1] / one[0] for one in rounds)
    return Claim(
        f"{name}, a message of {sizes[1]:,}; of {sizes[0]:,} = 1",
        costs_text,
        ratio,
        LIMIT,
    )
