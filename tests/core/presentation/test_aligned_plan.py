"""The rows of the aligned list: what stands beside what, cells, collapsed runs, filters."""

import random
from array import array
from dataclasses import replace
from itertools import pairwise

import pytest

from core.presentation.lists.aligned_rows import (
    AlignedPlan,
    filtered_plan,
    side_plan,
    with_cut_at,
)
from core.presentation.lists.row_plan import RowKind, row_plan
from core.presentation.lists.side_rows import (
    AlignedInput,
    AlignedState,
    aligned_plan,
)
from core.presentation.model import FATES, CutRow, RecordedRow
from core.presentation.preview_columns import preview_columns
from core.preview.preview import compute_preview
from core.settings.schema import LIMIT, PRESERVE, STRATEGY, SettingValue
from core.settings_store.layers import SettingLayers
from core.strategies.base import Strategy
from core.strategies.registry import STRATEGIES
from tests.benchmarks.loops import agent_loop
from tests.support.builders import conversation

KEPT, EDITED, PRUNED, SUMMARISED, DROPPED = range(5)
INSERTED = len(FATES)
LETTERS = {"k": KEPT, "e": EDITED, "p": PRUNED, "s": SUMMARISED, "d": DROPPED}
M, S, C, COLLAPSED, CUT = (
    RowKind.MESSAGE,
    RowKind.SPLIT,
    RowKind.CELL,
    RowKind.COLLAPSED,
    RowKind.CUT,
)


STATES = (
    AlignedState(),
    AlignedState(is_stacked=True),
    AlignedState(has_cells=False),
    AlignedState(kept_collapsed=True),
    AlignedState(is_stacked=True, kept_collapsed=True),
)


def given(
    fates: str,
    *results: tuple[int, ...],
    cuts: tuple[int, ...] = (),
    recorded: tuple[int, ...] = (),
) -> AlignedInput:
    """Fates as letters; the sources of every message of the result."""
    at = array("q", [-1]) * len(fates)
    for number, sources in enumerate(results):
        for source in sources:
            at[source] = number
    codes = bytes(LETTERS[one] for one in fates)
    origin = array("q", [min(sources, default=-1) for sources in results])
    after = bytes(
        INSERTED
        if first < 0 or (codes[first] == SUMMARISED and len(results[number]) > 1)
        else codes[first]
        for number, first in enumerate(origin)
    )
    rows = tuple(CutRow(position, "", f"cut {position}") for position in cuts)
    marks = tuple(
        RecordedRow(
            boundary=position, number=1, text="", detail="", tone="", summary="text"
        )
        for position in recorded
    )
    return AlignedInput(
        fates=codes, results=at, origin=origin, after_fates=after, tokens=[10] * len(fates), cuts=rows,
        recorded=marks,
    )  # fmt: skip


def rows_of(plan: AlignedPlan) -> list[tuple[int, int, int]]:
    return list(zip(plan.kinds, plan.left, plan.right, strict=True))


def one_each(count: int, start: int = 0) -> tuple[tuple[int, ...], ...]:
    return tuple((index,) for index in range(start, start + count))


def check(plan: AlignedPlan, sources: int, results: int) -> None:
    """Every source and every result appears exactly once, and is found where it is."""
    shown: list[int] = []
    for kind, left, _ in rows_of(plan):
        if kind == COLLAPSED:
            shown += range(plan.collapsed[left].start, plan.collapsed[left].end)
        elif kind in (M, S, C) and left >= 0:
            shown.append(left)
    assert shown == list(range(sources)), "source order leads"
    made = [one for one in plan.right if one >= 0] + [
        one.result for one in plan.blocks if one.result >= 0
    ]
    made += [
        result
        for result, row in enumerate(plan.rows["after"])
        if plan.kinds[row] == COLLAPSED
    ]
    assert sorted(made) == list(range(results))
    for side, count in (("before", sources), ("after", results)):
        assert [row for row in range(count) if plan.row_of(side, row) < 0] == []
    for first, second in pairwise(plan.blocks):
        assert first.first + first.rows <= second.first


