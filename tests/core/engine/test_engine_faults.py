"""Faults of the reference's loop, repeated in reference mode and fixed in safe mode."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import StrategyError, UnknownStrategyError
from core.engine.history_store import CompressionStarted, DensityStarted
from core.engine.passes import WAITING_RULE, waiting_turn_start
from core.settings.schema import Mode
from core.settings_store.layers import SettingLayers
from core.strategies.base import Trigger, TriggerMode
from core.transcript.model import Message, Speaker, tool_calls
from core.transcript.tool_pairs import find_pairs
from tests.core.engine.engine_running import (
    SessionRecorder,
    count,
    failing_density,
    with_strategy,
)
from tests.core.histories import histories
from tests.support.builders import ai, call, exchange, human, talk

STALE = (
    human("go"),
    *exchange("r", "read_file", "old text " * 300, file_path="/w/a.py"),
    *exchange("w", "write_file", "ok", file_path="/w/a.py"),
    human("on"),
)


MIDDLE_OUT, TOP_DOWN, HIGH_DENSITY = "middle-out", "top-down-truncation", "high-density"
SAFE, REFERENCE = Mode
LONG = talk(40)
SHORT = talk(4)
LATE = human("wait, one more thing")
BIG_TALK = (
    *talk(3, "word " * 200),
    human("on"),
)  # above the threshold, too few for middle-out


@pytest.mark.parametrize("mode", Mode)
def test_what_comes_while_the_summary_is_written(mode: Mode) -> None:  # fix EN-01
    loop = SessionRecorder(LONG, mode)
    loop.summariser.during_request = lambda: loop.session.add(LATE)
    loop.session.before_send()
    store = loop.session.store
    drift = 0 if mode is SAFE else count(LATE)
    assert (loop.raw[-1] == LATE) is (mode is SAFE)
    assert store.total == store.estimate(store.raw) + drift
    assert loop.session.dirty is (mode is SAFE)


@pytest.mark.parametrize("mode", Mode)
def test_late_messages_survive_a_failure(mode: Mode) -> None:
    loop = SessionRecorder(LONG, mode)
    loop.summariser.text, loop.summariser.during_request = (
        " ",
        lambda: loop.session.add(LATE),
    )
    with pytest.raises(StrategyError):
        loop.session.compress()
    assert loop.raw == (*LONG, LATE)
    assert loop.session.store.total == sum(map(count, loop.raw))


@pytest.mark.parametrize("mode", Mode)
def test_a_compression_forgets_the_reported_count(mode: Mode) -> None:  # fix EN-02
    loop = SessionRecorder(LONG, mode, compression__strategy=TOP_DOWN)
    loop.session.report(5000)
    for _ in range(2):
        loop.session.before_send()
    assert len(loop.events_of(CompressionStarted)) == (1 if mode is SAFE else 2)


@pytest.mark.parametrize("mode", Mode)
def test_a_no_op_is_not_repeated_until_something_is_added(
    mode: Mode,
) -> None:  # fix EN-03
    loop = SessionRecorder(BIG_TALK, mode, limit=300)
    for _ in range(3):
        loop.session.before_send()
    assert len(loop.events_of(CompressionStarted)) == (1 if mode is SAFE else 3)
    loop.session.add(LATE)
    loop.session.before_send()
    assert len(loop.events_of(CompressionStarted)) == (2 if mode is SAFE else 4)


@pytest.mark.req("REQ-CS-006.2")
@pytest.mark.parametrize("mode", Mode)
def test_a_no_op_is_applied_in_reference_mode_only(mode: Mode) -> None:  # fix NO-01
    loop = SessionRecorder((*SHORT, ai(" ")), mode)
    run = loop.session.compress()
    assert run.no_op is not None
    assert len(loop.raw) == (5 if mode is SAFE else 4)  # a copy of the curated history


@pytest.mark.req("REQ-HD-001.10")
@pytest.mark.parametrize("mode", Mode)
def test_the_declared_threshold_is_used(mode: Mode) -> None:  # fix EN-04
    trigger = Trigger(mode=TriggerMode.THRESHOLD, threshold=0.1)
    loop = SessionRecorder(
        SHORT,
        mode,
        wrap_environment=with_strategy(TOP_DOWN, trigger=trigger),
        compression__strategy=TOP_DOWN,
    )
    assert (loop.session.before_send() is not None) is (mode is SAFE)
    loop.set(compression__strategy=TOP_DOWN, compression_threshold=0.9)
    assert loop.session.before_send() is None


@pytest.mark.parametrize(
    ("variant", "percent"), [("cs", 80), ("hd", 80), ("todo", 50), ("mar27", 85)]
)
def test_the_reference_has_thresholds_of_its_own(variant: str, percent: int) -> None:
    loop = SessionRecorder(
        SHORT,
        REFERENCE,
        limit=10**6,
        wrap_environment=lambda base: replace(base, variant=variant),
    )
    rest = percent * 10**4 - loop.session.used
    assert loop.session.before_send(rest - 1) is None
    assert loop.session.before_send(rest) is not None


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("limit", [1000, 8192, 66_000])
def test_small_windows_have_room(mode: Mode, limit: int) -> None:  # fix EN-07
    loop = SessionRecorder(SHORT, mode, limit=limit)
    if mode is SAFE:
        assert loop.session.enforce() is None
    else:
        with pytest.raises(StrategyError) as caught:
            loop.session.enforce()
        assert caught.value.code == "CONTEXT_OVERFLOW"


WAITS = ai("", call("bash", "a"), call("bash", "b"))


@pytest.mark.parametrize("mode", Mode)
def test_a_turn_that_waits_for_answers_stays(mode: Mode) -> None:  # fix EN-08
    said = ai("Both still run.")
    loop = SessionRecorder(
        (*LONG, WAITS, said), mode, compression_preserve_threshold=0.0
    )
    run = loop.session.compress()
    assert (WAITS in loop.raw) is (mode is SAFE)
    if mode is SAFE:
        assert loop.raw[-2:] == (WAITS, said)
        assert {fate.last.rule for fate in run.fates[-2:]} == {WAITING_RULE}
        assert run.metadata.bottom_preserved == 2


@given(histories(), st.integers(0, 40))
def test_what_waits_is_found_as_by_looking_at_all(
    messages: tuple[Message, ...], end: int
) -> None:
    raw = messages[:end]
    ends = [
        message.speaker is Speaker.HUMAN or any(tool_calls(message)) for message in raw
    ]
    start = next((at for at in range(len(raw), 0, -1) if ends[at - 1]), 0)
    while start and raw[start - 1].speaker is Speaker.AI:
        start -= 1
    pairs = find_pairs(raw)
    held = min(
        (index for index, _ in pairs.unanswered if index >= start), default=len(raw)
    )
    assert waiting_turn_start(raw) == next(
        at for at in range(held, -1, -1) if pairs.valid[at]
    )


@pytest.mark.req("REQ-HD-002.2")
@pytest.mark.parametrize("mode", Mode)
def test_a_strategy_without_density_leaves_the_mark(mode: Mode) -> None:  # fix EN-05
    loop = SessionRecorder(STALE, mode, limit=10**6, compression__strategy=MIDDLE_OUT)
    loop.session.before_send()
    assert (loop.raw, loop.session.dirty) == (STALE, mode is SAFE)
    loop.set(compression__strategy=HIGH_DENSITY)
    loop.session.before_send()
    assert len(loop.events_of(DensityStarted)) == (mode is SAFE)


@pytest.mark.req("REQ-HD-013.1")
@pytest.mark.parametrize("mode", Mode)
def test_a_density_step_that_failed_is_tried_again(mode: Mode) -> None:  # fix EN-05
    broken = with_strategy(HIGH_DENSITY, optimize=failing_density)
    loop = SessionRecorder(
        SHORT, mode, wrap_environment=broken, compression__strategy=HIGH_DENSITY
    )
    with pytest.raises(ValueError, match="no density today"):
        loop.session.before_send()
    assert loop.raw == SHORT
    if mode is SAFE:
        with pytest.raises(ValueError, match="no density today"):
            loop.session.before_send()
    else:
        assert loop.session.before_send() is None


@pytest.mark.parametrize("mode", Mode)
def test_an_unknown_strategy_is_an_error_until_it_is_mended(
    mode: Mode,
) -> None:  # fix EN-06
    loop = SessionRecorder(SHORT, mode)
    loop.session.values = SettingLayers(
        {"compression.mode": mode.value, "compression.strategy": "bogus"}
    ).resolve()
    for again in (False, True):
        if again and mode is REFERENCE:
            assert loop.session.before_send() is None
        else:
            with pytest.raises(UnknownStrategyError):
                loop.session.before_send()
    loop.set()
    assert loop.session.before_send() is None


@pytest.mark.parametrize("mode", Mode)
def test_a_manual_run_prunes_first(mode: Mode) -> None:  # fix EN-09
    loop = SessionRecorder(STALE, mode, compression__strategy=HIGH_DENSITY)
    for _ in range(2):
        loop.session.compress()
    assert len(loop.events_of(DensityStarted)) == (2 if mode is SAFE else 0)
