"""Prices a replay or a sweep with model summaries before any call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.analysis.compare.row_computation import with_strategy
from core.analysis.cost.run_cost import RunCostEstimate, agent_run_cost, run_cost, run_requests
from core.analysis.replay.replay import replay_context, replay_tracks
from core.analysis.sweep.model import SettingAxis
from core.analysis.sweep.sweep import axis_combinations, values_at_point
from core.common.errors import FoldlineError
from core.llm.pricing import is_paid
from core.llm.protocol import Summariser, SummaryRequest, SummaryResponse
from core.preview.options import PreviewOptions, StageCache
from core.preview.preview import compute_preview, strategy_prompts
from core.preview.run_requests import RunRequests
from core.settings.keys import MODE
from core.settings.profile import Profile
from core.settings.schema import Mode
from core.settings.values import Values
from core.strategies.base import Strategy, calls_model
from core.strategies.hybrid.agent_mode import PROMPT, estimate_first_round, is_agent
from core.strategies.model_choice import choose_summary_model
from core.strategies.registry import find_strategy
from core.summarize.offline_summarizer import OfflineSummariser
from core.tokens.counter import TokenCounter, counter_for
from core.transcript.model import Conversation

RunCosts = list[tuple[RunCostEstimate, bool]]
"""Estimates, each with whether it is paid."""


@dataclass(frozen=True, slots=True)
class _RecordingSummariser:
    """Summarises offline and records the requests."""

    summariser: Summariser
    requests: list[SummaryRequest] = field(default_factory=list)
    profile: str = ""
    model: str = ""

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        self.requests.append(request)
        return self.summariser.summarise(request)


def replay_costs(
    conversation: Conversation,
    names: Sequence[str],
    values: Values,
    profile: Profile,
    options: PreviewOptions,
    stages: StageCache,
) -> RunCosts:
    """Estimate every strategy that would call a model. A replay with offline summaries counts the calls;
    model summaries have other sizes, so this is no upper bound."""
    counter = replay_context(conversation, values, options, stages).counter
    estimates: RunCosts = []
    for strategy in map(find_strategy, names):
        if calls_model(strategy, values):
            estimates += _track_cost(conversation, strategy, values, profile, options, stages, counter)
    return estimates


def _track_cost(
    conversation: Conversation,
    strategy: Strategy,
    values: Values,
    profile: Profile,
    options: PreviewOptions,
    stages: StageCache,
    counter: TokenCounter,
) -> RunCosts:
    track_values = with_strategy(values, strategy.name)
    writer = choose_summary_model(profile, track_values, strategy).profile
    recorder = _RecordingSummariser(OfflineSummariser(counter.text), profile=writer.name, model=writer.model)
    recording_options = replace(options, writer=writer, summariser_factory=lambda name: recorder, agent=None)
    (track,) = replay_tracks(conversation, (strategy.name,), values, recording_options, stages)
    if is_agent(strategy, track_values):
        prompt = strategy_prompts(strategy, writer, Mode(track_values.text(MODE)))[PROMPT]
        agent_run = agent_run_cost(
            estimate_first_round(len(conversation.messages), counter.text(prompt)), writer
        )
        return [(agent_run, is_paid(writer))] * (len(track.compactions) + track.no_op_count)
    return (
        [(run_cost(RunRequests(tuple(recorder.requests)), writer), is_paid(writer))]
        if recorder.requests
        else []
    )


def sweep_costs(
    conversation: Conversation,
    name: str,
    values: Values,
    axes: Sequence[SettingAxis],
    profile: Profile,
    options: PreviewOptions,
    stages: StageCache,
) -> RunCosts:
    """Return an upper bound for each point that would call a model."""
    strategy = find_strategy(name)
    estimates: RunCosts = []
    for axis_values in axis_combinations(axes) if calls_model(strategy, values) else ():
        point_values = values_at_point(with_strategy(values, name), axes, axis_values)
        writer = choose_summary_model(profile, point_values, strategy).profile
        try:
            preview = compute_preview(
                conversation,
                point_values,
                replace(options, writer=writer, writes_summary=False, checks=False),
                stages,
            )
            counter = preview.sizing.counter(counter_for(preview.window.model))
            requests = run_requests(preview, writer, counter, options.focus)
        except FoldlineError:  # the point reports it
            continue
        if not requests.is_empty:
            estimates.append((run_cost(requests, writer), is_paid(writer)))
    return estimates
