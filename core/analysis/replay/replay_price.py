"""What a replay or a sweep would cost whose summaries a model writes, before any call is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.analysis.compare.row_computation import with_strategy
from core.analysis.cost.run_cost import RunCostEstimate, agent_run_cost, run_cost, run_requests
from core.analysis.replay.replay import ground_of, replay_tracks
from core.analysis.sweep.model import SettingAxis
from core.analysis.sweep.sweep import at_point, settings_of
from core.common.errors import FoldlineError
from core.llm.pricing import is_paid
from core.llm.protocol import Summariser, SummaryRequest, SummaryResponse
from core.preview.options import PreviewOptions, StageCache
from core.preview.preview import compute_preview, prompts_of
from core.preview.run_requests import RunRequests
from core.settings.keys import MODE
from core.settings.profile import Profile
from core.settings.schema import Mode
from core.settings.values import Values
from core.strategies.base import Strategy, asks_model
from core.strategies.hybrid.agent_mode import PROMPT, is_agent, rough_first
from core.strategies.model_choice import choose_summary_model
from core.strategies.registry import find_strategy
from core.summarize.offline_summarizer import OfflineSummariser
from core.tokens.counter import TokenCounter, counter_for
from core.transcript.model import Conversation

RunCosts = list[tuple[RunCostEstimate, bool]]
"""Bills, each with whether it is paid."""


@dataclass(frozen=True, slots=True)
class _RecordingSummariser:
    """Writes offline and remembers what a model would have been asked."""

    inner: Summariser
    asked: list[SummaryRequest] = field(default_factory=list)
    profile: str = ""
    model: str = ""

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        """The offline answer."""
        self.asked.append(request)
        return self.inner.summarise(request)


def replay_costs(
    conversation: Conversation,
    names: Sequence[str],
    values: Values,
    profile: Profile,
    ask: PreviewOptions,
    stages: StageCache,
) -> RunCosts:
    """A bill for each strategy that would call a model. It is played with offline summaries to see how
    often; a model's summaries are of other sizes, so that this is about what it will be, not the most."""
    counter = ground_of(conversation, values, ask, stages).counter
    found: RunCosts = []
    for strategy in map(find_strategy, names):
        if asks_model(strategy, values):
            found += _replay_bill(conversation, strategy, values, profile, ask, stages, counter)
    return found


def _replay_bill(
    conversation: Conversation,
    strategy: Strategy,
    values: Values,
    profile: Profile,
    ask: PreviewOptions,
    stages: StageCache,
    counter: TokenCounter,
) -> RunCosts:
    own = with_strategy(values, strategy.name)
    writer = choose_summary_model(profile, own, strategy).profile
    meter = _RecordingSummariser(OfflineSummariser(counter.text), profile=writer.name, model=writer.model)
    metered = replace(ask, writer=writer, choose=lambda name: meter, agent=None)
    (track,) = replay_tracks(conversation, (strategy.name,), values, metered, stages)
    if is_agent(strategy, own):
        prompt = prompts_of(strategy, writer, Mode(own.text(MODE)))[PROMPT]
        one = agent_run_cost(rough_first(len(conversation.messages), counter.text(prompt)), writer)
        return [(one, is_paid(writer))] * (len(track.compactions) + track.refused)
    return [(run_cost(RunRequests(tuple(meter.asked)), writer), is_paid(writer))] if meter.asked else []


def sweep_costs(
    conversation: Conversation,
    name: str,
    values: Values,
    axes: Sequence[SettingAxis],
    profile: Profile,
    ask: PreviewOptions,
    stages: StageCache,
) -> RunCosts:
    """A bill for each point that would call a model: the most that it can be."""
    strategy = find_strategy(name)
    found: RunCosts = []
    for at in settings_of(axes) if asks_model(strategy, values) else ():
        own = at_point(with_strategy(values, name), axes, at)
        writer = choose_summary_model(profile, own, strategy).profile
        try:
            made = compute_preview(
                conversation, own, replace(ask, writer=writer, writes=False, checks=False), stages
            )
            asks = run_requests(made, writer, made.sizing.counter(counter_for(made.window.model)), ask.focus)
        except FoldlineError:  # it will be the error of its point
            continue
        if not asks.is_empty:
            found.append((run_cost(asks, writer), is_paid(writer)))
    return found
