"""The cached density step gives the same results on every turn as the uncached one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.facts.file_accesses import FileAccess, file_accesses
from core.settings.schema import Mode
from core.strategies.base import DensityConfig
from core.strategies.density import read_write_pruning
from core.strategies.density.optimize import (
    IncrementalDensity,
    apply_density,
    optimize_history,
)
from core.transcript.model import Message, ToolCall, tool_calls
from tests.benchmarks.loops import agent_loop
from tests.builders import ai, call, exchange, response, tool
from tests.core.histories import histories
from tests.core.strategies.strategy_running import density_config

STEADY = density_config(recency_pruning=False)
WRITE = exchange("w", "write_file", "done", file_path="a.py", content="new")


def _config(flags: tuple[bool, bool, bool], mode: Mode) -> DensityConfig:
    reads, files, results = flags
    return density_config(mode, read_write_pruning=reads, file_dedupe=files, recency_pruning=results)


def played(parts: Sequence[Sequence[Message]], *configs: DensityConfig) -> tuple[Message, ...]:
    """Return the history after a density step behind each part, under the configurations in turn."""
    step, history = IncrementalDensity(), tuple[Message, ...]()
    for place, part in enumerate(parts):
        history += tuple(part)
        config = configs[place % len(configs)]
        result = step(history, config)
        assert result == optimize_history(history, config)
        history = apply_density(history, result)
    return history


@given(histories(), st.lists(st.integers(1, 5), min_size=1), st.booleans())
def test_it_follows_a_growing_history(messages: tuple[Message, ...], sizes: list[int], results: bool) -> None:
    parts: list[Sequence[Message]] = []
    start = 0
    while start < len(messages):
        size = sizes[len(parts) % len(sizes)]
        parts.append(messages[start : start + size])
        start += size
    played(parts, density_config(recency_pruning=results))


@given(
    histories(),
    st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=6),
    st.sampled_from(Mode),
)
def test_switches_may_be_thrown_between_the_turns(
    messages: tuple[Message, ...], switches: list[tuple[bool, bool, bool]], mode: Mode
) -> None:
    step = IncrementalDensity()
    for flags in switches:  # a result that is not applied changes nothing
        assert step(messages, _config(flags, mode)) == optimize_history(messages, _config(flags, mode))
    parts = [messages[place : place + 2] for place in range(0, len(messages), 2)]
    played(parts, *(_config(flags, mode) for flags in switches))


@given(histories(), histories())
def test_another_history_begins_anew(one: tuple[Message, ...], other: tuple[Message, ...]) -> None:
    step = IncrementalDensity()
    for history in (one, other, other[1:], one):
        assert step(history, STEADY) == optimize_history(history, STEADY)


TWO_READS = ai("", call("Read", "r", file_path="a.py"), call("Read", "s", file_path="b.py"))
TWO_ANSWERS = tool(response("r", "Read", "one"), response("s", "Read", "two"))
OTHER_WRITE = exchange("v", "write_file", "done", file_path="b.py", content="new")
READ = exchange("r", "Read", "text", file_path="a.py")
MOVING = exchange("r", "Bash", "text", command="cd /tmp && cat /repo/a.py")
SHOWING = exchange("s", "Bash", "text", command="cat a.py")
CASES: dict[str, tuple[list[Sequence[Message]], int]] = {
    "a message loses one read after the other": ([[TWO_READS], [TWO_ANSWERS], WRITE, OTHER_WRITE], 4),
    "an id comes again": ([READ, WRITE, READ, WRITE], 4),
    "the read that goes moved the shell": ([MOVING, WRITE, SHOWING, WRITE], 4),
}


def test_a_turn_costs_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[ToolCall] = []

    def counting(given: ToolCall, root: str, *, shell_moved: bool) -> tuple[FileAccess, ...]:
        seen.append(given)
        return file_accesses(given, root, shell_moved=shell_moved)

    monkeypatch.setattr(read_write_pruning, "file_accesses", counting)
    loop = agent_loop(200)
    step, history = IncrementalDensity(), tuple[Message, ...]()
    for message in loop:
        history = (*history, message)
        step(history, STEADY)
    assert seen == [result for message in loop for result in tool_calls(message)]
