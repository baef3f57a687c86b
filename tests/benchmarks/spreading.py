"""Comparing a folder on all cores against one, and what a replay costs per message as sessions grow."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from core.analysis.replay import replayed
from core.compare_job import FileJob, FileLines, compare_file
from core.preview_values import Ask
from core.strategies.keys import LIMIT
from core.workers import Crew, cores
from tests.benchmarks.claims import Claim
from tests.benchmarks.loops import agent_loop
from tests.benchmarks.session_file import write_messages
from tests.builders import conversation
from tests.core.running import values

SPEED_UP = 0.75
"""Least speed-up of a comparison on all cores, for each of them."""
GROWTH = 1.5
"""Most that a message of a long session may cost in a replay, times one of a short session."""
SHORT, LONG = 1_000, 10_000
_FILES, _MESSAGES, _ROUNDS = 6, 4_000, 3
_NAMES = ("none", "middle-out", "top-down-truncation", "high-density")


def measure(home: Path) -> Iterator[Claim]:
    """All claims of this page."""
    yield _comparing(home)
    yield from _replaying()


def _comparing(home: Path) -> Claim:
    jobs = []
    for number in range(_FILES):
        path = home / f"part{number}.jsonl"
        write_messages(path, _MESSAGES, number)
        jobs.append(FileJob(str(path), path.name, _NAMES, values(), "all"))
    rounds = [(_compared(jobs, 1), _compared(jobs, cores())) for _ in range(_ROUNDS)]
    one, many = (statistics.median(column) for column in zip(*rounds, strict=True))
    name = f"comparing {_FILES} files of {_MESSAGES:,} messages on {cores()} cores, speed-up"
    return Claim(name, f"{many:.1f} s, one core {one:.1f} s", one / many, SPEED_UP * cores(), at_least=True)


def _compared(jobs: list[FileJob], size: int) -> float:
    began = time.perf_counter()
    with closing(Crew(compare_file, size).run(jobs)) as results:
        for _, result in results:
            assert isinstance(result, FileLines), result
            assert not result.problem, result.problem
    return time.perf_counter() - began


def _replaying() -> Iterator[Claim]:
    talks = [
        [conversation(*agent_loop(SHORT, seed), model="gpt-4o") for seed in range(LONG // SHORT)],
        [conversation(*agent_loop(LONG), model="gpt-4o")],
    ]
    for name in _NAMES[1:]:
        own = values(**{LIMIT: 40_000})
        rounds = []
        for _ in range(_ROUNDS):
            spent = []
            for some in talks:
                began = time.process_time()
                for talk in some:
                    replayed(talk, (name,), own, Ask())
                spent.append((time.process_time() - began) / LONG * 1e6)
            rounds.append(spent)
        short, long = (statistics.median(column) for column in zip(*rounds, strict=True))
        told = f"{long:.0f} µs, {SHORT:,}: {short:.0f} µs"
        ratio = statistics.median(two / one for one, two in rounds)
        yield Claim(f"replay under {name}, a message of {LONG:,}; of {SHORT:,} = 1", told, ratio, GROWTH)