def test_kept_messages_are_rows_and_edited_ones_have_two_halves() -> None:
    plan = aligned_plan(given("keek", *one_each(4)))
    assert rows_of(plan) == [(M, 0, 0), (S, 1, 1), (S, 2, 2), (M, 3, 3)]


def test_a_removed_message_stands_alone_and_the_rest_stays_aligned() -> None:
    plan = aligned_plan(given("kpdk", (0,), (3,)))
    assert rows_of(plan) == [(M, 0, 0), (S, 1, -1), (S, 2, -1), (M, 3, 1)]


def test_a_summarised_run_has_one_cell_and_its_answer_the_last_row() -> None:
    plan = aligned_plan(
        given("k" + "s" * 8 + "k", (0,), tuple(range(1, 9)), (), (9,), cuts=(1, 9))
    )
    middle = [(C, index, -1) for index in range(1, 8)]
    assert rows_of(plan) == [
        (M, 0, 0),
        (CUT, 0, -1),
        *middle,
        (S, 8, 2),
        (CUT, 1, -1),
        (M, 9, 3),
    ]
    block = plan.block_at(3)
    assert block is not None
    assert (block.first, block.rows, block.result, block.sources) == (2, 7, 1, (1, 9))
    assert plan.row_of("after", 1) == 2
    assert plan.message_at(9) == ("before", 8)
    check(plan, 10, 4)


def test_a_short_run_gets_empty_rows_so_that_its_cell_has_five() -> None:
    plan = aligned_plan(given("ssk", (0, 1), (), (2,)))
    assert rows_of(plan) == [
        (C, 0, -1),
        (C, 1, -1),
        *[(C, -1, -1)] * 3,
        (S, -1, 1),
        (M, 2, 2),
    ]
    assert plan.message_at(3) == ("after", 0)
    assert plan.message_at(5) == ("after", 1)


def test_a_long_run_folds_inside_its_cell_and_opens() -> None:
    source = given("s" * 88 + "k", tuple(range(88)), (88,))
    plan = aligned_plan(source)
    assert plan.kinds == bytes([C] * 12 + [COLLAPSED] + [C] * 4 + [M])
    assert plan.collapsed[0].text == "72 more summarised · #13–#84 · 720 tokens"
    assert plan.blocks[0].rows == 17
    whole = aligned_plan(source, AlignedState(frozenset({(RowKind.COLLAPSED, 0)})))
    assert whole.blocks[0].rows == 89
    assert whole.row_of("before", 50) == 51


def test_more_rows_are_added_where_the_whole_summary_is_shown() -> None:
    plan = aligned_plan(given("sssk", (0, 1, 2), (3,)), AlignedState(least_rows={0: 9}))
    assert plan.blocks[0].rows == 9


def test_one_to_one_summaries_are_rows() -> None:
    plan = aligned_plan(given("kssk", *one_each(4)))
    assert rows_of(plan) == [(M, 0, 0), (S, 1, 1), (S, 2, 2), (M, 3, 3)]


@pytest.mark.parametrize(("length", "cells"), [(6, 0), (7, 1)])
def test_more_than_six_removed_messages_share_a_cell(length: int, cells: int) -> None:
    plan = aligned_plan(given("d" * length + "k", (length,)))
    assert len(plan.blocks) == cells
    if cells:
        assert plan.kinds == bytes([C] * 3 + [COLLAPSED] + [C] * 2 + [M])


def test_results_after_a_removed_run_stand_in_its_last_rows() -> None:
    plan = aligned_plan(given("k" + "d" * 9 + "k", (0,), (), (), (10,)))
    assert rows_of(plan)[-3:] == [(S, 8, 1), (S, 9, 2), (M, 10, 3)]
    assert (plan.blocks[0].first, plan.blocks[0].rows, plan.blocks[0].result) == (
        1,
        4,
        -1,
    )


