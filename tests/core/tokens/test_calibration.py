"""Calibration: the factor of a tokenizer, hidden tokens, silent clearings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from core.tokens.calibration import FAMILIES, Calibration, ReportedRequest, calibrate, family_factor
from tests.tools.family_factors import found_in

HIDDEN = 25_000


def requests(
    *counted: int, factor: float = 1.4, hidden: int = HIDDEN, model: str = "m", begins: bool = False
) -> Iterator[ReportedRequest]:
    """Yield requests of a provider with another tokenizer and hidden tokens."""
    for place, count in enumerate(counted):
        yield ReportedRequest(count, round(factor * count) + hidden, model, begins and not place, place)


def fitted(*some: Iterator[ReportedRequest], family: float = 1.2) -> Calibration:
    return calibrate((one for part in some for one in part), family)


def growing(first: int, count: int) -> tuple[int, ...]:
    return tuple(first + 700 * step for step in range(count))


def test_a_known_factor_and_hidden_size_are_found() -> None:
    result = fitted(requests(*growing(100, 30)))
    assert (result.source, result.fit.hidden, result.fit.requests) == ("reports", HIDDEN, 30)
    assert result.fit.factor == pytest.approx(1.4)
    assert result.fit.error == pytest.approx(0, abs=1e-5)


def test_with_fewer_than_three_reports_the_family_counts_and_hidden_is_unknown() -> None:
    result = fitted(requests(1_000, 2_000))
    assert (result.source, result.fit.factor, result.fit.hidden) == ("family", 1.2, None)
    assert calibrate(()).fit.factor == 1.0


def test_a_size_that_falls_without_a_record_is_a_silent_clearing() -> None:
    result = fitted(requests(*growing(30_000, 10)), requests(*growing(37_000, 10), hidden=HIDDEN - 26_000))
    (found,) = result.clearings
    assert found.dropped == pytest.approx(26_000, abs=50)
    assert found.requests[0].counted == 37_000
    assert result.fit.hidden == HIDDEN - 26_000


def test_a_recorded_compaction_and_another_model_begin_anew_without_being_silent() -> None:
    compacted = requests(*growing(3_000, 5), hidden=30_000, begins=True)
    other = requests(*growing(7_000, 5), factor=1.0, hidden=9_000, model="other")
    result = fitted(requests(*growing(30_000, 10)), compacted, other)
    assert [(len(one.requests), one.model, one.fit.hidden) for one in result.segments] == [
        (10, "m", HIDDEN),
        (5, "m", 30_000),
        (5, "other", 9_000),
    ]
    assert not result.clearings


def test_behind_a_recorded_compaction_the_former_fit_holds_until_two_reports() -> None:
    before = growing(30_000, 10)
    one = fitted(requests(*before), requests(3_000, hidden=30_000, begins=True))
    two = fitted(requests(*before), requests(3_000, 3_100, hidden=30_000, begins=True))
    assert [result.fit.hidden for result in (one, two)] == [HIDDEN, 30_000]
    assert two.fit.factor == pytest.approx(1.4)


@pytest.mark.parametrize("model", ["claude-opus-4-6", "anthropic/Claude-3-5-sonnet", "us.anthropic.claude-x"])
def test_a_family_is_found_under_every_name_of_its_models(model: str) -> None:
    assert family_factor(model) > 1


def test_the_table_is_what_the_tool_measures(corpus: Path) -> None:
    found = found_in(corpus)
    for family in FAMILIES:
        own = [one for one in found if one.family == family.name]
        factors = sorted(round(one.factor, 2) for one in own)
        measured = (median(factors), len(own), sum(one.requests for one in own), factors[0], factors[-1])
        assert measured == (family.factor, family.files, family.requests, family.low, family.high)
