"""An incremental strategy gives the same results from turn to turn as fresh runs over the whole
history."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.analysis.analysis_input import AnalysisInput
from core.analysis.replay import replay_tracks
from core.engine.passes import IncrementalRunResult, SessionEnvironment
from core.engine.session import AgentSession
from core.facts.file_accesses import FileAccess, file_accesses
from core.settings.schema import Mode
from core.strategies.base import CheckPoint, DensitySettings, Strategy
from core.strategies.density import read_write_pruning
from core.strategies.density.optimize import (
    IncrementalDensity,
    apply_density,
    optimize_history,
)
from core.strategies.presets.clear_tool_results import ClearToolResults
from core.strategies.presets.engine import preset_strategy
from core.strategies.presets.keep_typed import DropOldestWork
from core.strategies.presets.preset import PresetPass
from core.strategies.presets.split import ToolClass
from core.strategies.registry import STRATEGIES
from core.transcript.model import Message, ToolCall, tool_calls
from core.transcript.pins import MessagePin, PinKind
from tests.benchmarks.loops import agent_loop
from tests.core.engine.engine_running import SessionRecorder
from tests.core.histories import histories
from tests.core.strategies.strategy_running import density_settings, values
from tests.core.strategies.test_preset_passes import of
from tests.support.builders import conversation

RULES: dict[str, PresetPass] = {
    "the newest stay": ClearToolResults(placeholder="[gone]", keep=2),
    "tokens stay, and a minimum": ClearToolResults(
        placeholder="[gone {number}]\n{preview}", keep_tokens=12, minimum=9, head=3
    ),
    "turns stay": ClearToolResults(
        placeholder="[gone]", keep_turns=2, keep_last_turn=True, except_tools=("Read",)
    ),
    "some tools only": ClearToolResults(
        placeholder="[{lines}]",
        keep=1,
        classes=(ToolClass.SHELL,),
        stop_at_summary=True,
    ),
    "the inputs go, too": ClearToolResults(
        placeholder="[gone]", keep=1, clear_inputs=True
    ),
    "what is typed stays": DropOldestWork(0.03, keep_texts=1),
    "the newest texts stay, too": DropOldestWork(0.1, keep_texts=3),
}
FOLLOWED = [one.name for one in STRATEGIES if one.incremental is not None]

Meddle = Callable[[AgentSession], object]
MEDDLES: tuple[Meddle, ...] = (
    lambda session: session.compress(),
    lambda session: session.store.recount(),
    lambda session: session.store.clear(),
)
"""Changes of a session by others between its turns."""
MEDDLING = st.dictionaries(st.integers(0, 30), st.sampled_from(MEDDLES), max_size=3)


def pins_of(history: Sequence[Message]) -> dict[int, MessagePin]:
    kinds = {0: PinKind.KEEP, 3: PinKind.DROP}
    return {
        place: MessagePin(kinds[place % 7])
        for place in range(len(history))
        if place % 7 in kinds
    }


def under(strategy: Strategy) -> Callable[[SessionEnvironment], SessionEnvironment]:
    return lambda base: replace(
        base, strategy_lookup=lambda name: strategy, pins=pins_of
    )


def same_on_every_turn(
    strategy: Strategy, messages: Sequence[Message], meddling: Mapping[int, Meddle]
) -> None:
    """Assert that both ways agree. ``meddling`` runs after the message of that number."""
    plain = replace(strategy, incremental=None)
    fresh, followed = (
        SessionRecorder(wrap_environment=under(one)) for one in (plain, strategy)
    )
    for number, message in enumerate(messages):
        for session in (fresh.session, followed.session):
            session.add(message)
            if (meddle := meddling.get(number)) is not None:
                meddle(session)
        for point in CheckPoint:
            result, now = (
                fresh.session.check(point),
                followed.session.check_incrementally(point),
            )
            assert (result and (result.no_op,)) == (now and (now.no_op,))
            assert followed.raw == fresh.raw
            assert followed.session.used == fresh.session.used
    assert followed.events == fresh.events


@given(st.sampled_from(sorted(RULES)), histories(), MEDDLING)
def test_every_rule_of_clearing_over_histories_of_all_kinds(
    rule: str, messages: tuple[Message, ...], meddling: dict[int, Meddle]
) -> None:
    same_on_every_turn(preset_strategy(of(RULES[rule])), messages, meddling)


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_replay_has_the_same_figures(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = conversation(*agent_loop(400), model="gpt-4o")
    quick = list(
        replay_tracks(
            AnalysisInput(conversation=talk, values=values(context_limit=20_000)),
            (name,),
        )
    )

    def plain(session: AgentSession, point: CheckPoint) -> IncrementalRunResult | None:
        result = session.check(point)
        return (
            None if result is None else IncrementalRunResult(result.no_op, result.calls)
        )

    monkeypatch.setattr(AgentSession, "check_incrementally", plain)
    assert (
        list(
            replay_tracks(
                AnalysisInput(conversation=talk, values=values(context_limit=20_000)),
                (name,),
            )
        )
        == quick
    )


STEADY = density_settings(recency_pruning=False)


def _config(flags: tuple[bool, bool, bool], mode: Mode) -> DensitySettings:
    reads, files, results = flags
    return density_settings(
        mode, read_write_pruning=reads, file_dedupe=files, recency_pruning=results
    )


def played(
    parts: Sequence[Sequence[Message]], *configs: DensitySettings
) -> tuple[Message, ...]:
    """Return the history after a density step behind each part, under the configurations in
    turn."""
    step, history = IncrementalDensity(), tuple[Message, ...]()
    for place, part in enumerate(parts):
        history += tuple(part)
        config = configs[place % len(configs)]
        result = step(history, config)
        assert result == optimize_history(history, config)
        history = apply_density(history, result)
    return history


@given(histories(), st.lists(st.integers(1, 5), min_size=1), st.booleans())
def test_it_follows_a_growing_history(
    messages: tuple[Message, ...], sizes: list[int], results: bool
) -> None:
    parts: list[Sequence[Message]] = []
    start = 0
    while start < len(messages):
        size = sizes[len(parts) % len(sizes)]
        parts.append(messages[start : start + size])
        start += size
    played(parts, density_settings(recency_pruning=results))


@given(
    histories(),
    st.lists(
        st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=6
    ),
    st.sampled_from(Mode),
)
def test_switches_may_be_thrown_between_the_turns(
    messages: tuple[Message, ...], switches: list[tuple[bool, bool, bool]], mode: Mode
) -> None:
    step = IncrementalDensity()
    for flags in switches:  # a result that is not applied changes nothing
        assert step(messages, _config(flags, mode)) == optimize_history(
            messages, _config(flags, mode)
        )
    parts = [messages[place : place + 2] for place in range(0, len(messages), 2)]
    played(parts, *(_config(flags, mode) for flags in switches))


def test_a_turn_costs_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[ToolCall] = []

    def counting(
        given: ToolCall, root: str, *, shell_moved: bool
    ) -> tuple[FileAccess, ...]:
        seen.append(given)
        return file_accesses(given, root, shell_moved=shell_moved)

    monkeypatch.setattr(read_write_pruning, "file_accesses", counting)
    loop = agent_loop(200)
    step, history = IncrementalDensity(), tuple[Message, ...]()
    for message in loop:
        history = (*history, message)
        step(history, STEADY)
    assert seen == [result for message in loop for result in tool_calls(message)]