def test_removed_messages_inside_a_run_stay_in_its_block_and_a_long_removal_divides_it() -> (
    None
):
    inside = aligned_plan(given("ss" + "d" * 6 + "ss", (0, 1, 8, 9)))
    assert [block.sources for block in inside.blocks] == [(0, 10)]
    apart = aligned_plan(given("d" * 85 + "s" * 12, tuple(range(85, 97))))
    assert [(block.sources, block.result) for block in apart.blocks] == [
        ((0, 85), -1),
        ((85, 97), 0),
    ]


def test_the_cell_stands_at_the_place_of_the_summary_and_other_runs_point_to_it() -> (
    None
):
    plan = aligned_plan(given("sskkssssss", (2,), (3,), (0, 1, *range(4, 10))))
    assert rows_of(plan)[:4] == [(S, 0, -1), (S, 1, -1), (M, 2, 0), (M, 3, 1)]
    assert [(block.first, block.result) for block in plan.blocks] == [(4, 2)]
    check(plan, 10, 3)


def test_a_summary_without_a_run_at_its_place_is_a_cell_of_its_own() -> None:
    plan = aligned_plan(given("ssk", (2,), (0, 1)))
    assert rows_of(plan) == [(S, 0, -1), (S, 1, -1), (M, 2, 0), *[(C, -1, -1)] * 8]
    assert plan.blocks[0].result == 1


def test_a_new_message_has_a_row_of_its_own() -> None:
    assert rows_of(aligned_plan(given("kk", (0,), (), (1,)))) == [
        (M, 0, 0),
        (S, -1, 1),
        (M, 1, 2),
    ]


def test_what_does_not_keep_the_order_of_most_is_moved() -> None:
    plan = aligned_plan(given("kkkkk", (0,), (3,), (1,), (2,), (4,)))
    assert rows_of(plan) == [
        (M, 0, 0),
        (S, -1, 1),
        (M, 1, 2),
        (M, 2, 3),
        (S, 3, -1),
        (M, 4, 4),
    ]


def test_several_results_of_one_source_have_a_row_each() -> None:
    plan = aligned_plan(given("kek", (0,), (1,), (1,), (2,)))
    assert rows_of(plan) == [(M, 0, 0), (S, 1, 1), (S, -1, 2), (M, 2, 3)]
    check(plan, 3, 4)


def test_a_recorded_compaction_stands_in_the_left_half_of_a_cell() -> None:
    plan = aligned_plan(given("ssssssk", tuple(range(6)), (6,), recorded=(3,)))
    assert plan.kinds == bytes([C] * 3 + [RowKind.RECORDED] + [C] * 3 + [M])
    assert plan.blocks[0].rows == 7


def test_a_cut_ends_a_run() -> None:
    plan = aligned_plan(given("s" * 12, tuple(range(12)), cuts=(4,)))
    assert plan.kinds == bytes([S] * 4 + [CUT] + [C] * 8)


def test_stacked_what_became_of_a_row_stands_below_it() -> None:
    state = AlignedState(is_stacked=True)
    plan = aligned_plan(
        given("ke" + "s" * 9 + "k", (0,), (1,), tuple(range(2, 11)), (), (11,)), state
    )
    head = [
        (M, 0, 0),
        (M, 1, -1),
        (S, -1, 1),
        (M, 2, -1),
        (M, 3, -1),
        (M, 4, -1),
        (COLLAPSED, 0, -1),
    ]
    assert rows_of(plan) == [
        *head,
        (M, 10, -1),
        *[(C, -1, -1)] * 6,
        (S, -1, 3),
        (M, 11, 4),
    ]
    check(plan, 12, 5)


def test_kept_runs_fold_if_only_changes_are_wanted() -> None:
    source = given("k" * 9 + "e" + "k" * 6, *one_each(16))
    plan = aligned_plan(source, AlignedState(kept_collapsed=True))
    assert plan.kinds == bytes([M, M, COLLAPSED, M, M, S, *[M] * 6])
    assert plan.collapsed[0].text == "5 more kept · #3–#7 · 50 tokens"
    check(plan, 16, 16)
    expanded = aligned_plan(
        source, AlignedState(frozenset({(RowKind.COLLAPSED, 0)}), kept_collapsed=True)
    )
    assert len(expanded) == 17
    assert expanded.row_of("after", 4) == expanded.row_of("before", 4) == 5


