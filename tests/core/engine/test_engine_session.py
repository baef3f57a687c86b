"""The session loop in safe mode: density, trigger, compression, emergency, errors, events."""

import doctest
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from core.common.errors import CompactionFailed, InputError, StrategyError
from core.engine import session as module
from core.engine.history_store import (
    CompactionStatus,
    CompressionCause,
    CompressionEnded,
    CompressionStarted,
    ContextWarning,
    DensityApplied,
    DensityStarted,
    ProviderUsage,
    SummaryRequested,
)
from core.engine.session import AgentSession
from core.llm.protocol import ToolModel
from core.settings.schema import Mode
from core.strategies import hybrid, middle_out, tiered
from core.strategies.base import CheckPoint, StrategyContext, Trigger, TriggerMode
from core.strategies.registry import find_strategy
from core.transcript.compaction import Compaction, NoOpCode
from core.transcript.model import Message, ToolCall
from tests.core.engine.engine_running import SessionRecorder, with_strategy
from tests.core.strategies.tiered_running import LINES, SEVEN
from tests.core.strategies.tool_histories import ScriptedToolModel
from tests.support.builders import ai, exchange, human, response, talk, tool
from tests.support.narrowing import known

MIDDLE_OUT, TOP_DOWN, HIGH_DENSITY = "middle-out", "top-down-truncation", "high-density"
LONG = talk(40, "word " * 20)  # about 1,600 tokens
SHORT = talk(4)
STALE = (
    *exchange("r", "read_file", "old text " * 300, file_path="/w/a.py"),
    *exchange("w", "write_file", "ok", file_path="/w/a.py"),
)


def test_an_agent_needs_ten_lines() -> None:
    found = doctest.testmod(module)
    assert (found.failed, found.attempted) == (0, 10)


@pytest.mark.req("REQ-CS-006.1", "REQ-CS-006.2")
def test_at_the_threshold_the_strategy_of_the_setting_does_the_work() -> None:
    loop = SessionRecorder(LONG, compression__strategy=TOP_DOWN)
    run = known(loop.session.before_send())
    assert run.metadata.strategy_used == TOP_DOWN
    assert loop.raw == run.messages
    assert len(loop.raw) < len(LONG)


def test_pending_tokens_count_and_negative_ones_do_not() -> None:
    loop = SessionRecorder(
        SHORT, compression__strategy=TOP_DOWN, compression_threshold=1.0
    )
    assert loop.session.before_send(-(10**6)) is None
    rest = 1000 - loop.session.used
    assert loop.session.before_send(rest - 1) is None
    assert loop.session.before_send(rest) is not None


@pytest.mark.req("REQ-CS-006.4")
def test_the_history_is_replaced_under_the_lock() -> None:
    loop = SessionRecorder(LONG)
    seen: list[tuple[bool, tuple[Message, ...]]] = []
    store = loop.session.store
    store.observe(lambda change: seen.append((store.compacting, store.raw)))
    run = known(loop.session.before_send())
    assert all(
        one == (True, run.messages) for one in seen
    )  # nobody ever sees it empty or half full
    assert not store.compacting


@pytest.mark.req("REQ-HD-002.1", "REQ-HD-002.4")
def test_density_comes_first_and_can_make_compression_needless() -> None:
    loop = SessionRecorder(
        (human("go"), *STALE, human("on")),
        limit=500,
        compression__strategy=HIGH_DENSITY,
    )
    assert loop.session.used > 500
    assert loop.session.before_send() is None
    applied = loop.events_of(DensityApplied)[0]
    assert applied.after == loop.session.store.total < 100 < applied.before
    assert loop.events_of(CompressionStarted) == []


@pytest.mark.req("REQ-HD-002.3", "REQ-HD-002.6", "REQ-HD-002.7")
def test_density_runs_again_only_after_something_was_added() -> None:
    loop = SessionRecorder(SHORT, compression__strategy=HIGH_DENSITY)
    for expected in (1, 1):
        loop.session.before_send()
        assert len(loop.events_of(DensityStarted)) == expected
    loop.session.add(human("more"))
    loop.session.before_send()
    assert len(loop.events_of(DensityStarted)) == 2


@pytest.mark.req("REQ-HD-002.6")
@pytest.mark.parametrize("mode", Mode)
def test_a_rebuilt_history_is_not_an_addition(mode: Mode) -> None:
    loop = SessionRecorder(LONG, mode, compression__strategy=HIGH_DENSITY)
    assert loop.session.before_send() is not None
    assert not loop.session.dirty


