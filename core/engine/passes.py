"""One density step and one compaction over a store, from context to replaced history."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from core.common.json_value import Json
from core.engine.context_limits import is_reference_strategy, with_reference_threshold
from core.engine.events import (
    CompactionStatus,
    CompressionCause,
    CompressionEnded,
    CompressionStarted,
    DensityApplied,
    DensityStarted,
    EngineEvent,
    EventListener,
    ProviderUsage,
    SummaryRequested,
)
from core.engine.history_store import HistoryStore, apply_edits
from core.engine.setup import SessionEnvironment
from core.engine.strategy_run import (
    StrategyInput,
    map_to_raw_history,
    refused_compaction,
    separates_pair,
    strategy_input,
    waiting_turn_start,
)
from core.llm.catalog import ModelLimit
from core.llm.protocol import Summariser, SummaryRequest, SummaryResponse
from core.llm.tools import ToolModel, ToolTurn
from core.preview.sizes import PreviewSizes, missed_size, missed_text
from core.preview.strategy_input import strategy_context
from core.settings.keys import STRATEGY
from core.settings.schema import Mode, Values
from core.strategies.base import (
    CompactorFactory,
    HistoryEdits,
    Strategy,
    StrategyContext,
    density_settings,
)
from core.strategies.curated_history import is_empty
from core.strategies.density.optimize import Optimize
from core.strategies.helpers import trigger_tokens
from core.strategies.older_images import leaves_out_images
from core.tokens.counter import CountMethod
from core.transcript.compaction import Compaction, ModelCall, NoOp, NoOpCode
from core.transcript.model import Message
from core.transcript.run_details import AgentStep

_COUNTED = CountMethod("≈", "the agent's counter", "")
_LOG = logging.getLogger("foldline")
_WITHOUT_TODOS = ("cs", "hd")  # variants of the reference that never fill in the todos
_Model = TypeVar("_Model", Summariser, ToolModel)
_Answer = TypeVar("_Answer", SummaryResponse, ToolTurn)

HISTORY_REPLACED_REASON = "While it ran, the history was cleared or replaced."


@dataclass(frozen=True, slots=True, kw_only=True)
class PassInput:
    """Inputs of a pass; ``strategy`` is the one whose density step runs."""

    store: HistoryStore
    values: Values
    environment: SessionEnvironment
    listener: EventListener
    mode: Mode
    limit: int | None
    strategy: Strategy | None = None


def run_density(inputs: PassInput, optimize: Optimize, on_applied: Callable[[], None]) -> None:
    """Optimize and apply while other threads wait (REQ-HD-002.4, .5, .9, .10)."""
    strategy = inputs.strategy
    assert strategy is not None
    inputs.listener(DensityStarted(strategy.name))
    with inputs.store.locked():
        before = inputs.store.total
        settings = density_settings(inputs.values, inputs.environment.root, inputs.mode)
        result = optimize(inputs.store.raw, settings)
        if not result.is_empty:
            inputs.store.apply_density(result)
        on_applied()
    if not result.is_empty:
        inputs.listener(DensityApplied(before, inputs.store.total, result.counters))


def run_compaction(
    inputs: PassInput,
    raw: tuple[Message, ...],
    strategy: Callable[[], Strategy],
    cause: CompressionCause,
    focus: str = "",
    *,
    before_replacing: Callable[[Compaction], None],
) -> Compaction:
    """Compact ``raw``, the store's history when the run began, while the store is marked; return
    the run over it (REQ-CS-006.1, .2, .4). The ``no_op`` of the run says why nothing was applied;
    in reference mode no-ops are applied as well. Errors reach the caller, and the history is
    unchanged (REQ-CS-006.3). ``before_replacing`` gets a run that is about to be applied."""
    name, before = inputs.values.text(STRATEGY), inputs.store.total
    run: Compaction | None = None
    inputs.store.start_compaction()
    try:
        inputs.listener(CompressionStarted(name, cause))
        run = _run_strategy(inputs, raw, strategy(), cause, focus, before_replacing)
        if inputs.mode is Mode.SAFE:
            run = _with_missed_size(inputs, raw, run, strategy())
    finally:
        inputs.store.end_compaction()
        _tell(inputs, CompressionEnded(name, run is None, None if run is None else run.no_op))
    if run.no_op is None or inputs.mode is Mode.REFERENCE:
        _tell(inputs, CompactionStatus(before, inputs.store.total, cause))
    return run


def _with_missed_size(
    inputs: PassInput, raw: Sequence[Message], run: Compaction, strategy: Strategy
) -> Compaction:
    """Return a run with the warning that the next request is above its target, where it is."""
    store = inputs.store
    counts = [store.estimate((message,)) for message in run.messages]
    sizes = PreviewSizes(
        count_method=_COUNTED,
        model_limit=ModelLimit(inputs.limit, "", ""),
        message_tokens_before=store.estimate(raw),
        message_tokens_after=sum(counts),
        system_tokens=store.base,
        trigger_tokens=trigger_tokens(strategy, inputs.values, inputs.limit),
        target=run.target,
        is_changed=run.no_op is None,
    )
    missed = missed_size(sizes, run, counts)
    if missed is None:
        return run
    return replace(run, warnings=(missed_text(missed), *run.warnings))


def _tell(inputs: PassInput, event: EngineEvent) -> None:
    """Tell of a pass that is over. The history is as it will be, so in safe mode a listener that
    raises cannot end it."""
    if inputs.mode is Mode.REFERENCE:
        inputs.listener(event)
        return
    try:
        inputs.listener(event)
    except Exception:
        _LOG.exception("A listener failed at %s.", type(event).__name__)


def _run_strategy(
    inputs: PassInput,
    raw: tuple[Message, ...],
    strategy: Strategy,
    cause: CompressionCause,
    focus: str,
    before_replacing: Callable[[Compaction], None],
) -> Compaction:
    part = strategy_input(raw, inputs.mode, strategy.effective_mode(inputs.mode))
    todos, warnings = _todos(inputs, strategy, part)
    context = _pass_strategy_context(inputs, strategy, part, todos, focus)
    run = strategy.compress(context)
    run = replace(run, warnings=(*warnings, *run.warnings))
    raw_run = map_to_raw_history(part, run, inputs.mode, strategy.reference)
    if inputs.mode is Mode.SAFE:
        if raw_run.no_op is not None:
            return raw_run
        before_replacing(raw_run)
        return _apply_run(inputs.store, part, run, raw_run)
    before_replacing(raw_run)
    inputs.store.clear()
    for message in raw_run.messages:
        inputs.store.add(message)
    return raw_run


def _apply_run(
    store: HistoryStore, part: StrategyInput, run: Compaction, raw_run: Compaction
) -> Compaction:
    """Replace the history in one step, unless that saves nothing or loses an answer
    (REQ-CS-006.2)."""
    before, after = store.estimate(part.raw), store.estimate(raw_run.messages)
    if after >= before and not leaves_out_images(raw_run):
        reason = f"The result is not smaller: {before:,} tokens of messages became {after:,}."
        return refused_compaction(part, run, NoOpCode.NOT_SMALLER, reason)
    with store.locked():
        if separates_pair(part.raw, raw_run.messages, store.raw[len(part.raw) :]):
            reason = "While it ran, an answer to a call in the compacted part was added."
            return refused_compaction(part, run, NoOpCode.HISTORY_CHANGED, reason)
        if not store.replace_oldest(part.raw, raw_run.messages):
            return refused_compaction(part, run, NoOpCode.HISTORY_CHANGED, HISTORY_REPLACED_REASON)
    return raw_run


def _todos(
    inputs: PassInput, strategy: Strategy, part: StrategyInput
) -> tuple[str, tuple[str, ...]]:
    """Return the open tasks for strategies that call a model (REQ-HD-011.2), and a warning if that
    failed."""
    is_reference = inputs.mode is Mode.REFERENCE
    if not strategy.requires_llm or (is_reference and inputs.environment.variant in _WITHOUT_TODOS):
        return "", ()
    try:
        return inputs.environment.todos(part.raw), ()
    except Exception as error:
        # The list is the agent's own code: without it the summary is poorer, not wrong.
        return "", () if is_reference else (
            f"The open tasks are not in the summary request: {error}.",
        )


def _pass_strategy_context(
    inputs: PassInput, strategy: Strategy, part: StrategyInput, todos: str, focus: str
) -> StrategyContext:
    environment, values = inputs.environment, inputs.values
    if inputs.mode is Mode.REFERENCE and is_reference_strategy(strategy):
        values = with_reference_threshold(values, environment.variant)

    def summariser(profile: str | None) -> Summariser:
        return ObservedSummariser(environment.summariser(profile), inputs.listener)

    def agent(profile: str | None) -> ToolModel:
        assert environment.agent is not None
        return ObservedToolModel(environment.agent(profile), inputs.listener)

    prompts = {name: environment.prompt(name) for name in strategy.prompts}
    is_reference = strategy.effective_mode(inputs.mode) is Mode.REFERENCE
    return strategy_context(
        strategy,
        part.history,
        values,
        inputs.mode,
        count=inputs.store.estimate,
        request_tokens=inputs.store.total,
        limit=inputs.limit,
        hidden=0 if is_reference else inputs.store.base,
        summariser=summariser,
        agent=None if environment.agent is None else agent,
        prompts=prompts,
        todos=todos,
        transcript=environment.transcript,
        focus=focus,
        sources=part.inputs,
        pins=environment.pins(part.history),
        variant=environment.variant,
    )


@dataclass(frozen=True, slots=True)
class _Observed(Generic[_Model]):
    """Emits one SummaryRequested and one ProviderUsage for each answer of a summariser or tool
    model."""

    inner: _Model
    listener: EventListener

    @property
    def profile(self) -> str:
        return self.inner.profile

    @property
    def model(self) -> str:
        return self.inner.model

    def _observed(self, answer: Callable[[], _Answer]) -> _Answer:
        self.listener(SummaryRequested(self.profile, self.model))
        found = answer()
        self.listener(
            ProviderUsage(self.profile, self.model, found.input_tokens, found.output_tokens)
        )
        return found


class ObservedSummariser(_Observed[Summariser]):
    __slots__ = ()

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        return self._observed(lambda: self.inner.summarise(request))


class ObservedToolModel(_Observed[ToolModel]):
    __slots__ = ()

    def converse(self, system: str, messages: Sequence[Message], tools: Sequence[Json]) -> ToolTurn:
        return self._observed(lambda: self.inner.converse(system, messages, tools))

    def report_step(self, step: AgentStep) -> None:
        self.inner.report_step(step)


@dataclass(frozen=True, slots=True)
class IncrementalRunResult:
    """The result of a run that the store has applied: ``no_op`` says why nothing changed."""

    no_op: NoOp | None
    calls: tuple[ModelCall, ...] = ()


class IncrementalRunner:
    """Runs one strategy over one store, in safe mode."""

    def __init__(self, store: HistoryStore, factory: CompactorFactory) -> None:
        self._store, self._factory = store, factory
        self._restart()

    def run(
        self, inputs: PassInput, strategy: Strategy, cause: CompressionCause
    ) -> IncrementalRunResult | None:
        """Compact incrementally; None, with nothing done, if the strategy itself must run."""
        events: list[EngineEvent] = []
        quiet = replace(
            inputs, listener=events.append
        )  # the run may yet be that of the strategy itself
        context = _pass_strategy_context(quiet, strategy, StrategyInput((), (), 0), "", "")
        name = inputs.values.text(STRATEGY)
        edits, before = self._decide(context), self._store.total
        if edits is None:
            return None
        inputs.listener(CompressionStarted(name, cause))
        for event in events:
            inputs.listener(event)
        no_op = edits.no_op or self._apply(edits)
        _tell(inputs, CompressionEnded(name, no_op=no_op))
        if no_op is None:
            _tell(inputs, CompactionStatus(before, self._store.total, cause))
        return IncrementalRunResult(no_op, edits.calls)

    def _restart(self) -> None:
        self._compactor = self._factory(lambda message: self._store.estimate((message,)))
        self._seen: list[Message] = []
        self._replacements = self._store.replacements
        self._has_empty = False

    def _decide(self, context: StrategyContext) -> HistoryEdits | None:
        """Return the edits for the store as it is, a no-op, or None if the strategy itself must
        run."""
        if self._replacements != self._store.replacements:
            self._restart()
        for message in self._store.messages_from(len(self._seen)):
            if is_empty(message, Mode.SAFE):
                self._has_empty = True  # an applied run removes it, too
            else:
                self._compactor.add(len(self._seen), message)
            self._seen.append(message)
        if waiting_turn_start(self._seen) < len(self._seen):
            return None
        edits = self._compactor.edits(context)
        if edits is None:
            self._restart()
        return None if edits is not None and edits.no_op is None and self._has_empty else edits

    def _apply(self, edits: HistoryEdits) -> NoOp | None:
        before = {index: self._seen[index] for index in edits.messages}
        if not self._store.edit(before, edits.messages):
            return NoOp(NoOpCode.HISTORY_CHANGED, HISTORY_REPLACED_REASON)
        self._replacements += 1  # a replacement by another thread is noticed by the next look
        apply_edits(self._seen, edits.messages)
        self._compactor.apply(edits)
        return None


@dataclass(frozen=True, slots=True)
class LastRun:
    """``additions``: messages added before the run began; ``no_op``: why it changed nothing."""

    additions: int
    values: Values
    no_op: NoOp | None

    def is_unchanged_since(self, additions: int, values: Values) -> bool:
        """Return whether nothing was added or set since, whatever the run did (fix EN-03)."""
        return (self.additions, self.values) == (additions, values)

    @property
    def is_final_no_op(self) -> bool:
        return self.no_op is not None
