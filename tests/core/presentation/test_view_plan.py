"""Rows of a list: folds, cuts, recorded compactions, filters."""

from __future__ import annotations

from array import array

import pytest

from core.presentation.lists.row_plan import RowKind, RowPlan, row_plan
from core.presentation.model import CutRow, RecordedRow

KEPT, EDITED, PRUNED, SUMMARISED = range(4)
FATES = bytes([KEPT] * 83 + [SUMMARISED] * 245 + [KEPT] * 84)
TOKENS = array("q", [10]) * 412
CUTS = (CutRow(83, "cut 1 · before #84", "top"), CutRow(328, "cut 2 · before #329", "bottom"))


def shape(made: RowPlan) -> list[tuple[int, int]]:
    return [made.kind_and_index(row) for row in range(len(made))]


def test_a_long_run_folds_to_twelve_one_and_four() -> None:
    made = row_plan(412, FATES, tokens=TOKENS)
    assert len(made) == 83 + 12 + 1 + 4 + 84
    assert made.kind_and_index(95) == (RowKind.FOLD, 0)
    assert made.folded_runs[0].text == "229 more summarised · #96–#324 · 2,290 tokens"
    assert made.kind_and_index(94) == (RowKind.MESSAGE, 94)
    assert made.kind_and_index(96) == (RowKind.MESSAGE, 324)


@pytest.mark.parametrize(("length", "rows"), [(24, 24), (25, 17)])
def test_a_run_folds_from_25_messages_on(length: int, rows: int) -> None:
    assert len(row_plan(length, bytes([SUMMARISED]) * length)) == rows


def test_a_cut_ends_a_run_so_that_no_fold_hides_it() -> None:
    made = row_plan(60, bytes([SUMMARISED]) * 60, (CutRow(30, "cut 1", "top"),))
    kinds = [kind for kind, _ in shape(made)]
    assert kinds.count(RowKind.FOLD) == 2
    assert kinds.count(RowKind.CUT) == 1


def test_recorded_compactions_stand_before_cuts_and_open() -> None:
    recorded = (RecordedRow(2, 1, "— context compacted —", "recorded 1", "", "What was done"),)
    cuts = (CutRow(2, "cut 1", "top"), CutRow(3, "— context compacted —", "", is_compaction=True))
    made = row_plan(3, bytes(3), cuts, recorded, frozenset({(RowKind.RECORDED, 0)}))
    kinds = [kind for kind, _ in shape(made)]
    assert kinds == [0, 0, RowKind.RECORDED, RowKind.SUMMARY, RowKind.CUT, 0, RowKind.COMPACTED]


def test_a_filter_looks_inside_folds_and_keeps_cuts() -> None:
    made = row_plan(412, FATES, CUTS, hidden=frozenset({KEPT}))
    assert len(made) == 245 + 2
    assert made.row_of(0) == -1
    assert made.rows[0] == 0  # the next row
    assert made.row_of(200) == 118
    assert not made.folded_runs
