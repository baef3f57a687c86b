"""The session loop in safe mode: density, trigger, compression, emergency, errors, events."""

from __future__ import annotations

import doctest
from dataclasses import replace

import pytest

from core.common.errors import CompactionFailed, InputError, StrategyError
from core.engine import session as module
from core.engine.events import (
    CompactionStatus,
    CompressionCause,
    CompressionEnded,
    CompressionStarted,
    DensityApplied,
    DensityStarted,
)
from core.settings.schema import Mode
from core.strategies.base import StrategyContext, Trigger, TriggerMode
from core.transcript.compaction import Compaction
from core.transcript.model import Message
from tests.builders import exchange, human, talk
from tests.core.engine.engine_running import SessionRecorder, failing_density, with_strategy

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
    run = loop.session.before_send()
    assert run is not None
    assert run.metadata.strategy_used == TOP_DOWN
    assert loop.raw == run.messages
    assert len(loop.raw) < len(LONG)


def test_pending_tokens_count_and_negative_ones_do_not() -> None:
    loop = SessionRecorder(SHORT, compression__strategy=TOP_DOWN, compression_threshold=1.0)
    assert loop.session.before_send(-(10**6)) is None
    rest = 1000 - loop.session.used
    assert loop.session.before_send(rest - 1) is None
    assert loop.session.before_send(rest) is not None


@pytest.mark.req("REQ-CS-006.4")
def test_the_history_is_replaced_under_the_lock() -> None:
    loop = SessionRecorder(LONG)
    seen: list[tuple[bool, tuple[Message, ...]]] = []
    store = loop.session.store
    store.observe(lambda change: seen.append((store.compressing, store.raw)))
    run = loop.session.before_send()
    assert run is not None
    assert all(one == (True, run.messages) for one in seen)  # nobody ever sees it empty or half full
    assert not store.compressing


@pytest.mark.req("REQ-HD-001.10")
def test_the_setting_comes_before_the_strategys_threshold() -> None:
    trigger = Trigger(TriggerMode.THRESHOLD, 0.1)
    declared = SessionRecorder(
        SHORT, wrap_environment=with_strategy(TOP_DOWN, trigger=trigger), compression__strategy=TOP_DOWN
    )
    assert declared.session.before_send() is not None
    declared.set(compression__strategy=TOP_DOWN, compression_threshold=0.9)
    assert declared.session.before_send() is None


@pytest.mark.req("REQ-HD-002.1", "REQ-HD-002.4")
def test_density_comes_first_and_can_make_compression_needless() -> None:
    loop = SessionRecorder((human("go"), *STALE, human("on")), limit=500, compression__strategy=HIGH_DENSITY)
    assert loop.session.used > 500
    assert loop.session.before_send() is None
    applied = loop.events_of(DensityApplied)[0]
    assert applied.after == loop.session.store.total < 100 < applied.before
    assert loop.events_of(CompressionStarted) == []


@pytest.mark.req("REQ-HD-002.2")
def test_a_strategy_without_density_skips_it() -> None:
    loop = SessionRecorder(STALE, compression__strategy=MIDDLE_OUT)
    loop.session.before_send()
    assert loop.raw == STALE
    assert loop.events_of(DensityStarted) == []


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
    with loop.session.store.locked():  # what a density step does; another thread would wait here
        loop.session.before_send()
    assert len(loop.raw) == 2


@pytest.mark.req("REQ-HD-013.1")
def test_an_error_of_density_reaches_the_caller() -> None:
    loop = SessionRecorder(
        SHORT,
        wrap_environment=with_strategy(HIGH_DENSITY, optimize=failing_density),
        compression__strategy=HIGH_DENSITY,
    )
    with pytest.raises(ValueError, match="no density today"):
        loop.session.before_send()
    assert loop.raw == SHORT


def _break(context: StrategyContext) -> Compaction:
    raise CompactionFailed("The model is away.")


@pytest.mark.req("REQ-CS-006.3", "REQ-HD-013.4")
@pytest.mark.parametrize("mode", Mode)
def test_an_error_of_compress_reaches_the_caller_and_the_history_is_whole(mode: Mode) -> None:
    loop = SessionRecorder(LONG, mode, wrap_environment=with_strategy(MIDDLE_OUT, compress=_break))
    with pytest.raises(CompactionFailed, match="away"):
        loop.session.before_send()
    assert loop.raw == LONG
    assert not loop.session.store.compressing
    assert loop.events_of(CompressionEnded) == [CompressionEnded(MIDDLE_OUT, failed=True)]
    assert loop.events_of(CompactionStatus) == []


@pytest.mark.req("REQ-CS-006A.3")
def test_a_missing_prompt_reaches_the_caller() -> None:
    def missing(name: str) -> str:
        raise InputError("The prompt file is missing.")

    loop = SessionRecorder(LONG, wrap_environment=lambda base: replace(base, prompt=missing))
    with pytest.raises(InputError, match="prompt file"):
        loop.session.before_send()
    assert loop.raw == LONG


@pytest.mark.req("REQ-HD-011.2")
def test_open_todos_reach_the_request() -> None:
    loop = SessionRecorder(
        (*LONG, *exchange("t", "todo_write", "ok", todos=[{"content": "Ship it"}]), human("go"))
    )
    loop.session.compress()
    assert loop.summariser.requests[0].todos == "- [pending] Ship it"


@pytest.mark.req("REQ-HD-012.1")
def test_the_path_of_the_transcript_reaches_the_request() -> None:
    loop = SessionRecorder(LONG, wrap_environment=lambda base: replace(base, transcript="/tmp/t.jsonl"))
    loop.session.compress()
    assert loop.summariser.requests[0].transcript == "/tmp/t.jsonl"


@pytest.mark.req("REQ-HD-002.8")
def test_the_emergency_path_prunes_before_it_compresses() -> None:
    loop = SessionRecorder((human("go"), *STALE, human("on")), limit=700, compression__strategy=HIGH_DENSITY)
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
