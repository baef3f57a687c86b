"""Replay: sizes, compactions and sums that can be checked by hand."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.analysis.analysis_input import AnalysisInput
from core.analysis.model import BASELINE
from core.analysis.replay import history_at_turn, replay_tracks, with_baseline
from core.analysis.replay_run import replay_timeline
from core.common.errors import Cancelled, CompactionFailed, InputError
from core.formats.registry import load_conversation
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.preview.options import PreviewOptions, SummaryOptions
from core.settings.schema import Mode
from core.strategies import high_density, hybrid, middle_out, tiered, top_down
from core.strategies.registry import STRATEGIES
from core.strategies.top_down import NAME as TRUNCATION
from core.tokens.calibration import CalibratedTokenCounter, family_factor
from core.tokens.counter import counter_for
from core.transcript.model import (
    Conversation,
    Message,
    RecordedCompaction,
    ReportedCache,
    ReportedUsage,
    Speaker,
)
from core.transcript.pins import MessagePin, PinKind
from tests.core.analysis.replaying import (
    MODEL,
    replay_session,
    replayed_track,
    session,
    sized_message,
)
from tests.core.strategies.strategy_running import values
from tests.studies.corpus_tables import files
from tests.support.builders import (
    ai,
    conversation,
    exchange,
    human,
    response,
    talk,
    tool,
)
from tests.support.sampling import sampled

CUT = top_down.NAME
"""Drops the oldest at 85 % of the limit until the rest is below 60 % of that: 5,100 of 10,000
tokens."""


def test_a_turn_is_a_request_and_all_that_the_model_answered() -> None:
    said = (human("a"), ai("1"), ai("2"), tool(response("x")), ai("3"), human("b"))
    found = replay_timeline(conversation(*said), "all")
    assert found.answer_indices == (2, 4)
    assert [list(found.answer_messages(turn)) for turn in (0, 1)] == [
        list(said[1:3]),
        [said[4]],
    ]
    assert [
        [message for message, _ in found.messages_before(turn)] for turn in (0, 1)
    ] == [
        [said[0]],
        [*said[1:4]],
    ]


FIGURES = CalibratedTokenCounter(
    counter_for(MODEL), family_factor(MODEL), counter_for(MODEL).method
)
"""Counts for a model of which nothing was reported."""


def test_a_compaction_comes_where_the_trigger_is_crossed() -> None:
    found = replayed_track(session(9), CUT)
    assert found.trigger == 8500
    assert list(found.sizes) == [1000, 3000, 5000, 7000, 5000, 7000, 5000, 7000, 5000]
    assert [(run.turn, run.before, run.after) for run in found.compactions] == [
        (5, 9000, 5000),
        (7, 9000, 5000),
        (9, 9000, 5000),
    ]
    assert (found.calls, found.over_limit_count, found.error) == (0, 0, "")


@given(st.lists(st.integers(1, 4000), min_size=2, max_size=40))
def test_it_compacts_exactly_where_the_trigger_is_reached(tokens: list[int]) -> None:
    speakers = (Speaker.HUMAN, Speaker.AI)
    said = [
        sized_message(speakers[place % 2], size, name=f"#{place}")
        for place, size in enumerate(tokens)
    ]
    found = replayed_track(conversation(*said), CUT)
    after = {run.turn: run.after for run in found.compactions}
    assert found.trigger is not None
    assert all(run.before >= found.trigger for run in found.compactions)
    for turn, size in enumerate(found.sizes, 1):
        assert size == after.get(turn, size)
    due = [turn for turn, size in enumerate(found.sizes, 1) if size >= found.trigger]
    assert found.no_op_count == len([turn for turn in due if turn not in after])


def test_the_cost_is_that_of_a_warm_cache() -> None:
    """Prices in dollars per million tokens: 15 output, 0.30 read, 3.75 written. A prefix of 1,000
    tokens is below the cacheable size, one of 3,000 is read; after the cut nothing is."""
    first = 1000 * 3.75 + 3000 * 3.75 + (3000 * 0.30 + 2000 * 3.75) + 3 * 1000 * 15
    assert replayed_track(session(3), BASELINE).cost == pytest.approx(first / 1_000_000)
    later = (5000 * 0.30 + 2000 * 3.75) + 5000 * 3.75 + 2 * 1000 * 15
    assert replayed_track(session(5), CUT).cost == pytest.approx(
        (first + later) / 1_000_000
    )


def test_tools_and_questions_set_off_those_that_look_there() -> None:
    loop = [
        one
        for n in range(30)
        for one in exchange(str(n), "bash", f"line {n} " * 200, command="ls")
    ]
    said = conversation(human("go"), *loop, ai("done"), human("more"), ai("yes"))
    by_tools, by_user = replay_session(
        said, tiered.NAME, hybrid.NAME, limit=20_000
    ).tracks
    assert by_tools.compactions
    assert {run.turn for run in by_user.compactions} <= {len(by_user.sizes)}


class _Failing:
    profile, model = "broken", "m"

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        raise CompactionFailed("The server is gone.")


def test_three_failures_in_a_row_end_a_track_and_no_other() -> None:
    said = conversation(*talk(40, "many words " * 60), model=MODEL)
    ask = PreviewOptions(summary=SummaryOptions(factory=lambda name: _Failing()))
    failed, fine = replay_session(
        said, middle_out.NAME, CUT, ask=ask, limit=4000
    ).tracks
    last = failed.compactions[-1]
    assert (
        failed.error
        == f"It failed 3 times in a row, the last at turn {last.turn}: The server is gone."
    )
    assert len(failed.compactions) == 3
    assert len(failed.sizes) == last.turn - 1
    assert failed.cost is None
    assert len(fine.sizes) == 20


def test_the_state_at_a_turn_is_what_that_request_sends() -> None:
    said, own = session(9), values(context_limit=10_000)
    counter = FIGURES
    found = replayed_track(said, CUT)
    for turn in (1, 4, 5, 9):
        state = history_at_turn(AnalysisInput(conversation=said, values=own), CUT, turn)
        assert counter.messages(state) == found.sizes[turn - 1]
        assert state[-1] is said.messages[2 * turn - 2]
    for turn in (0, 10):
        with pytest.raises(InputError, match="Turns are 1 to 9"):
            history_at_turn(AnalysisInput(conversation=said, values=own), CUT, turn)


def test_tracks_come_one_by_one_and_progress_cancels_within_one() -> None:
    told: list[tuple[float, str]] = []

    def progress(fraction: float, text: str) -> None:
        told.append((fraction, text))
        if text == f"{CUT}: turn 3 of 9":
            raise Cancelled

    found = replay_tracks(
        AnalysisInput(
            conversation=session(9),
            values=values(context_limit=10_000),
            options=PreviewOptions(progress=progress),
        ),
        (BASELINE, CUT),
    )
    assert next(found).name == BASELINE
    with pytest.raises(Cancelled):
        next(found)
    fractions = [fraction for fraction, _ in told]
    assert fractions == sorted(fractions)
    assert 0.5 < fractions[-1] < 1


def test_the_work_grows_with_the_session_and_not_with_its_square(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a compaction the engine processes only added messages."""
    looked: list[int] = []

    def curated(messages: Sequence[Message], mode: Mode) -> tuple[int, ...]:
        looked.append(len(messages))
        return tuple(range(len(messages)))

    monkeypatch.setattr("core.engine.history_store.curated_indices", curated)
    for name in (BASELINE, CUT, middle_out.NAME, tiered.NAME):
        replayed_track(session(40), name, limit=1_000_000)
    assert looked == []


