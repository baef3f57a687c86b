"""Prices analyses with model summaries before any call, and chooses the model of each strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.analysis.analysis_input import AnalysisInput, OptionsFactory
from core.analysis.costs import agent_run_cost, run_cost
from core.analysis.replay import replay_input, replay_tracks
from core.common.errors import FoldlineError
from core.llm.client import CallObserver, IsCancelled
from core.llm.credentials import find_key
from core.llm.pricing import RunCostEstimate
from core.preview.options import PreviewOptions
from core.preview.preview import (
    RequestRecorder,
    RunRequests,
    compute_preview,
    requests_of,
)
from core.preview.strategy_input import strategy_prompts
from core.settings.profile import Profile
from core.settings.schema import MODE, RETRIES, Mode, Values, with_strategy
from core.strategies.base import Strategy, calls_model
from core.strategies.hybrid_agent import PROMPT, estimate_first_round, is_agent
from core.strategies.model_choice import choose_summary_model
from core.strategies.registry import STRATEGIES, find_strategy
from core.summarize.model_summariser import model_factories
from core.summarize.offline_summariser import OfflineSummariser
from core.tokens.counter import TokenCounter
from core.transcript.compaction import NoOpCode
from core.trials.axes import SettingAxis, axis_trials
from core.trials.run import recorded_number, trial_values
from core.trials.trial import Trial, trial_of


def model_options(
    profile: Profile, values: Values, observer: CallObserver, is_cancelled: IsCancelled
) -> OptionsFactory:
    """Return options by strategy that let the profile's model write the summaries. Raises
    InputError if the key of the profile is missing."""
    key = find_key(profile)
    if Mode(values.text(MODE)) is Mode.SAFE:
        retries = values.integer(RETRIES)
    else:
        retries = 0

    def options_for(strategy: Strategy, options: PreviewOptions) -> PreviewOptions:
        if not calls_model(strategy, values):
            return options
        choice = choose_summary_model(
            profile, with_strategy(values, strategy.name), strategy
        )
        summariser, agent = model_factories(
            choice.profile, key, retries, observer, is_cancelled
        )
        return replace(
            options,
            summary=replace(
                options.summary,
                profile=choice.profile,
                is_written=True,
                factory=summariser,
                agent=agent,
                model_reason=choice.reason,
            ),
        )

    return options_for


def writers_of(
    profiles: Sequence[Profile],
    values: Values,
    observer: CallObserver,
    is_cancelled: IsCancelled,
) -> dict[str, OptionsFactory | None]:
    """Return who writes the summaries of each profile; none of a profile that writes offline."""
    return {
        profile.name: None
        if profile.is_offline
        else model_options(profile, values, observer, is_cancelled)
        for profile in profiles
    }


def compare_costs(
    source: AnalysisInput, names: Sequence[str], profile: Profile
) -> Iterator[RunCostEstimate]:
    """Price the rows that a profile writes, once each."""
    trials = [trial_of(name) for name in names if recorded_number(name) is None]
    wanted = {one.strategy for one in trials if one.profile in ("", profile.name)}
    for strategy in STRATEGIES:
        if strategy.name in wanted and calls_model(strategy, source.values):
            source.options.progress(0.0, f"What {strategy.name} would cost")
            yield from _run_cost(source, Trial(strategy.name), profile, checks=True)


def sweep_costs(
    source: AnalysisInput, name: str, axes: Sequence[SettingAxis], profile: Profile
) -> Iterator[RunCostEstimate]:
    strategy = find_strategy(name)
    if calls_model(strategy, source.values):
        trials = axis_trials(name, axes)
    else:
        trials = ()
    for trial in trials:
        yield from _run_cost(source, trial, profile, checks=False)


def _run_cost(
    source: AnalysisInput, trial: Trial, profile: Profile, *, checks: bool
) -> Iterator[RunCostEstimate]:
    """Yield the most that a run can cost, nothing for one that calls no model or fails."""
    strategy = find_strategy(trial.strategy)
    values = trial_values(source.values, trial)
    summary_profile = choose_summary_model(profile, values, strategy).profile
    options = replace(
        source.options,
        checks=checks,
        summary=replace(
            source.options.summary, profile=summary_profile, is_written=False
        ),
    )
    try:
        preview = compute_preview(source.conversation, values, options, source.stages)
        no_op = preview.result.compaction.no_op
        if no_op is not None and no_op.code is not NoOpCode.NOT_SMALLER:
            return
        requests = requests_of(preview)
    except FoldlineError:
        return
    if not requests.is_empty:
        yield run_cost(requests, summary_profile)


def replay_costs(
    source: AnalysisInput, names: Sequence[str], profile: Profile
) -> Iterator[RunCostEstimate]:
    """Estimate every strategy that would call a model. A replay with offline summaries counts the
    calls; model summaries have other sizes, so this is no upper bound."""
    counter = replay_input(source).counter
    for strategy in map(find_strategy, names):
        if calls_model(strategy, source.values):
            yield from _track_cost(source, strategy, profile, counter)


def _track_cost(
    source: AnalysisInput, strategy: Strategy, profile: Profile, counter: TokenCounter
) -> Iterator[RunCostEstimate]:
    values = with_strategy(source.values, strategy.name)
    summary_profile = choose_summary_model(profile, values, strategy).profile
    recorder = RequestRecorder(
        OfflineSummariser(counter.text).summarise,
        summary_profile.name,
        summary_profile.model,
    )
    options = replace(
        source.options,
        summary=replace(
            source.options.summary,
            profile=summary_profile,
            factory=lambda name: recorder,
            agent=None,
        ),
    )
    (track,) = replay_tracks(replace(source, options=options), (strategy.name,))
    if is_agent(strategy, values):
        prompt = strategy_prompts(strategy, summary_profile, Mode(values.text(MODE)))[
            PROMPT
        ]
        first_round = estimate_first_round(
            len(source.conversation.messages), counter.text(prompt)
        )
        yield from [agent_run_cost(first_round, summary_profile)] * (
            len(track.compactions) + track.no_op_count
        )
    elif recorder.requests:
        yield run_cost(RunRequests(tuple(recorder.requests)), summary_profile)
