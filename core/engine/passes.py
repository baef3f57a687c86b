"""One density step and one compaction over a store, from context to replaced history, in the
environment that an agent gives or that its model's name implies."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from core.common.errors import StrategyError
from core.common.json_value import Json
from core.engine.history_store import (
    CompactionStatus,
    CompressionCause,
    CompressionEnded,
    CompressionStarted,
    DensityApplied,
    DensityStarted,
    EngineEvent,
    EventListener,
    HistoryStore,
    ProviderUsage,
    SummaryRequested,
    apply_edits,
)
from core.llm.catalog import ModelLimit, find_model
from core.llm.protocol import (
    Summariser,
    SummaryRequest,
    SummaryResponse,
    ToolModel,
    ToolTurn,
)
from core.preview.options import PreviewSizes, missed_size, missed_text
from core.preview.strategy_input import (
    StageResults,
    compose_compaction,
    strategy_context,
    unchanged_compaction,
)
from core.settings.prompts import built_in
from core.settings.schema import (
    LIMIT,
    OPTIMIZE_THRESHOLD,
    STRATEGY,
    THRESHOLD,
    WARNING,
    EffectiveValue,
    Mode,
    SettingLayer,
    Values,
)
from core.strategies.base import (
    CheckPoint,
    CompactorFactory,
    HistoryEdits,
    Strategy,
    StrategyContext,
    density_settings,
)
from core.strategies.density.optimize import Optimize
from core.strategies.draft import curated_indices, is_empty, unpaired_ids
from core.strategies.helpers import (
    is_trigger_reached,
    not_smaller,
    single_fate,
    trigger_tokens,
    usable_limit,
    waiting_warnings,
)
from core.strategies.passes import leaves_out_images
from core.strategies.registry import find_strategy
from core.summarize.summariser_choice import SummariserFactory, summariser_factory
from core.tokens.counter import CountMethod, counter_for
from core.transcript.compaction import (
    AgentStep,
    Compaction,
    CompactionMetadata,
    FateKind,
    ModelCall,
    NoOp,
    NoOpCode,
)
from core.transcript.model import (
    Message,
    Speaker,
    SystemPart,
    ToolCall,
    ToolResponse,
    tool_calls,
)
from core.transcript.pins import MessagePin
from core.transcript.todos import active_todos
from core.transcript.tool_pairs import find_pairs


def default_prompt(name: str) -> str:
    """Return the built-in prompt; InputError if it is missing (REQ-CS-006A.3)."""
    return built_in(name).text


def no_pins(messages: Sequence[Message]) -> Mapping[int, MessagePin]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnvironment:
    """All that a session needs beside settings and messages. ``count``: tokens of a message.
    ``summariser``: by profile name, None for the active one. ``limit``: tokens of the window if no
    setting gives them, None if unknown. ``base``: tokens sent beside the history. ``root``: folder
    of the relative paths in tool calls. ``prompt``: the text of a prompt by name. ``todos``: the
    open ones as lines. ``transcript``: path to mention in summaries. ``variant``: the version of
    the reference that reference mode repeats. ``agent``: the model with tools, by profile name;
    None if there is none."""

    count: Callable[[Message], int]
    summariser: SummariserFactory
    limit: int | None = None
    base: int = 0
    root: str = "/"
    prompt: Callable[[str], str] = default_prompt
    todos: Callable[[Sequence[Message]], str] = active_todos
    transcript: str = ""
    strategy_lookup: Callable[[str], Strategy] = find_strategy
    variant: str = "hd"
    agent: Callable[[str | None], ToolModel] | None = None
    pins: Callable[[Sequence[Message]], Mapping[int, MessagePin]] = no_pins


def environment_for(model: str, system: SystemPart | None = None) -> SessionEnvironment:
    """Return counter and limit of a model, the offline summariser and the current folder."""
    counter = counter_for(model)
    if model:
        info = find_model(model)
    else:
        info = None
    return SessionEnvironment(
        count=counter.message,
        summariser=summariser_factory(None, counter.text),
        limit=None if info is None else info.max_input_tokens,
        base=counter.system(system) if system is not None else 0,
        root=os.getcwd(),
    )


OVERFLOW = "CONTEXT_OVERFLOW"  # code of the error of the emergency path
_REFERENCE_THRESHOLDS = {"cs": 0.8, "hd": 0.8, "todo": 0.5}
"""Defaults of the reference's accessor; it never reads the thresholds of its strategies."""