@pytest.mark.req("REQ-HD-002.5")
def test_an_empty_density_result_is_not_applied() -> None:
    loop = SessionRecorder(SHORT, compression__strategy=HIGH_DENSITY)
    told: list[object] = []
    loop.session.store.observe(told.append)
    loop.session.before_send()
    assert (told, loop.events_of(DensityApplied)) == ([], [])


@pytest.mark.req("REQ-HD-002.10")
def test_nobody_adds_between_looking_and_pruning() -> None:
    loop = SessionRecorder(STALE, compression__strategy=HIGH_DENSITY)
    with (
        loop.session.store.locked()
    ):  # what a density step does; another thread would wait here
        loop.session.before_send()
    assert len(loop.raw) == 2


def _break(context: StrategyContext) -> Compaction:
    raise CompactionFailed("The model is away.")


@pytest.mark.req("REQ-CS-006.3", "REQ-HD-013.4")
@pytest.mark.parametrize("mode", Mode)
def test_an_error_of_compress_reaches_the_caller_and_the_history_is_whole(
    mode: Mode,
) -> None:
    loop = SessionRecorder(
        LONG, mode, wrap_environment=with_strategy(MIDDLE_OUT, compress=_break)
    )
    with pytest.raises(CompactionFailed, match="away"):
        loop.session.before_send()
    assert loop.raw == LONG
    assert not loop.session.store.compacting
    assert loop.events_of(CompressionEnded) == [
        CompressionEnded(MIDDLE_OUT, failed=True)
    ]
    assert loop.events_of(CompactionStatus) == []


@pytest.mark.req("REQ-CS-006A.3")
def test_a_missing_prompt_reaches_the_caller() -> None:
    def missing(name: str) -> str:
        raise InputError("The prompt file is missing.")

    loop = SessionRecorder(
        LONG, wrap_environment=lambda base: replace(base, prompt=missing)
    )
    with pytest.raises(InputError, match="prompt file"):
        loop.session.before_send()
    assert loop.raw == LONG


@pytest.mark.req("REQ-HD-011.2", "REQ-HD-012.1")
def test_open_todos_and_the_path_of_the_transcript_reach_the_request() -> None:
    history = (
        *LONG,
        *exchange("t", "todo_write", "ok", todos=[{"content": "Ship it"}]),
        human("go"),
    )
    loop = SessionRecorder(
        history, wrap_environment=lambda base: replace(base, transcript="/tmp/t.jsonl")
    )
    loop.session.compress()
    request = loop.summariser.requests[0]
    assert (request.todos, request.transcript) == (
        "- [pending] Ship it",
        "/tmp/t.jsonl",
    )


@pytest.mark.req("REQ-HD-002.8")
def test_the_emergency_path_prunes_before_it_compresses() -> None:
    loop = SessionRecorder(
        (human("go"), *STALE, human("on")),
        limit=700,
        compression__strategy=HIGH_DENSITY,
    )
    assert loop.session.enforce(output_budget=300) is None
    assert len(loop.events_of(DensityApplied)) == 1
    assert loop.events_of(CompressionStarted) == []


def test_the_emergency_path_compresses_or_says_what_is_too_much() -> None:
    loop = SessionRecorder(LONG, compression__strategy=TOP_DOWN)
    assert loop.session.enforce(output_budget=200) is not None
    assert loop.events_of(CompactionStatus)[0].cause is CompressionCause.EMERGENCY
    with pytest.raises(StrategyError, match="2,000 pending") as caught:
        loop.session.enforce(2000, 200)
    assert caught.value.code == "CONTEXT_OVERFLOW"


POINTS: dict[CheckPoint, Callable[[AgentSession], Compaction | None]] = {
    CheckPoint.BEFORE_SEND: AgentSession.before_send,
    CheckPoint.AFTER_TOOLS: AgentSession.after_tools,
    CheckPoint.AFTER_USER: AgentSession.after_user,
}
READS = (
    human("Fix it."),
    *(m for n in range(8) for m in exchange(f"r{n}", "Read", LINES)),
    *talk(14),
)


def size(messages: tuple[Message, ...]) -> int:
    """Tokens of messages, as the loop counts them."""
    return SessionRecorder(messages).session.used


@pytest.mark.req("ION-47", "ION-48", "LH-59")
@pytest.mark.parametrize("point", CheckPoint)
@pytest.mark.parametrize("name", [middle_out.NAME, tiered.NAME, hybrid.NAME])
def test_each_strategy_acts_at_its_own_point(name: str, point: CheckPoint) -> None:
    loop = SessionRecorder(
        READS,
        limit=size(READS) * 5 // 4,
        compression__strategy=name,
        compaction__target=0.3,
    )
    loop.summariser.text = SEVEN
    if name != tiered.NAME:
        loop.session.environment = replace(loop.session.environment, limit=size(READS))
    declared = loop.session.environment.strategy_lookup(name).trigger.check
    run = POINTS[point](loop.session)
    assert (run is not None) is (point is declared)
    assert bool(loop.events_of(CompactionStatus)) is (point is declared)


