"""The Replay page: totals, marks in order, scales, one turn in words."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from core.analysis.replay.model import ReplayCompaction, ReplayResult, ReplayTrack
from core.presentation.compare.model import DONE, FAILED, WAITING
from core.presentation.replay.model import ReplayPage
from core.presentation.replay.page import ReplayProgress, replay_page
from core.presentation.replay.turn_wording import size_at, turn_facts
from core.presentation.strategy_choices import default_strategies
from core.strategies.middle_out import NAME as MIDDLE
from core.strategies.registry import STRATEGIES

HEAD = ReplayResult((2, 5, 9, 12), (), 10_000, 0)
PLAIN = ReplayTrack("none", array("q", (2_000, 5_000, 8_000, 11_000)), (), 0, 26_000, 500, 1, 0.5, None)
FOLDED = ReplayTrack(
    MIDDLE,
    array("q", (2_000, 5_000, 3_000, 6_000)),
    (ReplayCompaction(3, 8_000, 3_000, 1, 0.0),),
    1,
    16_000,
    3_000,
    0,
    None,
    8_500,
    note="1 run changed nothing.",
)


def page(
    *tracks: ReplayTrack, head: ReplayResult = HEAD, names: tuple[str, ...] = ("none", MIDDLE)
) -> ReplayPage:
    return replay_page(ReplayProgress(head, names, {track.name: track for track in tracks}, 0.5))


def test_a_line_says_its_totals_and_where_it_was_compacted() -> None:
    plain, folded = page(PLAIN, FOLDED).lines
    assert [cell.text for cell in plain.totals] == ["0", "0", "26k", "500", "1", "$0.50"]
    assert plain.totals[4].tone == "error"
    assert plain.over_limit_turn == 4
    assert [cell.text for cell in folded.totals[:5]] == ["1", "1", "16k", "3,000", "0"]
    assert folded.totals[5].text == "–"
    assert (folded.compaction_turns, folded.over_limit_turn, folded.trouble) == (
        (3,),
        0,
        "1 run changed nothing.",
    )


def test_a_failed_compaction_is_a_mark_but_counts_for_nothing() -> None:
    failed = ReplayCompaction(2, 5_000, 5_000, 0, None, "It failed.")
    made = page(PLAIN, replace(FOLDED, compactions=(failed, *FOLDED.compactions)))
    assert [(mark.turn, mark.line, mark.failed) for mark in made.marks] == [(2, 1, True), (3, 1, False)]
    assert made.marks[0].text == "It failed."
    assert "8,000 → 3,000" in made.marks[1].text.replace("8k", "8,000").replace("3k", "3,000")
    assert made.lines[1].totals[0].text == "1"


def test_lines_wait_and_fail() -> None:
    made = page(replace(PLAIN, error="No."))
    assert [line.state for line in made.lines] == [FAILED, WAITING]
    assert made.lines[0].trouble == "No."
    assert (made.is_over, made.status[:6]) == (False, "1 of 2")
    assert [line.state for line in page(PLAIN, FOLDED).lines] == [DONE, DONE]


def test_the_plot_ends_above_the_limit_only_where_a_line_comes_near_it() -> None:
    near = page(PLAIN, FOLDED)
    assert (near.limit, near.limit_label, near.trigger) == (10_000, "limit 10,000", 8_500)
    far = page(PLAIN, FOLDED, head=replace(HEAD, limit=200_000))
    assert (far.limit, far.limit_label) == (None, "limit 200,000, above this plot")
    none = page(PLAIN, FOLDED, head=replace(HEAD, limit=None))
    assert none.limit_label.startswith("limit –")
    assert none.lines[0].over_limit_turn == 0


def test_a_line_above_the_plot_says_so_at_its_end() -> None:
    high = replace(PLAIN, sizes=array("q", (2_000, 15_000)))
    assert page(high).lines[0].end_label == "none ▲ 15k at the end"


def test_at_first_the_session_as_it_was_and_our_own_strategies() -> None:
    own = tuple(one.name for one in STRATEGIES if one.emulates is None)
    assert default_strategies() == ("none", *own)


@pytest.mark.parametrize(
    ("turn", "since", "following"),
    [
        (2, "none so far", ("Next compaction", "turn 3")),
        (4, "1", ("Next trigger, at this pace", "≈ turn 5, after the end")),
    ],
)
def test_a_turn_says_what_was_and_what_comes(turn: int, since: str, following: tuple[str, str]) -> None:
    made = page(PLAIN, FOLDED)
    first, second = turn_facts(made, MIDDLE, turn)
    assert (first.value, (second.label, second.value)) == (since, following)
    assert turn_facts(made, MIDDLE, 9) == ()
    assert [size_at(made.lines[1], place) for place in (0, 1, 9)] == ["–", "2,000", "–"]