_LATER_THRESHOLD = 0.85
_OUTPUT_BUDGET = 65_536
_MARGIN = 1000
_MARGIN_DIVISOR = 20  # the margin is at most this part of the window
_OUTPUT_DIVISOR = 2  # the default budget is at most this part of the window


def with_reference_threshold(values: Values, variant: str) -> Values:
    if values.get(THRESHOLD) is not None:
        return values
    default = EffectiveValue(
        _REFERENCE_THRESHOLDS.get(variant, _LATER_THRESHOLD), SettingLayer.DEFAULT
    )
    return replace(values, by_key={**values.by_key, THRESHOLD: default})


def is_reference_strategy(strategy: Strategy) -> bool:
    """Return whether the reference's loop, which has one check and one rule for all, runs the
    strategy."""
    return (
        strategy.trigger.check is CheckPoint.BEFORE_SEND
        and not strategy.trigger.is_fixed
    )


def is_reference_threshold_reached(
    values: Values, variant: str, tokens: int, limit: int | None
) -> bool:
    return (
        limit is not None
        and tokens
        >= with_reference_threshold(values, variant).number(THRESHOLD) * limit
    )


def is_due(
    strategy: Strategy,
    values: Values,
    tokens: int,
    messages: Sequence[Message],
    limit: int | None,
) -> bool:
    """Return whether the size of the history, or a pause between its messages, triggers the
    strategy."""
    if strategy.trigger.idle_minutes:
        return not waiting_warnings(strategy.trigger, messages)
    return is_trigger_reached(strategy, values, tokens, len(messages), limit)


def is_above_warning(
    strategy: Strategy | None, values: Values, tokens: int, limit: int
) -> bool:
    """Return whether the warning threshold is reached: a share of the trigger's room (ION-50)."""
    if strategy is None:
        size = limit
    else:
        size = usable_limit(strategy.trigger, values, limit)
    return tokens >= values.number(WARNING) * size


def is_below_optimize_threshold(values: Values, used: int, limit: int | None) -> bool:
    return limit is not None and used < values.number(OPTIMIZE_THRESHOLD) * limit


@dataclass(frozen=True, slots=True)
class EmergencyBudget:
    """Tokens in the emergency path: ``usable`` of the ``limit``, and ``budget`` of these for the
    answer."""

    limit: int
    usable: int
    budget: int

    def fits(self, used: int, pending: int) -> bool:
        return used + pending + self.budget <= self.usable

    def overflow(self, used: int, pending: int) -> StrategyError:
        total = used + pending + self.budget
        text = (
            f"The next request would take {total:,} tokens ({used:,} history and system prompt, {pending:,} "
            f"pending, {self.budget:,} for the answer); {self.usable:,} of the window of {self.limit:,} can "
            "be used."
        )
        hint = (
            f"Lower the output budget, raise {LIMIT}, or start with a shorter history."
        )
        return StrategyError(text, hint, code=OVERFLOW)


