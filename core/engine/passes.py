"""One density step and one compression over a store, from context to replaced history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.engine.context_limits import is_of_the_reference, with_reference_threshold
from core.engine.events import (
    CompactionStatus,
    CompressionCause,
    CompressionEnded,
    CompressionStarted,
    DensityApplied,
    DensityStarted,
    EventListener,
)
from core.engine.history_store import HistoryStore
from core.engine.observed_models import ObservedSummariser, ObservedToolModel
from core.engine.setup import SessionEnvironment
from core.engine.strategy_run import (
    StrategyInput,
    in_raw_terms,
    refused_compaction,
    separates_pair,
    strategy_input,
)
from core.llm.protocol import Summariser, ToolModel
from core.settings.keys import STRATEGY
from core.settings.schema import Mode
from core.settings.values import Values
from core.strategies.base import Strategy, StrategyContext, density_config
from core.strategies.density.incremental_density import Optimize
from core.transcript.compaction import Compaction, NoOpCode

CompressMaker = Callable[[Strategy], Callable[[StrategyContext], Compaction]]
"""Gives the ``compress`` of a strategy, with what it remembers of this history where it can."""

_WITHOUT_TODOS = ("cs", "hd")
"""Variants of the reference in which nobody fills in the todos (llxprt.md section 14)."""

REPLACED_MEANWHILE = "While it ran, the history was cleared or replaced."


@dataclass(frozen=True, slots=True)
class PassContext:
    """What a pass works with; ``strategy`` is the one whose density step runs."""

    store: HistoryStore
    values: Values
    around: SessionEnvironment
    listen: EventListener
    mode: Mode
    limit: int | None
    strategy: Strategy | None = None


def run_density(bench: PassContext, optimize: Optimize, done: Callable[[], None]) -> None:
    """Optimise and apply, with nobody adding meanwhile (REQ-HD-002.4, .5, .9, .10).

    ``optimize`` is the strategy's step. ``done`` is called once the pass has looked at everything and its
    result is in; not if it raised.
    """
    strategy = bench.strategy
    assert strategy is not None
    bench.listen(DensityStarted(strategy.name))
    with bench.store.hold():
        before = bench.store.total
        config = density_config(bench.values, bench.around.root, bench.mode)
        result = optimize(bench.store.raw, config)
        if not result.is_empty:
            bench.store.apply_density(result)
        done()
    if not result.is_empty:
        bench.listen(DensityApplied(before, bench.store.total, result.counters))


def run_compression(
    bench: PassContext,
    strategy: Callable[[], Strategy],
    compress: CompressMaker,
    cause: CompressionCause,
    focus: str = "",
) -> Compaction:
    """Compress under the store's lock; the run in terms of the raw history (REQ-CS-006.1, .2, .4).

    ``compress`` gives what runs for a strategy. The ``no_op`` of the run says why nothing was applied; in
    reference mode no-ops are applied as well. Errors reach the caller, and the history is as it was
    (REQ-CS-006.3).
    """
    name, before = bench.values.text(STRATEGY), bench.store.total
    run: Compaction | None = None
    bench.store.start_compression()
    try:
        bench.listen(CompressionStarted(name, cause))
        run = _run(bench, strategy(), compress, cause, focus)
    finally:
        bench.store.end_compression()
        bench.listen(CompressionEnded(name, run is None, None if run is None else run.no_op))
    if run.no_op is None or bench.mode is Mode.REFERENCE:
        bench.listen(CompactionStatus(before, bench.store.total, cause))
    return run


def _run(
    bench: PassContext, strategy: Strategy, compress: CompressMaker, cause: CompressionCause, focus: str
) -> Compaction:
    part = strategy_input(bench.store.raw, bench.mode, strategy.mode(bench.mode))
    todos, warnings = _todos(bench, strategy, part)
    context = _context(bench, strategy, part, todos, focus)
    run = compress(strategy)(replace(context, by_trigger=cause is CompressionCause.THRESHOLD))
    run = replace(run, warnings=(*warnings, *run.warnings))
    whole = in_raw_terms(part, run, bench.mode, strategy.reference)
    if bench.mode is Mode.SAFE:
        return whole if whole.no_op is not None else _apply(bench.store, part, run, whole)
    bench.store.clear()
    for message in whole.messages:
        bench.store.add(message)
    return whole


def _apply(store: HistoryStore, part: StrategyInput, run: Compaction, whole: Compaction) -> Compaction:
    """Swap the history in one step, unless that would gain nothing or lose something (REQ-CS-006.2)."""
    before, after = store.estimate(part.raw), store.estimate(whole.messages)
    if after >= before:
        reason = f"The result is not smaller: {before:,} tokens became {after:,}."
        return refused_compaction(part, run, NoOpCode.NOT_SMALLER, reason)
    with store.hold():
        if separates_pair(part.raw, whole.messages, store.raw[len(part.raw) :]):
            reason = "While it ran, an answer to a call in the compressed part was added."
            return refused_compaction(part, run, NoOpCode.HISTORY_CHANGED, reason)
        if not store.rebuild(part.raw, whole.messages):
            return refused_compaction(part, run, NoOpCode.HISTORY_CHANGED, REPLACED_MEANWHILE)
    return whole


def _todos(bench: PassContext, strategy: Strategy, part: StrategyInput) -> tuple[str, tuple[str, ...]]:
    """The open tasks for strategies that ask a model (REQ-HD-011.2), and a warning where they failed."""
    is_reference = bench.mode is Mode.REFERENCE
    if not strategy.requires_llm or (is_reference and bench.around.variant in _WITHOUT_TODOS):
        return "", ()
    try:
        return bench.around.todos(part.raw), ()
    except Exception as error:
        # Whoever keeps the list is a guest here: without it the summary is poorer, not wrong.
        return "", () if is_reference else (f"The open tasks are not in the summary request: {error}.",)


def _context(
    bench: PassContext, strategy: Strategy, part: StrategyInput, todos: str, focus: str
) -> StrategyContext:
    around, values = bench.around, bench.values
    if bench.mode is Mode.REFERENCE and is_of_the_reference(strategy):
        values = with_reference_threshold(values, around.variant)

    def summariser(profile: str | None) -> Summariser:
        return ObservedSummariser(around.summariser(profile), bench.listen)

    def agent(profile: str | None) -> ToolModel:
        assert around.agent is not None
        return ObservedToolModel(around.agent(profile), bench.listen)

    prompts = {name: around.prompt(name) for name in strategy.prompts}
    return StrategyContext(
        part.history,
        values,
        bench.store.estimate,
        bench.store.total,
        bench.limit,
        summariser,
        next(iter(prompts.values()), ""),
        bench.mode,
        around.variant,
        todos,
        around.transcript,
        focus,
        part.inputs,
        prompts,
        None if around.agent is None else agent,
        pins=around.pins(part.history),
        cache=around.cache,
        hidden=bench.store.hidden,
    )
