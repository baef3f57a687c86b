"""What the stages of one preview share, and its density step."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from core.llm.catalog import ContextWindow, choose_model, context_window
from core.llm.request_size import PLAIN, RequestSizing, next_size, sizing_of
from core.preview.options import Preview, PreviewOptions, StageCache
from core.settings.keys import LIMIT, MODE, STRATEGY
from core.settings.schema import Mode
from core.settings.values import Values
from core.strategies.base import DensityConfig, DensityResult, Strategy, density_config
from core.strategies.density.incremental_density import incremental_optimize
from core.strategies.registry import STRATEGIES, find_strategy
from core.tokens.counter import TokenCounter, counter_for
from core.tokens.message_tokens import count_messages
from core.transcript.model import Conversation
from core.transcript.scopes import CURRENT, History, history_of_scope

_MANY = 20_000
"""Messages from which on of a switch only what it saves is remembered, not what it would change."""


@dataclass(frozen=True, slots=True)
class PreviewContext:
    """What the stages of one preview share."""

    conversation: Conversation
    values: Values
    ask: PreviewOptions
    stages: StageCache
    counter: TokenCounter
    past: History
    counts: array[int]
    model: str
    window: ContextWindow
    strategy: Strategy
    sizing: RequestSizing = PLAIN

    @property
    def mode(self) -> Mode:
        """Whether faults of the reference are repeated."""
        return Mode(self.values.text(MODE))

    @property
    def density_config(self) -> DensityConfig:
        """What the density step is told by the settings."""
        return density_config(self.values, self.conversation.cwd or "/", self.mode)


def preview_context(
    conversation: Conversation, values: Values, ask: PreviewOptions, stages: StageCache
) -> PreviewContext:
    """The bench of a preview; what earlier ones left in ``stages`` is not made again.

    Raises InputError for unknown names.
    """
    model = choose_model(conversation, ask.model)
    raw = stages.once("counter", model, lambda: counter_for(model))
    past = stages.once("history", ask.scope, lambda: history_of_scope(conversation, ask.scope))
    counts = stages.once("counts", (ask.scope, model), lambda: _counts(conversation, past, raw, ask))
    sizing, counter = PLAIN, raw
    if Mode(values.text(MODE)) is Mode.SAFE:
        sizing = sizing_in(conversation, raw, ask.scope, model, stages)
        counter = sizing.counter(raw)
        counts = stages.once("sizes", (ask.scope, model), lambda: sizing.sizes(past.messages, counts))
    limit = values.get(LIMIT)
    bound = context_window(conversation, model, None if limit is None else int(limit))
    strategy = find_strategy(values.text(STRATEGY))
    return PreviewContext(
        conversation, values, ask, stages, counter, past, counts, model, bound, strategy, sizing
    )


def sizing_in(
    conversation: Conversation, raw: TokenCounter, scope: str, model: str, stages: StageCache
) -> RequestSizing:
    """The sizing of a scope for a model, made once."""
    return stages.once("sizing", (scope, model), lambda: sizing_of(conversation, raw, scope, model))


def next_request(made: Preview, raw: TokenCounter, stages: StageCache) -> int:
    """Tokens of the request that comes next, as a preview sizes it: what is current of its conversation, the
    shown system prompt and tools, and what is hidden."""

    def measure() -> int:
        conversation, model = made.conversation, made.window.model
        sizing = (
            PLAIN if made.mode is Mode.REFERENCE else sizing_in(conversation, raw, CURRENT, model, stages)
        )
        return next_size(conversation, raw, sizing)

    return stages.once("next request", (made.window.model, made.mode), measure)


def _counts(
    conversation: Conversation, past: History, counter: TokenCounter, ask: PreviewOptions
) -> array[int]:
    known, own = count_messages(conversation, counter, ask.progress), conversation.messages
    return array(
        "q",
        (
            known[position] if position >= 0 and own[position] is message else counter.message(message)
            for position, message in zip(past.positions, past.messages, strict=True)
        ),
    )


def _optimizer() -> Strategy:
    """The strategy whose density step answers "would save" under the others."""
    return next(strategy for strategy in STRATEGIES if strategy.optimize is not None)


def density_of(bench: PreviewContext, config: DensityConfig) -> DensityResult:
    given = bench.strategy.optimize or _optimizer().optimize
    assert given is not None
    optimize = given
    if len(bench.past.messages) <= _MANY:  # the switches share what they find; of more that takes memory
        optimize = bench.stages.once("passes", (bench.past.scope, given), lambda: incremental_optimize(given))
    if not _is_kept(bench, config):
        return optimize(bench.past.messages, config)
    return bench.stages.once(
        "density", (bench.past.scope, config), lambda: optimize(bench.past.messages, config)
    )


def _is_kept(bench: PreviewContext, config: DensityConfig) -> bool:
    """False for what would only be changed, of a long history."""
    is_own = bench.strategy.optimize is not None and config == bench.density_config
    return is_own or len(bench.past.messages) <= _MANY


def saved_tokens(bench: PreviewContext, config: DensityConfig) -> int:
    """Tokens that a density pass takes away."""

    def measure() -> int:
        result = density_of(bench, config)
        gone = sum(bench.counts[index] for index in (*result.removals, *result.replacements))
        keeps = _is_kept(bench, config)
        return gone - sum(bench.counter.each(result.replacements.values(), keeps=keeps))

    return bench.stages.once("saved", (bench.past.scope, config, bench.model), measure)
