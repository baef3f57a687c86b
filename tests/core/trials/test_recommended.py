"""What the recommended strategy would have kept at the same sizes, and when it is offered."""

from dataclasses import replace

from core.analysis.analysis_input import AnalysisInput
from core.common.paths import SAMPLES
from core.formats.registry import load_conversation
from core.losses.needed_later import NeededLater
from core.presentation.preview_status import recommendation_notice
from core.settings_store.layers import SettingLayers
from core.trials.past import backtest, is_far_ahead, recommended_backtest
from core.trials.trial import Backtest
from tests.support.narrowing import known
from tests.support.sweep_points import point_result


def judged(name: str, kept: int) -> Backtest:
    point = point_result(300, NeededLater(10, kept, kept))
    return Backtest(name, (point,) * 3, 3)


def test_it_runs_at_the_sizes_that_the_strategy_left() -> None:
    conversation = load_conversation(SAMPLES / "fix-flaky-upload.jsonl")
    source = AnalysisInput(conversation=conversation, values=SettingLayers().resolve())
    *_, found = backtest(source, "middle-out")
    better = known(recommended_backtest(source, found))
    pairs = zip(better.points, found.judged, strict=True)
    assert all(ours.sizes.tokens <= theirs.sizes.tokens for ours, theirs in pairs)


def test_it_is_offered_where_it_keeps_ten_points_more() -> None:
    assert is_far_ahead(judged("excerpt", 8), judged("middle-out", 6))
    assert not is_far_ahead(judged("excerpt", 6), judged("middle-out", 6))
    assert not is_far_ahead(None, judged("middle-out", 6))


def test_the_offer_says_both_shares_and_what_they_are_of() -> None:
    offer = recommendation_notice(judged("excerpt", 8), judged("middle-out", 5))
    assert (
        offer.text == "would keep 80 % where this keeps 50 % (of 30 names, 3 points)."
    )
    assert [action.argument for action in offer.actions] == ["excerpt", ""]


def test_excerpt_is_not_compared_with_itself() -> None:
    source = AnalysisInput(
        conversation=load_conversation(SAMPLES / "fix-flaky-upload.jsonl"),
        values=SettingLayers().resolve(),
    )
    assert recommended_backtest(source, replace(judged("excerpt", 8))) is None
