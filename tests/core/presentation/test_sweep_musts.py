"""What the values of one setting keep of the texts that must survive."""

from dataclasses import replace

import pytest

from core.cli.check import figures_line
from core.cli.output.check_reports import CheckedFile
from core.losses.evidence import MustMark, MustStatus, counted_musts
from core.losses.must_keep import MustEvidence
from core.presentation.compare.columns import SWEEP, must_cell
from core.presentation.compare.model import SweepPage
from core.presentation.compare.results import keeping_value, sweep_text, swept_musts
from core.presentation.losses_words import must_head
from core.presentation.verdict import must_units
from tests.gui.fake_analysis import KEYS, sweep_page
from tests.support.sweep_points import sweep_point

STATUSES = {
    "y": MustStatus.WORD_FOR_WORD,
    "p": MustStatus.IN_PART,
    "n": MustStatus.GONE,
    "-": MustStatus.NOT_SAID,
}


def page_of(*columns: str) -> SweepPage:
    """Return a page with five values of Keep Top, of which the second is set; a letter a must."""
    page = sweep_page((KEYS[0].vary,))
    points = []
    for point, letters in zip(page.points, columns, strict=True):
        musts = [
            MustMark(f"rule {n}", STATUSES[one]) for n, one in enumerate(letters, 1)
        ]
        points.append(
            sweep_point(
                *point.trial.setting_values, tokens=point.sizes.tokens, musts=musts
            )
        )
    return replace(page, points=tuple(points))


def test_the_musts_that_most_values_lose_come_first() -> None:
    rows = swept_musts(page_of("yyn-", "ypn-", "ypn-", "yyp-", "yyy-"))
    assert [row.text for row in rows] == ["rule 3", "rule 2", "rule 1"]
    assert rows[0].statuses == tuple(STATUSES[one] for one in "nnnpy")


@pytest.mark.parametrize(
    ("columns", "sentence", "place"),
    [
        (("nn", "yn", "yn", "yy", "yy"), "All 2 stand from Keep Top 40%", 3),
        (("yy", "yy", "ny", "ny", "ny"), "All 2 stand up to Keep Top 20%", 0),
        (("yy", "yn", "yy", "yn", "yy"), "All 2 stand at Keep Top 10%, 30%, 50%", 0),
        (("yy", "yy", "yy", "yy", "yy"), "All 2 stand at every value", -1),
        (("yp", "yp", "yn", "yn", "yn"), "No value keeps all 2", -1),
        (("n", "n", "n", "n", "y"), "It stands from Keep Top 50%", 4),
        (("n-", "n-", "n-", "n-", "n-"), "No value keeps it", -1),
    ],
)
def test_it_says_from_which_value_on_all_stand(
    columns: tuple[str, ...], sentence: str, place: int
) -> None:
    found = keeping_value(page_of(*columns))
    assert found is not None
    assert (found.sentence, found.point_index) == (sentence, place)


def test_the_cost_is_against_the_value_that_is_set() -> None:
    found = keeping_value(page_of("n", "n", "n", "y", "y"))
    assert found is not None
    assert found.cost == "≈50,000 tokens, 20,000 more than now"


def test_without_musts_or_before_its_end_nothing_is_said() -> None:
    page = page_of("y", "y", "y", "y", "y")
    assert keeping_value(page_of("", "", "", "", "")) is None
    assert keeping_value(replace(page, done=2)) is None


def test_the_table_has_must_keep_in_place_of_the_messages() -> None:
    with_musts, without = page_of(*("y",) * 5).points, page_of(*("",) * 5).points
    labels = [one.label for one in SWEEP.of_rows(with_musts).columns]
    assert "must keep" in labels
    assert "your messages" not in labels
    assert "must keep" not in [one.label for one in SWEEP.of_rows(without).columns]


def test_what_nobody_said_counts_nowhere() -> None:
    page = page_of(*("yn-",) * 5)
    point = page.points[0]
    marks = point.losses.musts
    evidence = [MustEvidence(text=one.text, status=one.status) for one in marks]
    assert len(counted_musts(marks)) == len(swept_musts(page)) == 2
    assert len(must_cell(point).marks) == 2
    assert "1 of 2 musts" in sweep_text(page, point)
    assert must_head(marks) == must_head(evidence) == "✕ 1 ✓ 1"
    assert must_units(evidence)[0].text == "1 of 2 musts gone"
    checked = CheckedFile(file="a.json", musts=tuple(evidence))
    assert "1 of 2 musts word for word" in figures_line(checked, 0.0)
