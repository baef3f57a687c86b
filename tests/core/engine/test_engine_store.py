"""The history store, and random agents: only a compaction's fates remove messages, and pairs stay
whole."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from core.common.errors import CompactionFailed, InputError, StrategyError
from core.engine.history_store import AddOutcome, HistoryStore
from core.engine.passes import SessionEnvironment
from core.settings.schema import Mode
from core.strategies.base import CheckPoint, DensityResult, DensitySettings, Strategy
from core.strategies.density.optimize import apply_density
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy
from core.transcript.compaction import Compaction, DensityCounters
from core.transcript.model import Message
from tests.core.engine.engine_running import SessionRecorder, count
from tests.core.histories import OTHERS, PATHS, READS, WRITES, histories, loose_ends
from tests.support.builders import (
    SURVIVING,
    ai,
    call,
    human,
    response,
    system,
    talk,
    tool,
)

TALK = talk(4)


def store(
    messages: Sequence[Message] = TALK, mode: Mode = Mode.SAFE, base: int = 0
) -> HistoryStore:
    history = HistoryStore(count, mode, base)
    for message in messages:
        history.add(message)
    return history


def density(*removals: int, **replacements: Message) -> DensityResult:
    new = {
        int(index[1:].replace("_", "-")): message
        for index, message in replacements.items()
    }
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
def test_a_density_result_that_does_not_fit_changes_nothing(
    result: DensityResult, code: str
) -> None:
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
    history.start_compaction()
    assert history.add(human("late")) is AddOutcome.QUEUED
    history.clear()
    history.add(human("new"))
    assert history.raw == TALK
    history.end_compaction()
    assert history.raw == (human("new"),)
    assert history.total == count(human("new")) + count(
        human("late")
    )  # the reference's drift


@pytest.mark.parametrize("mode", Mode)
def test_other_speakers_are_refused_in_reference_mode_only(
    mode: Mode,
) -> None:  # fix EN-10
    history = HistoryStore(count, mode)
    arrival = history.add(system("rules"))
    assert arrival is (AddOutcome.ADDED if mode is Mode.SAFE else AddOutcome.REFUSED)
    assert len(history.raw) == (mode is Mode.SAFE)


NAMES = st.sampled_from(READS + WRITES + OTHERS)
STRATEGY = st.sampled_from(COMPACTION_STRATEGIES)
KEEP = st.sampled_from((0.0, 0.1, 0.3))
RESULTS = st.sampled_from(("ok", "line\n" * 30, "error: no"))


class Agent(RuleBasedStateMachine):
    """An agent that talks, calls tools in parallel, gets answers late, and compresses when it
    likes."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = SessionRecorder(limit=250, wrap_environment=self._recorded)
        self.expected: list[Message] = []  # what the store should hold
        self.log: list[Message] = []  # everything that was ever added
        self.open: list[tuple[str, str]] = []  # calls that wait
        self.late: list[Message] = []
        self.came: list[Message] = []  # of these, what came during the last run
        self.number = 0
        self.loop.summariser.during_request = self._meanwhile

    def _recorded(self, base: SessionEnvironment) -> SessionEnvironment:
        def find(name: str) -> Strategy:
            strategy = find_strategy(name)
            optimize = strategy.optimize
            if optimize is None:
                return strategy

            def recording(
                history: Sequence[Message], config: DensitySettings
            ) -> DensityResult:
                assert list(history) == self.expected
                result = optimize(history, config)
                self.expected = list(apply_density(history, result))
                return result

            return replace(strategy, optimize=recording)

        return replace(base, strategy_lookup=find, root="/repo")

    def _add(self, message: Message) -> None:
        self.loop.session.add(message)
        self.log.append(message)
        self.expected.append(message)

    def _meanwhile(self) -> None:
        for message in self.late:
            self.loop.session.add(message)
            self.log.append(message)
        self.came, self.late = [*self.came, *self.late], []

    def _done(self, run: Compaction | None, before: list[Message]) -> None:
        late, self.came = self.came, []
        if run is None:
            self.expected = [*before, *late]
            return
        indices = sorted(index for sources in run.origins for index in sources)
        assert indices == [
            index for index, fate in enumerate(run.fates) if fate.kind in SURVIVING
        ]
        assert len(run.fates) == len(before)
        self.expected = [*run.messages, *late]

    @property
    def waits(self) -> bool:
        return bool(self.open or self.late)

    @initialize(messages=histories(6))
    def begin(self, messages: tuple[Message, ...]) -> None:
        for message in messages:
            self._add(message)

    @precondition(lambda self: not self.waits)
    @rule(count=st.integers(3, 16), words=st.integers(0, 40))
    def chat(self, count: int, words: int) -> None:
        for message in talk(count, "word " * words):
            self._add(message)

    @precondition(lambda self: self.open)
    @rule()
    def say(self) -> None:
        self._add(ai("still at it"))

    @precondition(lambda self: not self.open)
    @rule()
    def interject(self) -> None:
        self.late.append(human("and one thing more"))

    @precondition(lambda self: not self.waits)
    @rule(names=st.lists(NAMES, min_size=1, max_size=3), path=st.sampled_from(PATHS))
    def calls(self, names: list[str], path: str) -> None:
        self.number += 1
        ids = [f"c{self.number}-{place}" for place in range(len(names))]
        self.open = list(zip(ids, names, strict=True))
        blocks = [
            call(name, id_, file_path=path, command="ls") for id_, name in self.open
        ]
        self._add(ai("", *blocks))

    @precondition(lambda self: self.open)
    @rule(result=RESULTS, during=st.booleans())
    def answer(self, result: str, during: bool) -> None:
        id_, name = self.open.pop(0)
        message = tool(response(id_, name, result))
        if during or self.late:
            self.late.append(message)
        else:
            self._add(message)

    @precondition(lambda self: self.late)
    @rule()
    def arrive(self) -> None:
        """Add late messages, as no summary was written."""
        for message in self.late:
            self._add(message)
        self.late = []

    def _set(self, name: str, keep: float) -> None:
        recency = {"compression__density__recency_pruning": True}
        with suppress(InputError):  # some can never run by themselves in this window
            self.loop.set(
                compression__strategy=name,
                compression_preserve_threshold=keep,
                compression_top_preserve_threshold=keep / 2,
                **recency,
            )

    @rule(
        point=st.sampled_from(CheckPoint),
        pending=st.integers(0, 400),
        name=STRATEGY,
        keep=KEEP,
    )
    def check(self, point: CheckPoint, pending: int, name: str, keep: float) -> None:
        self._set(name, keep)
        self._pass(lambda: self.loop.session.check(point, pending))

    @rule(name=STRATEGY, keep=KEEP)
    def compress(self, name: str, keep: float) -> None:
        self._set(name, keep)
        self._pass(self.loop.session.compress)

    def _pass(self, work: Callable[[], Compaction | None]) -> None:
        held = len(self.log)
        try:
            run = work()
        except CompactionFailed:
            run = None  # the conversation is unchanged
        before = self.expected  # after density, before compression
        assert len(self.log) >= held
        self._done(run, before)

    @invariant()
    def holds_what_it_should(self) -> None:
        assert list(self.loop.raw) == self.expected
        store = self.loop.session.store
        assert store.total == store.estimate(store.raw)

    @invariant()
    def every_pair_is_whole(self) -> None:
        assert not loose_ends(self.loop.raw) - loose_ends(self.log)


TestAgent = Agent.TestCase
TestAgent.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
