"""What a replay costs as sessions grow."""

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from core.analysis.analysis_input import AnalysisInput
from core.analysis.replay import replay_tracks
from core.settings.schema import LIMIT
from core.transcript.model import Conversation
from tests.benchmarks.loops import agent_loop
from tests.benchmarks.table import Claim
from tests.core.strategies.strategy_running import values
from tests.support.builders import conversation

SHORT, LONG = 1_000, 10_000
GROWTH, SECONDS = 2.5, 10.0
_STRATEGIES = ("middle-out", "high-density")
_WINDOW = (
    20_000  # tokens: a session of a thousand messages compacts again and again, too
)
_ROUNDS = 5


def measure(home: Path) -> Iterator[Claim]:
    for name in _STRATEGIES:
        short = [
            conversation(*agent_loop(SHORT, seed), model="gpt-4o")
            for seed in range(LONG // SHORT)
        ]
        long = [conversation(*agent_loop(LONG), model="gpt-4o")]
        _seconds(
            name, short[:1]
        )  # what is loaded on first use is not the cost of turns
        rounds = [(_seconds(name, short), _seconds(name, long)) for _ in range(_ROUNDS)]
        low, high = (statistics.median(column) for column in zip(*rounds, strict=True))
        ratio = statistics.median(b / a for a, b in rounds)
        told = f"{high / LONG * 1e6:.0f} µs of {low / LONG * 1e6:.0f} µs"
        yield Claim(
            f"replay under {name}, a turn of {LONG:,}; of {SHORT:,} = 1",
            told,
            ratio,
            GROWTH,
        )
        told_high = f"{high:.1f} s"
        yield Claim(
            f"replay under {name}, {LONG:,} messages, s",
            told_high,
            high,
            SECONDS,
            is_absolute=True,
        )


def _seconds(name: str, talks: list[Conversation]) -> float:
    began = time.process_time()
    for talk in talks:
        list(
            replay_tracks(
                AnalysisInput(conversation=talk, values=values(**{LIMIT: _WINDOW})),
                (name,),
            )
        )
    return time.process_time() - began
