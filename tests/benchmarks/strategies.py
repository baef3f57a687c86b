"""All strategies on one session: rows of cards and Compare; excerpt beside the median
strategy."""

import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from core.analysis.analysis_input import AnalysisInput
from core.common.paths import SAMPLES
from core.formats.registry import load_conversation
from core.preview.preview import compute_preview
from core.settings.schema import LIMIT, Values, with_strategy
from core.settings_store.layers import SettingLayers
from core.strategies import names
from core.strategies.registry import STRATEGIES
from core.transcript.model import Conversation
from core.trials.by_strategy import compare_strategies, row_names
from tests.benchmarks.loops import agent_loop
from tests.benchmarks.start import SAMPLE
from tests.benchmarks.table import Claim
from tests.core.strategies.strategy_running import values
from tests.support.builders import conversation

LONG = 3_000
_ROUNDS = 3


def measure(home: Path) -> Iterator[Claim]:
    sample = load_conversation(SAMPLES / SAMPLE), SettingLayers().resolve()
    _row_seconds(*sample)  # what is loaded on first use is no cost of rows
    seconds = statistics.median(_row_seconds(*sample) for _ in range(_ROUNDS))
    name = (
        f"all rows of Compare and of the cards, {len(sample[0].messages)} messages, s"
    )
    yield Claim(name, f"{seconds:.2f} s", seconds, 3.0, is_absolute=True)
    long = conversation(*agent_loop(LONG)), values(**{LIMIT: 100 * LONG})
    for talk, chosen in (sample, long):
        rounds = [_run_seconds(talk, chosen) for _ in range(_ROUNDS)]
        seconds_of = {
            one.name: statistics.median(found[one.name] for found in rounds)
            for one in STRATEGIES
        }
        ours, median = seconds_of[names.EXCERPT], statistics.median(seconds_of.values())
        name = f"excerpt, {len(talk.messages):,} messages; the median strategy = 1"
        yield Claim(
            name, f"{ours * 1000:.0f} ms of {median * 1000:.0f} ms", ours / median, 2.5
        )


def _counted(talk: Conversation, chosen: Values) -> AnalysisInput:
    """Return a session that is counted and paired, as one that is open."""
    source = AnalysisInput(conversation=talk, values=chosen)
    compute_preview(talk, with_strategy(chosen, "none"), source.options, source.stages)
    return source


def _row_seconds(talk: Conversation, chosen: Values) -> float:
    source = _counted(talk, chosen)
    began = (
        time.process_time()
    )  # one process does it all: what it takes where nothing else runs
    list(compare_strategies(source, row_names(talk, ())))
    return time.process_time() - began


def _run_seconds(talk: Conversation, chosen: Values) -> dict[str, float]:
    """Return the processor seconds of a run of each strategy, with its summary."""
    source, spent = _counted(talk, chosen), {}
    for strategy in STRATEGIES:
        began = time.process_time()
        options = replace(source.options, checks=False)
        compute_preview(
            talk, with_strategy(chosen, strategy.name), options, source.stages
        )
        spent[strategy.name] = time.process_time() - began
    return spent