def test_the_system_prompt_is_the_first_row() -> None:
    plan = aligned_plan(replace(given("kk", *one_each(2), cuts=(0,)), has_system=True))
    assert plan.kinds == bytes([RowKind.SYSTEM, CUT, M, M])
    assert plan.message_at(0) == ("", -1)


def test_a_filter_leaves_rows_without_cells_and_folds() -> None:
    source = given("k" + "s" * 30 + "k", (0,), tuple(range(1, 31)), (), (31,))
    plan = aligned_plan(source, AlignedState(has_cells=False))
    check(plan, 32, 4)
    wanted, result = bytearray(32), bytearray(4)
    wanted[5] = wanted[31] = result[1] = 1
    shown = filtered_plan(plan, bytes(wanted), bytes(result))
    assert rows_of(shown) == [(S, 5, -1), (S, -1, 1), (M, 31, 3)]
    assert (
        shown.row_of("before", 5),
        shown.row_of("before", 6),
        shown.row_of("after", 1),
    ) == (
        0,
        -1,
        1,
    )


def _preview_input(strategy: str, limit: int) -> AlignedInput:
    source = conversation(*agent_loop(160), model="claude-sonnet-4-5")
    session: dict[str, SettingValue] = {STRATEGY: strategy, LIMIT: limit, PRESERVE: 0.2}
    columns = preview_columns(
        compute_preview(source, SettingLayers(session=session).resolve())
    )
    cuts = tuple(CutRow(cut.index, "", cut.name) for cut in columns.cuts)
    return AlignedInput(
        fates=columns.fates, results=columns.result_index, origin=columns.origin,
        after_fates=columns.after_fates, cuts=cuts,
    )  # fmt: skip


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_every_message_appears_once_under_every_strategy(strategy: Strategy) -> None:
    source = _preview_input(strategy.name, 12_000)
    for state in STATES:
        check(aligned_plan(source, state), len(source.fates), len(source.origin))


def _random_input(dice: random.Random) -> AlignedInput:
    """Runs of any fate; results in order or shuffled, shared, or several of one source."""
    fates = "".join(
        dice.choice("kkkespd") * dice.choice((1, 1, 2, 9, 40))
        for _ in range(dice.randrange(12))
    )
    results: list[tuple[int, ...]] = []
    for source, fate in enumerate(fates):
        if fate in "pd":
            continue
        if fate == "s" and results and dice.random() < 0.8:
            shared = dice.choice(results[-3:])
            results[results.index(shared)] = (*shared, source)
        else:
            results += [(source,)] * (2 if dice.random() < 0.05 else 1)
        if dice.random() < 0.1:
            results.append(())
    if dice.random() < 0.3:
        dice.shuffle(results)
    places = sorted(dice.randrange(len(fates) + 1) for _ in range(dice.randrange(3)))
    return given(fates, *results, cuts=tuple(places), recorded=tuple(places[:1]))


@pytest.mark.parametrize("seed", range(10))
def test_every_message_appears_once_whatever_the_fates_and_origins_are(
    seed: int,
) -> None:
    dice = random.Random(seed)
    for _ in range(100):
        source = _random_input(dice)
        for state in STATES:
            check(aligned_plan(source, state), len(source.fates), len(source.origin))


@pytest.mark.parametrize("boundary", [0, 1, 4, 5, 6, 9, 10])
def test_a_dragged_cut_is_where_a_new_plan_has_it(boundary: int) -> None:
    recorded = (
        RecordedRow(boundary=4, number=1, text="", detail="", tone="", summary=""),
    )

    def planned(*places: int) -> AlignedPlan:
        cuts = tuple(
            CutRow(place, "", name)
            for place, name in zip(places, ("top", "bottom"), strict=True)
        )
        return side_plan(row_plan(10, b"", cuts, recorded, has_system=True), "before")

    moved = with_cut_at(planned(5, 10), 0, boundary)
    if boundary < 10:  # before the same message the two cuts have either order
        assert moved == planned(boundary, 10)
    assert moved.rows == planned(boundary, 10).rows
