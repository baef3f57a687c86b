"""The ruler's geometry: columns, hits, zoom, ticks, runs; scales of plots and their labels."""

from itertools import pairwise

import pytest

from core.presentation.model import KINDS, FateRun
from core.presentation.plots import plot_axis, short_labels, whole_labels
from core.presentation.ruler import geometry
from core.presentation.ruler.wording import axis_label

HUMAN, AI, TOOL = KINDS.index("human"), KINDS.index("ai"), KINDS.index("tool")
KEPT, EDITED, PRUNED, SUMMARISED = range(4)


def book(*messages: tuple[int, int]) -> geometry.TokenBar:
    sums = geometry.prefix_sums([size for _, size in messages])
    return geometry.TokenBar(sums, bytes(code for code, _ in messages))


def test_wide_messages_end_in_a_gap() -> None:
    bar, view = book((HUMAN, 50), (TOOL, 50)), geometry.whole_range(100, 20)
    line = geometry.pixel_columns(bar, view, geometry.KIND_WEIGHTS)
    assert line[:9] == bytes([HUMAN] * 9)
    assert line[9] == line[19] == geometry.GAP
    assert line[10:19] == bytes([TOOL] * 9)


def test_column_counts_only_the_part_of_a_message_inside_it() -> None:
    bar, view = book((TOOL, 14), (AI, 26)), geometry.whole_range(40, 4)
    assert geometry.pixel_columns(bar, view, [1] * 7, gaps=False) == bytes(
        [TOOL, AI, AI, AI]
    )


def test_error_caps_are_three_pixels_and_never_overlap() -> None:
    sums = geometry.prefix_sums([10, 1, 1, 68, 20])
    marks = list(
        geometry.error_marks(
            sums, bytes([0, 1, 1, 0, 1]), geometry.whole_range(100, 100)
        )
    )
    assert marks == [(10, 13), (80, 90)]


def test_hit_testing_goes_both_ways() -> None:
    sums = geometry.prefix_sums([30, 30, 40])
    view = geometry.whole_range(100, 200)
    assert geometry.messages_in(sums, view, 61) == (1, 2)
    assert geometry.messages_in(sums, view, 199) == (2, 3)
    assert geometry.messages_in(sums, geometry.whole_range(300, 200), 150) == (0, 0)
    many = geometry.prefix_sums([1] * 1000)
    assert geometry.messages_in(many, geometry.whole_range(1000, 100), 10) == (100, 110)


def test_zoom_keeps_what_is_under_the_pointer() -> None:
    sums = geometry.prefix_sums([100] * 1000)
    start = geometry.whole_range(100_000, 1000)
    view = geometry.zoom_range(start, 300, 4, sums)
    assert view.span == pytest.approx(25_000)
    assert view.tokens(300) == pytest.approx(start.tokens(300))


@pytest.mark.parametrize(
    ("total", "step"), [(200_000, 20_000), (3_000_000, 200_000), (2_000, 200)]
)
def test_labels_of_the_axis(total: int, step: int) -> None:
    ticks = geometry.axis_ticks(geometry.whole_range(total, 1000))
    assert [tokens for _, tokens, labelled in ticks if labelled][:2] == [0, step]


def test_a_label_of_the_axis_keeps_the_unit_of_its_neighbours() -> None:
    texts = [axis_label(tokens) for tokens in (0, 900, 1_000_000, 1_100_000, 72_500)]
    assert texts == ["0", "900", "1M", "1.1M", "72.5k"]


def test_boundaries_hatch_stretches_without_one() -> None:
    sums = geometry.prefix_sums([10, 10, 10])
    marks = geometry.boundary_pixels(
        bytes([1, 0, 0, 1]), sums, geometry.whole_range(30, 300)
    )
    assert marks == [(0, 300), (300, 300)]


def lane(*runs: FateRun, fates: bytes) -> geometry.RunLane:
    sums = geometry.prefix_sums([10] * len(fates))
    return geometry.RunLane(runs, geometry.TokenBar(sums, fates), sums)


def test_wide_runs_have_a_fold_each() -> None:
    both = FateRun(KEPT, (0, 5), (0, 5)), FateRun(SUMMARISED, (5, 10), (5, 6))
    whole = lane(*both, fates=bytes([KEPT] * 5 + [SUMMARISED] * 5))
    first, second = geometry.run_shapes(whole, geometry.whole_range(100, 100))
    assert first == geometry.RunShape(KEPT, (0, 50), (0, 50))
    assert second == geometry.RunShape(SUMMARISED, (50, 100), (50, 60))


def test_narrow_runs_merge_and_take_the_heaviest_fate() -> None:
    fates = bytes([EDITED, PRUNED, PRUNED] * 20)
    runs = [FateRun(fate, (i, i + 1), (i, i + 1)) for i, fate in enumerate(fates)]
    shapes = geometry.run_shapes(
        lane(*runs, fates=fates), geometry.whole_range(600, 600)
    )
    assert {shape.fate for shape in shapes} == {PRUNED}
    assert all(
        shape.upper[1] - shape.upper[0] >= geometry.MIN_SHAPE_WIDTH for shape in shapes
    )
    assert shapes[0].upper[0] == 0
    assert shapes[-1].upper[1] == 600


def test_pairs_go_from_call_to_last_result_and_stay_apart() -> None:
    groups = geometry.pair_groups({0: (1, 2), 1: (0,), 2: (0,), 3: (4,), 4: (3,)})
    assert groups == [(0, 2), (3, 4)]
    sums = geometry.prefix_sums([10] * 5)
    assert list(geometry.pair_spans(groups, sums, geometry.whole_range(50, 500))) == [
        (50, 250),
        (350, 450),
    ]
    assert list(geometry.pair_spans(groups, sums, geometry.whole_range(50, 5))) == [
        (0.5, 2.5),
        (3.5, 4.5),
    ]
    many = [(index, index + 1) for index in range(0, 1000, 2)]
    spans = geometry.pair_spans(
        many, geometry.prefix_sums([1] * 1001), geometry.whole_range(1001, 100)
    )
    assert all(b - a >= 3 for (a, _), (b, _) in pairwise(spans))


def test_spans_finds_stretches() -> None:
    assert list(geometry.code_spans(bytes([1, 1, 0, 1]), 1)) == [(0, 2), (3, 4)]


def test_whole_stays_whole_when_the_content_grows() -> None:
    view = geometry.whole_range(1000, 100)
    assert geometry.fit_range(view, 2000, 50) == geometry.whole_range(2000, 50)
    near = geometry.range_between(view, 200, 400)
    assert geometry.fit_range(near, 300, 50) == geometry.RulerRange(100, 200, 50, 300)


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
def test_the_labels_of_a_scale_are_alike_and_none_is_rounded(
    most: int, labels: tuple[str, ...]
) -> None:
    found = plot_axis(0, most, short_labels, 5, integers_only=True)
    assert tuple(tick.label for tick in found.ticks) == labels


def test_what_is_between_two_exact_ends_has_labels_too() -> None:
    found = plot_axis(1_100, 2_300, short_labels, 6, is_exact=True)
    assert [tick.label for tick in found.ticks] == [
        "1.2k",
        "1.4k",
        "1.6k",
        "1.8k",
        "2.0k",
        "2.2k",
    ]
    found = plot_axis(1, 1_500, whole_labels, 3, is_exact=True)
    assert [tick.label for tick in found.ticks] == ["500", "1,000", "1,500"]