def emergency_budget(limit: int, budget: int | None, mode: Mode) -> EmergencyBudget:
    """Return the budget of the emergency path; a ``budget`` of None or below 1 counts as not set.
    The reference always keeps 1,000 tokens aside and takes 65,536 for an unset budget, so that no
    window up to 66,536 ever has room."""
    is_reference = mode is Mode.REFERENCE
    if is_reference:
        usable = max(0, limit - _MARGIN)
    else:
        usable = limit - min(_MARGIN, limit // _MARGIN_DIVISOR)
    if budget is None or budget <= 0:
        if is_reference:
            budget = _OUTPUT_BUDGET
        else:
            budget = min(_OUTPUT_BUDGET, limit // _OUTPUT_DIVISOR)
    return EmergencyBudget(limit, usable, budget)


class ContextSize:
    """Counts the tokens of a store's next request, without pending message and answer."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store
        self._reported: tuple[int, int] | None = (
            None  # prompt tokens, and the store's total at that time
        )

    def report(self, prompt_tokens: int | None) -> None:
        """Record the provider's count of the last request; None or below 1: not reported."""
        reported = prompt_tokens or 0
        if reported > 0:
            self._reported = (reported, self._store.total)
        else:
            self._reported = None

    def used(self) -> int:
        """Return the last reported count if there is one."""
        store = self._store
        if self._reported is None:
            return store.total
        prompt, total = self._reported
        if store.mode is Mode.REFERENCE:
            return prompt
        return max(0, prompt + store.total - total)

    def needed(self) -> int:
        """Return the tokens for the emergency path; the reference ignores the reported count
        there."""
        if self._store.mode is Mode.REFERENCE:
            return self._store.total
        return self.used()


WAITING_RULE = "waiting for an answer"
"""Rule of messages that stay because a call among them has no answer yet."""


@dataclass(frozen=True, slots=True)
class StrategyInput:
    """A history, the raw indices that a strategy sees, and the first message with an unanswered
    call."""

    raw: tuple[Message, ...]
    inputs: tuple[int, ...]
    waiting_turn_start: int

    @property
    def history(self) -> tuple[Message, ...]:
        return tuple(self.raw[index] for index in self.inputs)


def strategy_input(
    raw: tuple[Message, ...], mode: Mode, strategy_mode: Mode
) -> StrategyInput:
    """Return the history curated for the strategy's mode ``strategy_mode``; if the engine's
    ``mode`` is safe, without a last turn whose calls wait for answers."""
    if mode is Mode.SAFE:
        end = waiting_turn_start(raw)
    else:
        end = len(raw)
    return StrategyInput(raw, curated_indices(raw[:end], strategy_mode), end)


def waiting_turn_start(raw: Sequence[Message]) -> int:
    """Return where the last turn with calls begins if some have no answer yet, else the end. Their
    answers will be added after it, so a strategy must not remove the calls (fix EN-08). A message
    of the user, or another turn with calls, ends the waiting."""
    start = len(raw)
    while (
        start
        and raw[start - 1].speaker is not Speaker.HUMAN
        and not any(tool_calls(raw[start - 1]))
    ):
        start -= 1
    while start and raw[start - 1].speaker is Speaker.AI:
        start -= 1
    if _is_answered(raw[start:]):
        return len(raw)
    pairs = find_pairs(raw)
    boundary = min(
        (index for index, _ in pairs.unanswered if index >= start), default=len(raw)
    )
    while not pairs.valid[boundary]:
        boundary -= 1
    return boundary


def _is_answered(messages: Sequence[Message]) -> bool:
    """Return whether every call of the newest messages surely has its answer among them, which
    saves a search of the whole history. False for an id that occurs twice."""
    seen: set[str] = set()
    unanswered: set[str] = set()
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolCall):
                if block.id in seen:
                    return False
                seen.add(block.id)
                unanswered.add(block.id)
            elif isinstance(block, ToolResponse):
                unanswered.discard(block.call_id)
    return not unanswered


def map_to_raw_history(
    strategy_input: StrategyInput, run: Compaction, mode: Mode, reference: str
) -> Compaction:
    """Return the run expressed over the whole history; ``reference`` is that of the strategy."""
    if run.no_op is not None and mode is Mode.SAFE:
        return unchanged_compaction(
            StageResults(strategy_input.raw, None, strategy_input.inputs), run
        )
    stages = StageResults(
        strategy_input.raw[: strategy_input.waiting_turn_start],
        None,
        strategy_input.inputs,
        reference,
    )
    compaction = replace(
        compose_compaction(stages, replace(run, no_op=None)), no_op=run.no_op
    )
    waiting_count = len(strategy_input.raw) - strategy_input.waiting_turn_start
    if not waiting_count:
        return compaction
    kept_fate = single_fate(
        FateKind.KEPT,
        WAITING_RULE,
        "A call of this turn has no answer yet; the turn stays.",
        fix="EN-08",
    )
    return replace(
        compaction,
        messages=compaction.messages
        + strategy_input.raw[strategy_input.waiting_turn_start :],
        origins=compaction.origins
        + tuple(
            (index,)
            for index in range(
                strategy_input.waiting_turn_start, len(strategy_input.raw)
            )
        ),
        fates=compaction.fates + (kept_fate,) * waiting_count,
        metadata=_with_waiting_count(compaction.metadata, waiting_count),
    )


def _with_waiting_count(
    metadata: CompactionMetadata, waiting_count: int
) -> CompactionMetadata:
    bottom = metadata.bottom_preserved
    return replace(
        metadata,
        original_message_count=metadata.original_message_count + waiting_count,
        compressed_message_count=metadata.compressed_message_count + waiting_count,
        bottom_preserved=None if bottom is None else bottom + waiting_count,
    )


def refused_compaction(
    strategy_input: StrategyInput, run: Compaction, no_op: NoOp
) -> Compaction:
    return unchanged_compaction(
        StageResults(strategy_input.raw, None, strategy_input.inputs), run, no_op
    )


def separates_pair(
    before: Sequence[Message], after: Sequence[Message], added: Sequence[Message]
) -> bool:
    """Return whether compacting ``before`` would separate a late message from its call or
    answer."""
    if not added:
        return False
    return bool(unpaired_ids((*after, *added)) - unpaired_ids((*before, *added)))


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


def run_density(
    inputs: PassInput, optimize: Optimize, on_applied: Callable[[], None]
) -> None:
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
    name = inputs.values.text(STRATEGY)
    before = inputs.store.total
    run: Compaction | None = None
    inputs.store.start_compaction()
    try:
        inputs.listener(CompressionStarted(name, cause))
        run = _run_strategy(inputs, raw, strategy(), cause, focus, before_replacing)
        if inputs.mode is Mode.SAFE:
            run = _with_missed_size(inputs, raw, run, strategy())
    finally:
        inputs.store.end_compaction()
        _tell(
            inputs,
            CompressionEnded(name, run is None, None if run is None else run.no_op),
        )
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
    store: HistoryStore,
    strategy_input: StrategyInput,
    run: Compaction,
    raw_run: Compaction,
) -> Compaction:
    """Replace the history in one step, unless that saves nothing or loses an answer
    (REQ-CS-006.2)."""
    before = store.estimate(strategy_input.raw)
    after = store.estimate(raw_run.messages)
    if after >= before and not leaves_out_images(raw_run):
        return refused_compaction(strategy_input, run, not_smaller(before, after))
    with store.locked():
        if separates_pair(
            strategy_input.raw, raw_run.messages, store.raw[len(strategy_input.raw) :]
        ):
            reason = (
                "While it ran, an answer to a call in the compacted part was added."
            )
            return refused_compaction(
                strategy_input, run, NoOp(NoOpCode.HISTORY_CHANGED, reason)
            )
        if not store.replace_oldest(strategy_input.raw, raw_run.messages):
            return refused_compaction(
                strategy_input,
                run,
                NoOp(NoOpCode.HISTORY_CHANGED, HISTORY_REPLACED_REASON),
            )
    return raw_run


