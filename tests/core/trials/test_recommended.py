"""What the recommended strategy would have kept at the same sizes, and when it is offered."""

from dataclasses import replace

import pytest

from core.analysis.analysis_input import AnalysisInput
from core.losses.needed_later import NeededLater
from core.presentation.preview_status import recommendation_notice
from core.settings.schema import EXCERPT_TARGET, with_setting
from core.trials.past import backtest, equal_size, is_far_ahead
from core.trials.trial import Backtest
from tests.core.trials.test_backtest import session
from tests.core.trials.test_backtest import source as source_of
from tests.support.narrowing import known
from tests.support.sweep_points import point_result


def judged(name: str, kept: int, tokens: int = 300) -> Backtest:
    point = point_result(tokens, NeededLater(10, kept, kept))
    return Backtest(name, (point,) * 3, 3)


@pytest.fixture(scope="module")
def source() -> AnalysisInput:
    return source_of(session())


@pytest.fixture(scope="module")
def found(source: AnalysisInput) -> Backtest:
    *_, last = backtest(source, "top-down-truncation")
    return last


def tokens(found: Backtest) -> int:
    return sum(point.sizes.tokens for point in found.points)


def test_at_an_equal_size_it_leaves_no_more(
    source: AnalysisInput, found: Backtest
) -> None:
    size = known(equal_size(source, found, 10**9))
    settings = ((EXCERPT_TARGET, float(size)),)
    *_, better = backtest(source, "excerpt", settings=settings)
    assert 0.9 * tokens(found) < tokens(better) <= tokens(found)


def test_an_equal_size_is_at_most_that_of_the_result(
    source: AnalysisInput, found: Backtest
) -> None:
    assert equal_size(source, found, 500) == 500
    assert equal_size(source, found, 50) is None


def test_no_equal_size_is_looked_for_where_nothing_can_be_far_ahead(
    source: AnalysisInput, found: Backtest
) -> None:
    all_kept = judged("middle-out", 10).points[0].losses
    points = tuple(replace(point, losses=all_kept) for point in found.points)
    assert equal_size(source, found, 900) is not None
    assert equal_size(source, replace(found, points=points), 900) is None


def test_a_size_of_the_session_shrinks_like_one_of_the_trial(
    source: AnalysisInput,
) -> None:
    settings = ((EXCERPT_TARGET, 900.0),)
    *_, of_trial = backtest(source, "excerpt", settings=settings)
    values = source.values
    for key, value in settings:
        values = with_setting(values, key, value)
    *_, of_session = backtest(replace(source, values=values), "excerpt")
    assert [one.sizes.tokens for one in of_session.points] == [
        one.sizes.tokens for one in of_trial.points
    ]


def test_it_is_offered_where_it_keeps_ten_points_more() -> None:
    assert is_far_ahead(judged("excerpt", 8), judged("middle-out", 6))
    assert not is_far_ahead(judged("excerpt", 6), judged("middle-out", 6))


def test_it_is_not_offered_for_leaving_more() -> None:
    assert not is_far_ahead(judged("excerpt", 8, tokens=301), judged("middle-out", 6))


def test_the_offer_says_both_shares_and_what_they_are_of() -> None:
    offer = recommendation_notice(judged("excerpt", 8), judged("middle-out", 5), 900)
    assert (
        offer.text == "would keep 80 % where this keeps 50 % (of 30 names, 3 points)."
    )
    assert [action.argument for action in offer.actions] == ["900:excerpt", ""]


def test_excerpt_is_not_compared_with_itself(source: AnalysisInput) -> None:
    assert equal_size(source, judged("excerpt", 8), 900) is None
