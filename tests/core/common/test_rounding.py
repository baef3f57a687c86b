"""Shares and percents are rounded as on paper."""

from __future__ import annotations

import pytest

from core.common.number_format import half_up, share_of
from core.strategies.helpers import target_fraction
from core.strategies.registry import STRATEGIES
from tests.core.strategies.strategy_running import values


@pytest.mark.parametrize(
    ("number", "places", "text"),
    [(75.55, 1, "75.6"), (37.5, 0, "38"), (-75.55, 1, "-75.6"), (-0.04, 1, "0.0"), (99.96, 1, "100.0")],
)
def test_halves_are_rounded_up(number: float, places: int, text: str) -> None:
    assert half_up(number, places) == text


def test_every_whole_percent_of_a_window_is_exact() -> None:
    for limit in (100, 8_192, 84_000, 200_000):
        assert [share_of(limit, share / 100) for share in range(101)] == [
            share * limit // 100 for share in range(101)
        ]


def test_a_lowered_target_is_said_as_it_is_used() -> None:
    tiered = next(one for one in STRATEGIES if one.name == "tiered")
    fraction, told = target_fraction(tiered, values(compression_threshold=0.5), 0.6, 0.6)
    assert share_of(84_000, fraction) == 31_500
    assert told == "The target of 60 % is not below the trigger of 50 %; 37.5 % is used."