@pytest.mark.req("ION-48", "ION-49")
def test_tiered_is_due_at_its_share_of_the_limit_without_the_reserve() -> None:
    due = size(READS)
    reserve: dict[str, Any] = {
        "compression__strategy": tiered.NAME,
        "compaction__output_reserve": 500,
    }
    below, at = -(-(due + 1) * 10 // 8), due * 10 // 8
    early = SessionRecorder(READS, limit=500 + below, **reserve)
    late = SessionRecorder(READS, limit=500 + at, **reserve)
    assert early.session.after_tools() is None
    assert late.session.after_tools() is not None


@pytest.mark.req("ION-50", "ION-51")
@pytest.mark.parametrize(("room", "warned"), [(1000, True), (1020, False)])
def test_the_warning_is_a_share_of_the_same_room(room: int, warned: bool) -> None:
    limit = 500 + size(READS) * room // 700
    settings: dict[str, Any] = {
        "compression__strategy": tiered.NAME,
        "compaction__output_reserve": 500,
    }
    loop = SessionRecorder(READS, limit=limit, **settings)
    assert loop.session.after_tools() is None
    assert loop.events_of(ContextWarning) == (
        [ContextWarning(size(READS), limit)] if warned else []
    )


@pytest.mark.req("ION-57")
@pytest.mark.parametrize("name", [tiered.NAME, hybrid.NAME])
def test_without_auto_the_engine_warns_and_compacts_nothing(name: str) -> None:
    settings: dict[str, Any] = {
        "compaction__output_reserve": 0,
        "compaction__auto": False,
    }
    loop = SessionRecorder(READS, compression__strategy=name, **settings)
    for check in POINTS.values():
        assert check(loop.session) is None
    assert len(loop.events_of(ContextWarning)) == 1
    assert loop.raw == READS


@pytest.mark.req("ION-47", "ION-45", "LH-61", "LH-62", "LH-67")
@pytest.mark.parametrize(
    ("name", "point"), [(tiered.NAME, "after_tools"), (hybrid.NAME, "after_user")]
)
def test_a_run_replaces_the_history_and_is_told(name: str, point: str) -> None:
    settings: dict[str, Any] = {
        "compaction__output_reserve": 0,
        "compaction__target": 0.2,
    }
    loop = SessionRecorder(READS, compression__strategy=name, **settings)
    loop.summariser.text = SEVEN
    before = loop.session.store.total
    run = getattr(loop.session, point)()
    assert loop.raw == run.messages != READS
    total = loop.session.store.total
    assert total == loop.session.store.estimate(loop.raw) < before
    assert loop.events_of(CompactionStatus) == [
        CompactionStatus(before, total, CompressionCause.THRESHOLD)
    ]
    asked = len(loop.summariser.requests)
    assert asked
    assert loop.events_of(SummaryRequested) == [SummaryRequested("pen", "ink")] * asked
    assert loop.events_of(ProviderUsage) == [ProviderUsage("pen", "ink", 7, 3)] * asked


@pytest.mark.req("ION-63")
@pytest.mark.parametrize(
    "messages", [READS, talk(40)], ids=["tier 2 stays", "nothing is left to take"]
)
def test_a_summary_that_fails_is_asked_for_again_once_the_history_has_grown_by_a_tenth(
    messages: tuple[Message, ...],
) -> None:
    """Fix EN-03, where the call may cost money each time."""
    settings: dict[str, Any] = {
        "compaction__output_reserve": 0,
        "compaction__target": 0.01,
    }
    loop = SessionRecorder(
        messages, limit=500, compression__strategy=tiered.NAME, **settings
    )
    loop.summariser.text = "no sections at all"
    runs = [loop.session.after_tools() for _ in range(3)]
    assert len(loop.summariser.requests) == 1
    assert runs[0] is not None
    assert runs[0].no_op is None or runs[0].no_op.code is NoOpCode.SUMMARY_FAILED
    assert runs[1:] == [None, None]
    loop.session.add(human("go on"))
    loop.session.after_tools()
    assert len(loop.summariser.requests) == 1
    for message in talk(20):
        loop.session.add(message)
    loop.session.after_tools()
    assert len(loop.summariser.requests) == 2


# Triggers of a strategy's own

OWN: dict[str, tuple[dict[str, Any], tuple[Message, ...], tuple[Message, ...]]] = {
    "tokens": ({"tokens": 300}, talk(6), talk(40)),
    "messages": ({"messages": 20}, talk(20), talk(21)),
    "every turn": ({"mode": TriggerMode.ALWAYS}, (), talk(6)),
}


@pytest.mark.parametrize("kind", OWN)
@pytest.mark.parametrize("limit", [None, 100_000])
@pytest.mark.parametrize("mode", Mode)
def test_a_trigger_of_its_own_holds_whatever_the_limit_is(
    kind: str, limit: int | None, mode: Mode
) -> None:
    fields, below, above = OWN[kind]
    loops = [_own(messages, mode, limit, **fields) for messages in (below, above)]
    assert [len(loop.events_of(CompressionStarted)) for loop in loops] == [
        0 if below else 1,
        1,
    ]


def _own(
    history: tuple[Message, ...], by: Mode, limit: int | None, **fields: Any
) -> SessionRecorder:
    known: dict[str, Any] = {
        "mode": TriggerMode.THRESHOLD,
        "threshold": 1.0,
        "is_fixed": True,
        **fields,
    }
    trigger = Trigger(**known)
    around = with_strategy("top-down-truncation", trigger=trigger)
    loop = SessionRecorder(
        history,
        by,
        limit=limit,
        wrap_environment=around,
        compression__strategy="top-down-truncation",
    )
    with suppress(
        InputError
    ):  # without a limit the strategy cannot run; that it was due is what counts
        loop.session.before_send()
    return loop


# What a strategy is given


def test_every_prompt_of_a_strategy_is_there_by_name() -> None:
    seen: list[StrategyContext] = []

    def look(context: StrategyContext) -> Compaction:
        seen.append(context)
        return hybrid.compress(context)

    around = with_strategy(hybrid.NAME, compress=look)
    loop = SessionRecorder(
        READS,
        wrap_environment=lambda base: replace(
            around(base), prompt=lambda name: f"the prompt {name}"
        ),
    )
    loop.set(compression__strategy=hybrid.NAME)
    loop.session.compress()
    assert seen[0].prompts == {
        name: f"the prompt {name}" for name in hybrid.STRATEGY.prompts
    }
    assert seen[0].prompt == seen[0].prompts[hybrid.STRATEGY.prompts[0]]


@pytest.mark.req("LH-72")
def test_the_model_with_tools_is_handed_on_and_its_turns_are_told() -> None:
    def agent(profile: str | None) -> ToolModel:
        return ScriptedToolModel(())

    loop = SessionRecorder(
        READS, limit=1000, wrap_environment=lambda base: replace(base, agent=agent)
    )
    loop.set(compression__strategy=hybrid.NAME, hybrid__mode="agent")
    assert loop.session.compress().no_op is not None
    assert loop.events_of(SummaryRequested) == [SummaryRequested("scripted", "m")]
    assert loop.events_of(ProviderUsage) == [ProviderUsage("scripted", "m", 100, 10)]
    assert loop.raw == READS


@pytest.mark.req("ION-66", "LH-08")
@pytest.mark.parametrize(
    ("name", "point"), [(tiered.NAME, "after_tools"), (hybrid.NAME, "after_user")]
)
def test_nobody_is_asked(
    name: str, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(*args: object) -> str:
        raise AssertionError("somebody was asked")

    monkeypatch.setattr("builtins.input", ask)
    monkeypatch.setattr("core.cli.output.console.ask_yes_no", ask)
    loop = SessionRecorder(
        READS, compression__strategy=name, compaction__output_reserve=0
    )
    loop.summariser.text = SEVEN
    assert getattr(loop.session, point)() is not None


@pytest.mark.parametrize("name", ["mask-observations", "none", "hybrid"])
def test_what_repeats_no_reference_is_given_the_same_history_in_both_modes(
    name: str,
) -> None:
    """The reference drops a call without arguments, which would leave its result alone."""
    said = (
        human("go"),
        ai("", ToolCall("a", "ls", None)),
        tool(response("a", "ls", "x" * 400)),
    )
    seen: list[tuple[Message, ...]] = []

    def compress(context: StrategyContext) -> Compaction:
        seen.append(context.history)
        return find_strategy(name).compress(context)

    for mode in Mode:
        around = with_strategy(name, compress=compress)
        SessionRecorder(
            said, mode, wrap_environment=around, compression__strategy=name
        ).session.compress()
    assert seen == [said, said]