@pytest.mark.skipif(not files(), reason="no corpus beside the project")
@pytest.mark.parametrize(
    "path",
    files()[:: sampled(1, 23)],
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_real_sessions_play_to_their_end(path: Path) -> None:
    said = load_conversation(path)
    if not any(message.speaker is Speaker.AI for message in said.messages):
        pytest.skip("no model answers in it")
    own = [strategy.name for strategy in STRATEGIES if strategy.emulates is None]
    found = replay_session(said, *with_baseline(own), limit=30_000)
    for one in found.tracks:
        assert one.error == ""
        assert len(one.sizes) == len(found.turns)
        assert one.sent == sum(one.sizes)
        assert all(run.after < run.before for run in one.compactions)


def test_pins_are_obeyed_by_those_that_look_at_them() -> None:
    said = conversation(*talk(60, "many words " * 60), model=MODEL)
    obeys = next(strategy.name for strategy in STRATEGIES if strategy.obeys_pins)
    ask = PreviewOptions(pins={9: MessagePin(PinKind.KEEP)})
    own = values(context_limit=8000)
    assert said.messages[9] not in history_at_turn(
        AnalysisInput(conversation=said, values=own), obeys, 30
    )
    assert said.messages[9] in history_at_turn(
        AnalysisInput(conversation=said, values=own, options=ask), obeys, 30
    )
    assert (
        replay_session(said, CUT, ask=ask, limit=8000).tracks[0].note
        == f"Pins have no effect with {CUT}."
    )


def test_density_runs_on_every_turn() -> None:
    reads = [
        one
        for n in "1234"
        for one in exchange(n, "Read", "text " * 300, file_path="a.py")
    ]
    wrote = exchange("w", "Write", "ok", file_path="a.py")
    said = conversation(
        human("go"),
        *reads,
        ai("I have read it."),
        human("Then write."),
        *wrote,
        ai("done"),
    )
    without, pruned = replay_session(
        said, BASELINE, high_density.NAME, limit=100_000
    ).tracks
    assert list(pruned.sizes[:-1]) == list(without.sizes[:-1])
    assert pruned.sizes[-1] < without.sizes[-1] / 3
    assert pruned.compactions == ()
    assert pruned.rewritten > 0


def reported(turns: int, costs: dict[int, float]) -> Conversation:
    """A session whose requests of these turns (from 0) report what they cost."""
    usage = tuple(
        ReportedUsage(2 * turn + 1, 1_000, 10, MODEL, ReportedCache(0, 0, cost))
        for turn, cost in costs.items()
    )
    return session(turns, usage=usage)


def test_a_request_that_the_agent_sent_costs_what_was_paid() -> None:
    track = replayed_track(reported(3, {0: 1.0, 1: 2.0, 2: 4.0}), BASELINE)
    assert (track.cost, track.paid_requests) == (7.0, 3)


def test_what_is_not_recorded_is_counted() -> None:
    counted = replayed_track(session(3), BASELINE).cost
    track = replayed_track(reported(3, {0: 1.0}), BASELINE)
    assert track.paid_requests == 1
    assert track.cost is not None
    assert counted is not None
    assert 1.0 < track.cost < 1.0 + counted


def test_from_its_first_compaction_a_track_is_counted() -> None:
    source = reported(8, dict.fromkeys(range(8), 1.0))
    track = replayed_track(source, TRUNCATION)
    (first, *_) = track.compactions
    assert track.paid_requests == first.turn - 1


def test_after_the_agents_own_compaction_requests_are_counted() -> None:
    source = replace(
        reported(4, dict.fromkeys(range(4), 1.0)),
        recorded=(RecordedCompaction(kind="summary", boundary=4),),
    )
    assert replayed_track(source, BASELINE).paid_requests == 2


def test_another_model_was_not_paid() -> None:
    options = PreviewOptions(model="gpt-4o")
    source = reported(3, {0: 1.0})
    (track,) = replay_session(source, BASELINE, ask=options).tracks
    assert track.paid_requests == 0
