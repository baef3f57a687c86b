"""Scales of plots and their tick labels."""

from __future__ import annotations

import pytest

from core.presentation.plots import plot_axis, short_labels, whole_labels


@pytest.mark.parametrize(
    ("most", "labels"),
    [
        (800, ("0", "200", "400", "600", "800")),
        (1_100, ("0", "0.25k", "0.50k", "0.75k", "1.00k", "1.25k")),
        (2_000, ("0", "0.5k", "1.0k", "1.5k", "2.0k")),
        (12_000, ("0", "2.5k", "5.0k", "7.5k", "10.0k", "12.5k")),
        (90_000, ("0", "20k", "40k", "60k", "80k", "100k")),
        (1_100_000, ("0", "0.25M", "0.50M", "0.75M", "1.00M", "1.25M")),
    ],
)
def test_the_labels_of_a_scale_are_alike_and_none_is_rounded(most: int, labels: tuple[str, ...]) -> None:
    found = plot_axis(0, most, short_labels, 5, integers_only=True)
    assert tuple(tick.label for tick in found.ticks) == labels


def test_what_is_between_two_exact_ends_has_labels_too() -> None:
    found = plot_axis(1_100, 2_300, short_labels, 6, is_exact=True)
    assert [tick.label for tick in found.ticks] == ["1.2k", "1.4k", "1.6k", "1.8k", "2.0k", "2.2k"]
    found = plot_axis(1, 1_500, whole_labels, 3, is_exact=True)
    assert [tick.label for tick in found.ticks] == ["500", "1000", "1500"]
