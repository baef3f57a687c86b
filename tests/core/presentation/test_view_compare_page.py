"""The Compare page: cells, tags, front, scales, differences of two results."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.analysis.compare.model import BEST_CASE, CompareRow, LostFact, PairwiseLosses
from core.analysis.cost.model import CompactionCost
from core.analysis.fidelity.model import (
    CategoryScore,
    FactStatus,
    FidelityCategory,
    ForwardDemand,
    SourceFact,
)
from core.common.number_format import seconds
from core.llm.prompt_cache import TokenRates
from core.presentation.compare.model import (
    COLUMNS,
    DONE,
    FAILED,
    FRONT,
    RECORDED,
    WAITING,
    ComparePage,
    CompareTableRow,
)
from core.presentation.compare.page import CompareProgress, compare_page, default_names, pair_page
from core.presentation.plots import fidelity_axis
from core.strategies.middle_out import NAME as MIDDLE
from core.strategies.one_shot import NAME as ONE_SHOT
from core.strategies.registry import find_strategy
from core.transcript.model import RecordedCompaction
from tests.builders import ai, conversation, human

SESSION = conversation(human("a"), ai("b"), recorded=(RecordedCompaction("S", 1),))
RATES = TokenRates("m", 1.0, 5.0, 0.1, 1.25)
ROW = CompareRow(
    MIDDLE,
    "strategy",
    10_000,
    4_000,
    12,
    0.8,
    (
        CategoryScore(FidelityCategory.CONSTRAINT, 4, {FactStatus.LOST: 2}, 0.5),
        CategoryScore(FidelityCategory.FILE, 3, {FactStatus.VERBATIM: 3}, 1.0),
    ),
    ForwardDemand(8, 6, 9, 7),
    cost=CompactionCost(3_000, 4, 1_000, RATES, 0.25, break_even=2.1),
    calls=1,
    seconds=0.25,
    scope="all",
    before_messages=40,
)


def page(*rows: CompareRow, names: tuple[str, ...] = ()) -> ComparePage:
    asked = names or tuple(row.name for row in rows)
    by_name = {row.name: row for row in rows}
    return compare_page(CompareProgress(SESSION, asked, by_name, "all", "≈", "gpt-4o", 1.25))


def line(made: ComparePage, name: str = MIDDLE) -> CompareTableRow:
    return next(one for one in made.lines if one.name == name)


def cells(row: CompareRow) -> dict[str, str]:
    return dict(zip(COLUMNS, (cell.text for cell in line(page(row), row.name).cells), strict=True))


def test_a_row_says_its_figures() -> None:
    said = cells(ROW)
    assert said["tokens after"] == "4,000"
    assert said["saved"] == "−60.0 %"
    assert (said["fidelity"], said["constraints"], said["files"]) == ("0.80", "2 of 4", "3 of 3")
    assert said["errors"] == "–"
    assert said["later needs"] == "75 %"
    assert (said["prefix kept"], said["pays back after"]) == ("3,000", "3 calls")
    assert (said["lint"], said["time"]) == ("ok", "250 ms")


@pytest.mark.parametrize(
    ("change", "column", "text"),
    [
        ({"cost": CompactionCost(3_000, None, 0, RATES)}, "prefix kept", "all"),
        ({"cost": CompactionCost(3_000, 4, 9, RATES, 0.0)}, "pays back after", "never"),
        ({"cost": CompactionCost(3_000, 4, 9, RATES, 0.0, break_even=0.0)}, "pays back after", "at once"),
        ({"cost": None}, "pays back after", "–"),
        ({"no_op": "why"}, "pays back after", ""),
        ({"lint": (2, 1)}, "lint", "2 errors"),
        ({"lint": (0, 1)}, "lint", "1 warning"),
        ({"demand": None}, "later needs", "–"),
        ({"fidelity": None}, "fidelity", "–"),
    ],
)
def test_what_is_not_known_or_wrong_is_said_so(change: dict[str, Any], column: str, text: str) -> None:
    assert cells(replace(ROW, **change))[column] == text


def test_few_kept_facts_are_red() -> None:
    made = line(page(ROW)).cells
    assert [cell.tone for cell in made[5:8]] == ["error", "", ""]


def test_lines_wait_fail_or_are_done_and_recorded_ones_come_before_others() -> None:
    failed = replace(ROW, name=ONE_SHOT, error="It did not work.")
    recorded = replace(ROW, name="recorded 1", kind="recorded", scope="before:1")
    made = page(ROW, failed, recorded, names=(MIDDLE, ONE_SHOT, "recorded 1", "none"))
    states = {one.name: (one.state, one.rank, one.trouble) for one in made.lines}
    assert states[MIDDLE] == (DONE, 2, "")
    assert states[ONE_SHOT] == (FAILED, 2, "It did not work.")
    assert states["none"] == (WAITING, 0, "")
    assert states["recorded 1"][:2] == (DONE, 1)
    assert not line(made, "recorded 1").is_in_scope
    assert line(made, "recorded 1").tags == ("of 10k before it",)
    assert made.status == "3 of 4 done in 1.2 s"
    assert not made.is_over
    assert made.footnote.startswith("* ")
    assert BEST_CASE in page(replace(ROW, calls=1), recorded).footnote
    assert BEST_CASE not in page(replace(ROW, calls=0), recorded).footnote


def test_points_are_those_of_the_scope_with_the_front_by_tokens() -> None:
    better = replace(ROW, name=ONE_SHOT, tokens=2_000, fidelity=0.9)
    elsewhere = replace(ROW, name="recorded 1", kind="recorded", scope="before:1")
    made = page(ROW, better, elsewhere)
    assert {point.name: point.shape for point in made.points} == {MIDDLE: "beaten", ONE_SHOT: FRONT}
    assert [made.points[place].name for place in made.front] == [ONE_SHOT]
    assert RECORDED not in {point.shape for point in made.points}


def test_the_first_names_are_the_baseline_what_was_recorded_and_our_own() -> None:
    names = default_names(SESSION)
    assert names[:2] == ("none", "recorded 1")
    assert all(find_strategy(name).emulates is None for name in names[2:])
    assert set(default_names(SESSION, "Claude Code")) > set(names)


def test_scales_hold_the_least_and_times_are_short() -> None:
    assert fidelity_axis(0.5, 6).low <= 0.5
    assert fidelity_axis(1.0, 6).low <= 0.9
    assert [seconds(value) for value in (0.0884, 0.9996, 12.34)] == ["88 ms", "1.0 s", "12.3 s"]


@pytest.mark.parametrize("least", [0.0, 0.3, 0.77, 0.89, 0.98, 1.0])
@pytest.mark.parametrize("most", [5, 6])
def test_the_figures_of_a_scale_are_exact(least: float, most: int) -> None:
    ticks = fidelity_axis(least, most).ticks
    assert [float(tick.label) for tick in ticks] == pytest.approx([tick.value for tick in ticks], abs=1e-9)


def test_a_pair_lists_what_each_side_lost() -> None:
    rule = SourceFact(FidelityCategory.CONSTRAINT, "k", "Never  push.", (3, 9))
    error = SourceFact(FidelityCategory.ERROR, "e", "TypeError", (4,))
    against = PairwiseLosses(
        "A", "B", (LostFact(rule, FactStatus.VERBATIM),), (LostFact(error, FactStatus.SUMMARISED),)
    )
    made = pair_page(against, "all")
    assert (made.lost_in_a, made.lost_in_b, made.kinds) == (1, 1, "constraints 1 · errors 1")
    assert [(row.side, row.text, row.location, row.mono) for row in made.rows] == [
        ("a", "Never push.", "#4, 1 more", False),
        ("b", "TypeError", "#5, open", True),
    ]
