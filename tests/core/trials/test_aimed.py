"""The settings that bring a result to a size."""

from dataclasses import replace

import pytest

from core.analysis.analysis_input import AnalysisInput
from core.common.errors import Cancelled, InputError
from core.common.paths import SAMPLES
from core.formats.registry import load_conversation
from core.preview import preview
from core.preview.options import StageCache
from core.preview.strategy_input import StageResults, compose_compaction
from core.settings.schema import (
    EXCERPT_TARGET,
    PRESERVE,
    THRESHOLD,
    TOP_PRESERVE,
    with_setting,
)
from core.strategies.registry import STRATEGIES
from core.transcript.compaction import Compaction
from core.trials import axes
from core.trials.axes import MOST_TRIES, aim_tokens, aimed_result, aimed_trials
from core.trials.by_strategy import ranked_rows
from core.trials.run import run_trial, trial_preview
from core.trials.trial import Depth, Trial
from tests.core.strategies.strategy_running import values

AIM = 30_000


@pytest.fixture(scope="module")
def source() -> AnalysisInput:
    conversation = load_conversation(SAMPLES / "fix-flaky-upload.jsonl")
    return AnalysisInput(conversation=conversation, values=values())


def test_a_target_is_set_to_the_aim(source: AnalysisInput) -> None:
    result = aimed_result(source, "excerpt", AIM)
    assert result.trial.settings == ((EXCERPT_TARGET, AIM),)
    assert 0.95 * AIM < result.sizes.tokens <= AIM


def test_top_and_bottom_shrink_no_more_than_needed(source: AnalysisInput) -> None:
    result = aimed_result(source, "middle-out", AIM)
    assert result.sizes.tokens <= AIM
    assert dict(result.trial.settings).keys() == {TOP_PRESERVE, PRESERVE}
    trials = aimed_trials(source.values, "middle-out", AIM)
    larger = trials[trials.index(result.trial) - 1]
    assert run_trial(source, larger, Depth.NEEDED).sizes.tokens > AIM


def test_a_result_within_the_aim_keeps_its_settings(source: AnalysisInput) -> None:
    result = aimed_result(source, "one-shot", 50_000)
    assert not result.trial.settings
    unaimed = run_trial(source, Trial("one-shot"), Depth.ALL)
    assert result.sizes == replace(unaimed.sizes, aim=50_000)


def test_out_of_reach_the_smallest_result_is_shown(source: AnalysisInput) -> None:
    result = aimed_result(source, "middle-out", 20_000)
    assert dict(result.trial.settings) == {TOP_PRESERVE: 0.0, PRESERVE: 0.0}
    assert result.sizes.tokens > 20_000


def test_a_strategy_without_a_size_follows_its_trigger(source: AnalysisInput) -> None:
    result = aimed_result(source, "top-down-truncation", AIM)
    assert dict(result.trial.settings).keys() == {THRESHOLD}
    assert not result.misses_aim


def test_what_is_recorded_is_aimed_at_nothing(source: AnalysisInput) -> None:
    result = aimed_result(source, "recorded 1", 1_000)
    assert (result.trial.settings, result.misses_aim) == ((), False)


def test_results_beyond_the_aim_are_last_and_no_trade_off(
    source: AnalysisInput,
) -> None:
    made = [
        aimed_result(source, name, AIM) for name in ("stub-and-retrieve", "excerpt")
    ]
    reached, missed = ranked_rows(made, source.options.scope)
    assert (missed.name, missed.misses_aim) == ("stub-and-retrieve", True)
    assert reached.is_candidate
    assert not missed.is_candidate


def test_no_search_takes_more_than_twelve_tries(
    source: AnalysisInput, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Trial] = []

    def counted(source: AnalysisInput, trial: Trial) -> float:
        tried.append(trial)
        return trial_preview(source, trial, checks=False).sizes.after_tokens

    monkeypatch.setattr(axes, "_tokens", counted)
    for strategy in STRATEGIES:
        tried.clear()
        aimed_result(source, strategy.name, 25_000)
        assert len(tried) <= MOST_TRIES, strategy.name


def test_the_chosen_try_does_not_run_again(
    source: AnalysisInput, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = list[Compaction]()

    def counted(stages: StageResults, run: Compaction) -> Compaction:
        runs.append(run)
        return compose_compaction(stages, run)

    monkeypatch.setattr(preview, "compose_compaction", counted)
    aimed_result(replace(source, stages=StageCache()), "one-shot", 50_000)
    assert len(runs) == 1


def test_the_result_is_that_of_its_settings(source: AnalysisInput) -> None:
    for name in ("excerpt", "middle-out", "high-density", "tiered", "hybrid"):
        result = aimed_result(source, name, AIM)
        again = run_trial(source, result.trial, Depth.ALL)
        assert replace(again.sizes, aim=AIM) == result.sizes, name


def test_a_search_ends_when_it_is_cancelled(source: AnalysisInput) -> None:
    def stop(fraction: float, text: str) -> None:
        raise Cancelled

    fresh = load_conversation(SAMPLES / "fix-flaky-upload.jsonl")
    stopped = AnalysisInput(
        conversation=fresh,
        values=values(),
        options=replace(source.options, progress=stop),
    )
    with pytest.raises(Cancelled):
        aimed_result(stopped, "middle-out", AIM)


def test_a_share_is_one_of_the_limit(source: AnalysisInput) -> None:
    assert aim_tokens(source, 0.35) == 70_000
    assert aim_tokens(source, 20_000) == 20_000
    with pytest.raises(InputError, match="too small"):
        aim_tokens(source, 0.0001)


def test_out_of_reach_a_target_is_the_aim(source: AnalysisInput) -> None:
    result = aimed_result(source, "excerpt", 15_000)
    assert result.trial.settings == ((EXCERPT_TARGET, 15_000),)
    assert result.misses_aim
    assert result.sizes.messages > 1


def test_a_search_begins_at_its_start_not_at_the_present(source: AnalysisInput) -> None:
    lowest = source.values
    for key in (TOP_PRESERVE, PRESERVE):
        lowest = with_setting(lowest, key, 0.0)
    found = aimed_result(
        replace(source, values=lowest), "middle-out", AIM, source.values
    )
    assert found.sizes == aimed_result(source, "middle-out", AIM).sizes