def _todos(
    inputs: PassInput, strategy: Strategy, strategy_input: StrategyInput
) -> tuple[str, tuple[str, ...]]:
    """Return the open tasks for strategies that call a model (REQ-HD-011.2), and a warning if that
    failed."""
    is_reference = inputs.mode is Mode.REFERENCE
    if not strategy.requires_llm or (
        is_reference and inputs.environment.variant in _WITHOUT_TODOS
    ):
        return "", ()
    try:
        return inputs.environment.todos(strategy_input.raw), ()
    except Exception as error:
        # The list is the agent's own code: without it the summary is poorer, not wrong.
        return "", () if is_reference else (
            f"The open tasks are not in the summary request: {error}.",
        )


def _pass_strategy_context(
    inputs: PassInput,
    strategy: Strategy,
    strategy_input: StrategyInput,
    todos: str,
    focus: str,
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
        strategy_input.history,
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
        sources=strategy_input.inputs,
        pins=environment.pins(strategy_input.history),
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
            ProviderUsage(
                self.profile, self.model, found.input_tokens, found.output_tokens
            )
        )
        return found


class ObservedSummariser(_Observed[Summariser]):
    __slots__ = ()

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        return self._observed(lambda: self.inner.summarise(request))


class ObservedToolModel(_Observed[ToolModel]):
    __slots__ = ()

    def converse(
        self, system: str, messages: Sequence[Message], tools: Sequence[Json]
    ) -> ToolTurn:
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
        context = _pass_strategy_context(
            quiet, strategy, StrategyInput((), (), 0), "", ""
        )
        name = inputs.values.text(STRATEGY)
        edits = self._decide(context)
        before = self._store.total
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
        self._compactor = self._factory(
            lambda message: self._store.estimate((message,))
        )
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
        return (
            None
            if edits is not None and edits.no_op is None and self._has_empty
            else edits
        )

    def _apply(self, edits: HistoryEdits) -> NoOp | None:
        before = {index: self._seen[index] for index in edits.messages}
        if not self._store.edit(before, edits.messages):
            return NoOp(NoOpCode.HISTORY_CHANGED, HISTORY_REPLACED_REASON)
        self._replacements += (
            1  # a replacement by another thread is noticed by the next look
        )
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
