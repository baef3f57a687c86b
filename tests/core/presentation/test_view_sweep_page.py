"""The Sweep page: settings to sweep, cells, the current value, scales."""

from __future__ import annotations

import pytest

from core.analysis.sweep.model import SettingAxis, SweepPoint
from core.presentation.sweep.model import SweepPage
from core.presentation.sweep.page import COLUMNS, SweepProgress, first_vary, sweep_keys, sweep_page
from core.settings.keys import LIMIT, MODE, PRESERVE, PROFILE, READ_WRITE, TOP_PRESERVE
from core.settings.schema import Values
from core.strategies.registry import find_strategy
from core.transcript.compaction import FateKind
from tests.core.strategies.strategy_running import values

MIDDLE = find_strategy("middle-out")
AXES = (SettingAxis(PRESERVE, (0.1, 0.2)), SettingAxis(MODE, ("safe", "reference")))
FATES = {
    FateKind.KEPT: 5,
    FateKind.EDITED: 1,
    FateKind.SUMMARISED: 7,
    FateKind.PRUNED: 2,
    FateKind.DROPPED: 3,
}
DONE = SweepPoint((0.1, "safe"), 4_000, 12, 0.75, FATES, 0, 0.0)
FAILED = SweepPoint((0.2, "reference"), 0, 0, error="It did not work.")


def page(*runs: SweepPoint, own: Values | None = None, total: int = 4) -> SweepPage:
    vary = (f"{PRESERVE}=0.1,0.2", f"{MODE}=safe,reference")
    return sweep_page(SweepProgress(MIDDLE, own or values(), vary, AXES, runs, total, 10_000, "≈", 2.0))


def test_a_point_says_its_values_and_figures() -> None:
    (point,) = page(DONE).points
    assert (point.axis_indices, point.settings) == ((0, 0), ((PRESERVE, 0.1), (MODE, "safe")))
    assert point.title == "Keep Bottom 10 % · Behave safe"
    assert point.text == "≈4,000 tokens, −60.0 %, fidelity 0.75"
    assert point.cells[:9] == ("10 %", "safe", "4,000", "−60.0 %", "12", "0.75", "6", "7", "5")


def test_a_point_that_failed_has_no_figures_and_one_without_effect_says_why() -> None:
    failed, idle = page(FAILED, SweepPoint((0.1, "reference"), 10_000, 30, 1.0, no_op="Too few.")).points
    assert (failed.tokens, failed.fidelity, failed.trouble) == (None, None, "It did not work.")
    assert set(failed.cells[2:]) == {""}
    assert (idle.tokens, idle.trouble) == (10_000, "Too few.")


def test_axes_know_the_place_that_is_set() -> None:
    first, second = page(DONE).axes
    assert (first.label, first.values, first.current_index) == ("Keep Bottom", ("10 %", "20 %"), 1)
    assert (
        second.current_index,
        page(DONE, own=values(compression_preserve_threshold=0.3)).axes[0].current_index,
    ) == (0, -1)


def test_it_is_over_when_all_points_are_there() -> None:
    assert not page(DONE).is_over
    assert page(DONE).status == "1 of 4 done in 2.0 s"
    assert page(DONE, FAILED, total=2).is_over
    assert page(DONE).columns[2:4] == (f"≈ {COLUMNS[0]}", "saved")


def test_scales_hold_every_point() -> None:
    made = page(DONE, SweepPoint((0.2, "safe"), 9_000, 20, 0.5))
    assert made.tokens.high >= 9_000
    assert made.fidelity.low <= 0.5


@pytest.mark.parametrize(
    ("key", "first"),
    [(PRESERVE, "0.1:0.9:0.1"), (MODE, "safe,reference"), (LIMIT, "2000:16000:2000")],
)
def test_each_setting_brings_values_to_begin_with(key: str, first: str) -> None:
    assert {one.key: one.values for one in sweep_keys(MIDDLE, values())}[key] == first


def test_who_writes_cannot_be_swept_and_the_first_is_one_of_the_strategys_own() -> None:
    dense = {one.key for one in sweep_keys(find_strategy("high-density"), values())}
    assert READ_WRITE in dense
    assert PROFILE not in dense
    assert first_vary(MIDDLE, values())[0].startswith(f"{TOP_PRESERVE}=")
    assert first_vary(find_strategy("pinned-hybrid"), values())[0].startswith("compression-threshold=")
