"""The history store: adding, totals, views, the compression lock, density results."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.common.errors import StrategyError
from core.engine.events import AddOutcome
from core.engine.history_store import HistoryStore
from core.settings.schema import Mode
from core.strategies.base import DensityResult
from core.transcript.compaction import DensityCounters
from core.transcript.model import Message
from tests.builders import ai, human, system, talk
from tests.core.engine.engine_running import count

TALK = talk(4)


def store(messages: Sequence[Message] = TALK, mode: Mode = Mode.SAFE, base: int = 0) -> HistoryStore:
    history = HistoryStore(count, mode, base)
    for message in messages:
        history.add(message)
    return history


def density(*removals: int, **replacements: Message) -> DensityResult:
    new = {int(index[1:].replace("_", "-")): message for index, message in replacements.items()}
    return DensityResult(removals, new, DensityCounters(), {})


@pytest.mark.req("REQ-HD-003.5")
def test_the_raw_view_is_a_snapshot_that_nobody_can_change() -> None:
    history = store()
    before = history.raw
    history.add(human("more"))
    assert before == TALK
    assert history.raw == (*TALK, human("more"))
    assert isinstance(history.raw, tuple)


def test_the_curated_view_follows_what_comes_and_goes() -> None:
    history = store()
    assert history.curated == TALK
    history.add(ai("  "))
    history.add(human("more"))
    assert history.curated == (*TALK, human("more"))
    history.apply_density(density(0, i1=human("other")))
    assert history.curated == (human("other"), *TALK[2:], human("more"))


def test_the_total_holds_the_base_offset_which_no_clearing_takes_away() -> None:
    history = store(base=100)
    assert history.total == 100 + sum(map(count, TALK))
    history.clear()
    assert (history.total, history.raw) == (100, ())
    history.base = 7
    assert history.total == 7


@pytest.mark.req("REQ-HD-003.1", "REQ-HD-003.2", "REQ-HD-003.3", "REQ-HD-002.9")
def test_a_density_result_speaks_of_raw_indices() -> None:
    history = store((*TALK, ai("")))
    history.apply_density(density(0, 2, i3=human("new"), i4=ai("last")))
    assert history.raw == (TALK[1], human("new"), ai("last"))


@pytest.mark.req("REQ-HD-003.4", "REQ-HD-003.6")
def test_after_a_density_result_all_is_counted_anew() -> None:
    sizes = {id(message): 10 for message in TALK}
    history = HistoryStore(lambda message: sizes[id(message)], base=5)
    for message in TALK:
        history.add(message)
    sizes = {id(message): 11 for message in TALK}
    assert history.total == 45
    history.apply_density(density(1))
    assert history.total == 38
    assert history.recount() == 38


@pytest.mark.req("REQ-HD-001.6", "REQ-HD-001.7", "REQ-HD-013.2")
@pytest.mark.parametrize(
    ("result", "code"),
    [
        (density(1, 1), "DENSITY_INVALID_RESULT"),
        (density(1, i1=human("x")), "DENSITY_CONFLICT"),
        (density(9), "DENSITY_INDEX_OUT_OF_BOUNDS"),
        (density(i_1=human("x")), "DENSITY_INDEX_OUT_OF_BOUNDS"),
    ],
)
def test_a_density_result_that_does_not_fit_changes_nothing(result: DensityResult, code: str) -> None:
    history = store()
    with pytest.raises(StrategyError) as caught:
        history.apply_density(result)
    assert caught.value.code == code
    assert history.raw == TALK


@pytest.mark.req("REQ-HD-013.3", "REQ-CS-006A.4")
def test_an_error_of_the_counter_reaches_the_caller_and_changes_nothing() -> None:
    def fussy(message: Message) -> int:
        if message == human("bad"):
            raise ValueError("cannot count")
        return 1

    history = HistoryStore(fussy)
    history.add(TALK[0])
    with pytest.raises(ValueError, match="cannot count"):
        history.add(human("bad"))
    with pytest.raises(ValueError, match="cannot count"):
        history.apply_density(density(i0=human("bad")))
    with pytest.raises(ValueError, match="cannot count"):
        history.replace_oldest(TALK[:1], (human("bad"),))
    assert (history.raw, history.total) == (TALK[:1], 1)


def test_in_reference_mode_changes_wait_while_a_compression_runs() -> None:
    history = store(mode=Mode.REFERENCE)
    history.start_compression()
    assert history.add(human("late")) is AddOutcome.QUEUED
    history.clear()
    history.add(human("new"))
    assert history.raw == TALK
    history.end_compression()
    assert history.raw == (human("new"),)
    assert history.total == count(human("new")) + count(human("late"))  # the reference's drift


@pytest.mark.parametrize("mode", Mode)
def test_other_speakers_are_refused_in_reference_mode_only(mode: Mode) -> None:  # fix EN-10
    history = HistoryStore(count, mode)
    arrival = history.add(system("rules"))
    assert arrival is (AddOutcome.ADDED if mode is Mode.SAFE else AddOutcome.REFUSED)
    assert len(history.raw) == (mode is Mode.SAFE)
