"""The history store: adding, totals, views, the compression lock, density results."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.common.errors import StrategyError
from core.engine.events import (
    AddOutcome,
    HistoryCleared,
    HistoryReplaced,
    MessageAdded,
    StoreChange,
    TokensUpdated,
)
from core.engine.history_store import HistoryStore
from core.settings.schema import Mode
from core.strategies.base import DensityResult
from core.transcript.compaction import DensityCounters
from core.transcript.model import Message
from tests.builders import ai, call, human, system, talk
from tests.core.engine.engine_running import count

TALK = talk(4)


def store(messages: Sequence[Message] = TALK, mode: Mode = Mode.SAFE, base: int = 0) -> HistoryStore:
    made = HistoryStore(count, mode, base)
    for message in messages:
        made.add(message)
    return made


def density(removals: tuple[int, ...] = (), **replacements: Message) -> DensityResult:
    new = {int(index[1:]): message for index, message in replacements.items()}
    return DensityResult(removals, new, DensityCounters(), {})


@pytest.mark.req("REQ-HD-003.5")
def test_the_raw_view_is_a_snapshot_that_nobody_can_change() -> None:
    made = store()
    before = made.raw
    made.add(human("more"))
    assert before == TALK
    assert made.raw == (*TALK, human("more"))
    assert isinstance(made.raw, tuple)


def test_the_curated_view_lacks_empty_ai_messages() -> None:
    assert store((*TALK, ai("  "), human(""))).curated == (*TALK, human(""))


def test_the_curated_view_follows_what_comes_and_goes() -> None:
    made = store()
    assert made.curated == TALK
    made.add(ai("  "))
    made.add(human("more"))
    assert made.curated == (*TALK, human("more"))
    made.apply_density(density((0,), i1=human("other")))
    assert made.curated == (human("other"), *TALK[2:], human("more"))


def test_the_curated_view_is_that_of_the_mode() -> None:
    half = ai("", call("", "1"))  # which the reference takes for empty
    made = store((*TALK, half))
    assert made.curated == (*TALK, half)
    made.mode = Mode.REFERENCE
    assert made.curated == TALK


def test_the_total_holds_the_base_offset_which_no_clearing_takes_away() -> None:
    made = store(base=100)
    assert made.total == 100 + sum(map(count, TALK))
    made.clear()
    assert (made.total, made.raw) == (100, ())
    made.base = 7
    assert made.total == 7


@pytest.mark.req("REQ-HD-003.1", "REQ-HD-003.2", "REQ-HD-003.3", "REQ-HD-002.9")
def test_a_density_result_speaks_of_raw_indices() -> None:
    made = store((*TALK, ai("")))
    made.apply_density(density((0, 2), i3=human("new"), i4=ai("last")))
    assert made.raw == (TALK[1], human("new"), ai("last"))


@pytest.mark.req("REQ-HD-003.4", "REQ-HD-003.6")
def test_after_a_density_result_all_is_counted_anew() -> None:
    sizes = {id(message): 10 for message in TALK}
    made = HistoryStore(lambda message: sizes[id(message)], base=5)
    for message in TALK:
        made.add(message)
    sizes = {id(message): 11 for message in TALK}
    assert made.total == 45
    made.apply_density(density((1,)))
    assert made.total == 38
    assert made.recount() == 38


@pytest.mark.req("REQ-HD-013.2")
@pytest.mark.parametrize(
    ("result", "code"),
    [
        (density((1, 1)), "DENSITY_INVALID_RESULT"),
        (density((1,), i1=human("x")), "DENSITY_CONFLICT"),
        (density((9,)), "DENSITY_INDEX_OUT_OF_BOUNDS"),
    ],
)
def test_a_density_result_that_does_not_fit_changes_nothing(result: DensityResult, code: str) -> None:
    made = store()
    with pytest.raises(StrategyError) as caught:
        made.apply_density(result)
    assert caught.value.code == code
    assert made.raw == TALK


@pytest.mark.req("REQ-HD-013.3", "REQ-CS-006A.4")
def test_an_error_of_the_counter_reaches_the_caller_and_changes_nothing() -> None:
    def fussy(message: Message) -> int:
        if message == human("bad"):
            raise ValueError("cannot count")
        return 1

    made = HistoryStore(fussy)
    made.add(TALK[0])
    with pytest.raises(ValueError, match="cannot count"):
        made.add(human("bad"))
    with pytest.raises(ValueError, match="cannot count"):
        made.apply_density(density(i0=human("bad")))
    with pytest.raises(ValueError, match="cannot count"):
        made.rebuild(TALK[:1], (human("bad"),))
    assert (made.raw, made.total) == (TALK[:1], 1)


def test_a_failing_recount_changes_nothing() -> None:
    ready = [True]

    def moody(message: Message) -> int:
        if not ready[0]:
            raise ValueError("cannot count")
        return 1

    made = HistoryStore(moody)
    made.add(TALK[0])
    ready[0] = False
    with pytest.raises(ValueError, match="cannot count"):
        made.recount()
    assert (made.raw, made.total) == (TALK[:1], 1)


def test_in_reference_mode_changes_wait_while_a_compression_runs() -> None:
    made = store(mode=Mode.REFERENCE)
    made.start_compression()
    assert made.add(human("late")) is AddOutcome.QUEUED
    made.clear()
    made.add(human("new"))
    assert made.raw == TALK
    made.end_compression()
    assert made.raw == (human("new"),)
    assert made.total == count(human("new")) + count(human("late"))  # the reference's drift


def test_in_safe_mode_nothing_waits() -> None:
    made = store()
    made.start_compression()
    assert made.add(human("late")) is AddOutcome.IN
    assert made.raw[-1] == human("late")
    with pytest.raises(StrategyError, match="while a compression runs"):
        made.apply_density(density((0,)))
    assert made.rebuild(TALK, TALK[2:])
    made.end_compression()
    assert made.raw == (*TALK[2:], human("late"))
    assert made.total == sum(map(count, made.raw))


def test_a_rebuild_of_what_is_no_longer_there_is_refused() -> None:
    made = store()
    made.clear()
    assert not made.rebuild(TALK, TALK[2:])
    made.add(TALK[1])
    assert not made.rebuild(TALK[:1], ())
    assert made.raw == (TALK[1],)


def test_changes_are_told_with_what_they_did() -> None:
    told: list[StoreChange] = []
    made = HistoryStore(count)
    made.watch(told.append)
    made.add(TALK[0])
    made.apply_density(density((0,)))
    made.clear()
    size = count(TALK[0])
    assert told == [
        TokensUpdated(size, size),
        MessageAdded(TALK[0], AddOutcome.IN),
        TokensUpdated(0, -size),
        HistoryReplaced(0),
        TokensUpdated(0, 0),
        HistoryCleared(),
    ]


@pytest.mark.parametrize("mode", Mode)
def test_other_speakers_are_refused_in_reference_mode_only(mode: Mode) -> None:  # fix EN-10
    made = HistoryStore(count, mode)
    arrival = made.add(system("rules"))
    assert arrival is (AddOutcome.IN if mode is Mode.SAFE else AddOutcome.REFUSED)
    assert len(made.raw) == (mode is Mode.SAFE)
