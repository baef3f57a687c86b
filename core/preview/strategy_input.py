"""Builds the input of a strategy: the one way from messages and settings to a ``StrategyContext``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.llm.protocol import Summariser, ToolModel
from core.llm.request_size import result_overhead
from core.preview.options import every_turn_name
from core.preview.preview_input import PreviewInput
from core.settings.profile import Profile
from core.settings.prompts import (
    PromptText,
    prompts_folder,
    resolve_prompt,
)
from core.settings.schema import Mode, Values
from core.settings_store.layers import with_options
from core.strategies.base import (
    DensityResult,
    DensitySettings,
    Strategy,
    StrategyContext,
)
from core.strategies.draft import (
    DROPPED,
    curated_indices,
    has_empty_message,
    result_fault,
)
from core.strategies.helpers import idle_fate, single_fate
from core.strategies.reference_fixes import CUT_FIXES, reference_fixes
from core.summarize.summariser_choice import summariser_factory
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    Cut,
    Fate,
    FateKind,
    NoOp,
    NoOpCode,
    Split,
    StrategyFigures,
)
from core.transcript.model import Message
from core.transcript.opaque_history import keep_opaque_history
from core.transcript.pins import MessagePin, pins_for_input
from core.transcript.todos import active_todos
from core.transcript.tool_pairs import Pairs, find_pairs

# Composes density, curation and compress into one run over the raw history.


@dataclass(frozen=True, slots=True)
class StageResults:
    """Results of the stages before ``compress``.

    ``inputs[i]`` is the raw index of message i of the input of ``compress``.
    ``reference`` is the program that reference mode repeats, "" if both modes are alike.
    """

    raw: tuple[Message, ...]
    density: DensityResult | None
    inputs: tuple[int, ...]
    reference: str = ""
    has_empty: bool | None = (
        None  # what ``has_empty_message`` returns for the inputs, if known
    )


def density_input(
    raw: Sequence[Message], result: DensityResult | None
) -> tuple[tuple[int, Message], ...]:
    """Return the messages that a density result leaves, each with its raw index."""
    if result is None or result.is_empty:
        return tuple(enumerate(raw))
    removed = frozenset(result.removals)
    new = result.replacements
    return tuple(
        (i, new.get(i, message)) for i, message in enumerate(raw) if i not in removed
    )


def compose_compaction(stages: StageResults, run: Compaction) -> Compaction:
    """Return the run over the raw history: origins, fates and cuts by raw index.

    A no-op stays one only if density changed nothing either; else density's result is the result,
    and the reason why ``compress`` did nothing becomes a warning.
    """
    changed = stages.density is not None and not stages.density.is_empty
    if run.no_op is not None and not changed:
        return unchanged_compaction(stages, run)
    count = len(stages.raw)
    origins = run.origins
    if len(stages.inputs) < count:
        origins = tuple(
            tuple([stages.inputs[index] for index in sources]) for sources in origins
        )
    warnings = run.warnings
    if run.no_op is not None:
        warnings = (
            f"Only the density pass changed something. {run.no_op.reason}",
            *warnings,
        )
    metadata = replace(run.metadata, original_message_count=count)
    fates = _fates(stages, run)
    composed = replace(
        run,
        origins=origins,
        fates=fates,
        metadata=metadata,
        split=_split(stages, run.split),
        no_op=None,
        warnings=warnings,
        fixes=_fixes(stages, run, fates),
        figures=_figures(stages, run),
        protected=_raw_indices(stages, run.protected),
    )
    kept = keep_opaque_history(stages.raw, composed)
    if kept is not composed and (fault := result_fault(stages.raw, kept.messages)):
        refusal = NoOp(NoOpCode.NO_VALID_BOUNDARY, f"{_OPAQUE_MUST_STAY} {fault}")
        return unchanged_compaction(stages, run, refusal)
    return kept


_OPAQUE_MUST_STAY = (
    "A compaction that only the provider can read has to stay at its place."
)


def density_compaction(
    strategy: Strategy,
    raw: tuple[Message, ...],
    density: DensityResult,
    settings: DensitySettings,
) -> tuple[Compaction, tuple[int, ...]]:
    """Return what the density pass alone makes of a history, as on every turn, and the raw indices
    that stay.

    A no-op says which passes were on and found nothing.
    """
    remaining = density_input(raw, density)
    inputs = tuple(index for index, _ in remaining)
    stages = StageResults(raw, density, inputs, strategy.reference, has_empty=False)
    name = every_turn_name(strategy.name)
    count = len(inputs)
    metadata = CompactionMetadata(
        original_message_count=count,
        compressed_message_count=count,
        strategy_used=name,
        llm_call_made=False,
    )
    kept = single_fate(
        FateKind.KEPT, "every turn", "The density passes leave this message as it is."
    )
    base = Compaction(
        messages=tuple(message for _, message in remaining),
        origins=tuple((at,) for at in range(count)),
        fates=(kept,) * count,
        metadata=metadata,
    )
    if density.is_empty:
        no_op = NoOp(NoOpCode.NOTHING_TO_PRUNE, _nothing_found(settings))
    else:
        no_op = None
    return compose_compaction(stages, replace(base, no_op=no_op)), inputs


def _nothing_found(settings: DensitySettings) -> str:
    found = (
        (settings.read_write_pruning, "no read of a file that was written again"),
        (settings.file_dedupe, "no file that was included again"),
        (settings.recency_pruning, "no tool result beyond the newest of its tool"),
    )
    words = [text for is_on, text in found if is_on]
    if not words:
        return "All density passes are off, so the strategy does nothing on every turn."
    return (
        f"On this turn the density passes find nothing to remove: {', '.join(words)}."
    )


def _raw_indices(stages: StageResults, indices: Sequence[int]) -> tuple[int, ...]:
    return tuple(stages.inputs[index] for index in indices)


def _figures(stages: StageResults, run: Compaction) -> StrategyFigures:
    """Return the figures of a run, those of the density passes before it included."""
    tiers = (
        replace(tier, messages=_raw_indices(stages, tier.messages))
        for tier in run.figures.tiers
    )
    if stages.density is not None:
        counters = stages.density.counters
    else:
        counters = None
    return replace(run.figures, density=counters, tiers=tuple(tiers))


def _fixes(
    stages: StageResults, run: Compaction, fates: Sequence[Fate]
) -> tuple[str, ...]:
    """Return the fixes that affect a result, in the order of the table; none without a
    reference."""
    if not stages.reference:
        return ()
    split = run.split
    fix_ids = set(run.fixes) | {
        step.fix
        for fate in dict(zip(map(id, fates), fates, strict=True)).values()
        for step in fate.steps
    }
    if split is not None and any(cut.index != cut.reference for cut in split.cuts):
        fix_ids.add(CUT_FIXES[stages.reference])
    if stages.density is not None:
        new = stages.density.replacements
    else:
        new = {}
    messages = (new.get(index, stages.raw[index]) for index in stages.inputs)
    if has_empty_message(messages) if stages.has_empty is None else stages.has_empty:
        fix_ids.add("CU-01")
    return tuple(fix.id for fix in reference_fixes() if fix.id in fix_ids)


def _fates(stages: StageResults, run: Compaction) -> tuple[Fate, ...]:
    """Return all steps in order; a stage that kept a message adds nothing to one that changed
    it."""
    fates: list[Fate] = [DROPPED] * len(stages.raw)
    for index, fate in zip(stages.inputs, run.fates, strict=True):
        fates[index] = fate
    if stages.density is not None:
        for index, fate in stages.density.fates.items():
            later = fates[index]
            last = (
                later is DROPPED
                or later.kind is FateKind.KEPT
                or fate.kind is FateKind.PRUNED
            )
            fates[index] = fate if last else Fate(fate.steps + later.steps)
    return tuple(fates)


def _split(stages: StageResults, split: Split | None) -> Split | None:
    if split is None:
        return None
    return replace(split, cuts=tuple(_cut(stages, cut) for cut in split.cuts))


def _cut(stages: StageResults, cut: Cut) -> Cut:
    trace = tuple(
        step
        if step.index is None
        else replace(step, index=raw_boundary(stages, step.index))
        for step in cut.trace
    )
    return replace(
        cut,
        requested=raw_boundary(stages, cut.requested),
        index=raw_boundary(stages, cut.index),
        reference=raw_boundary(stages, cut.reference),
        safe=cut.safe if cut.safe < 0 else raw_boundary(stages, cut.safe),
        trace=trace,
    )


def raw_boundary(stages: StageResults, boundary: int) -> int:
    """Convert a boundary of the input of ``compress`` to the raw history."""
    if boundary < len(stages.inputs):
        return stages.inputs[boundary]
    return len(stages.raw)


def unchanged_compaction(
    stages: StageResults,
    run: Compaction,
    no_op: NoOp | None = None,
) -> Compaction:
    """Return the unchanged raw history, with the reason that is given or that of the run."""
    no_op = no_op or run.no_op
    text = "Nothing was compacted." if no_op is None else no_op.reason
    kept_fate = idle_fate(text)
    count = len(stages.raw)
    metadata = replace(
        run.metadata,
        original_message_count=count,
        compressed_message_count=count,
        llm_call_made=bool(run.calls),
    )
    return replace(
        run,
        messages=stages.raw,
        origins=tuple((index,) for index in range(count)),
        fates=(kept_fate,) * count,
        metadata=metadata,
        inserted=frozenset(),
        split=_split(stages, run.split),
        no_op=no_op,
        fixes=("NO-01",)
        if no_op is not None and no_op.code is NoOpCode.NOT_SMALLER
        else (),
        budgets={},
        figures=_figures(stages, run),
        protected=_raw_indices(stages, run.protected),
    )


@dataclass(frozen=True, slots=True)
class CompactionInput:
    """The messages that ``compress`` runs on, their indices in the history, and what follows from
    them. ``tokens`` is the sum over the messages."""

    indices: tuple[int, ...]
    messages: tuple[Message, ...]
    tokens: int
    pairs: Pairs
    has_empty: bool
    todos: str


def compaction_input(
    inputs: PreviewInput,
    settings: DensitySettings,
    density: DensityResult | None,
    pairs: Pairs,
) -> CompactionInput:
    """Return what density and curation leave of a history, cached; ``pairs`` are those of the
    history."""
    mode = inputs.strategy.effective_mode(inputs.mode)
    if density is None:
        step = None
    else:
        step = (inputs.density_step, settings)
    key = inputs.options.scope, inputs.model_limit.model, step, mode

    def curate() -> CompactionInput:
        remaining = density_input(inputs.history.messages, density)
        curated = [
            remaining[at]
            for at in curated_indices([message for _, message in remaining], mode)
        ]
        messages = tuple([message for _, message in curated])
        new = {} if density is None else density.replacements
        counts, count_new = inputs.counts, inputs.counter.message
        return CompactionInput(
            tuple([index for index, _ in curated]),
            messages,
            sum(
                [
                    count_new(new[index]) if index in new else counts[index]
                    for index, _ in curated
                ]
            ),
            pairs if messages == inputs.history.messages else find_pairs(messages),
            has_empty_message(messages),
            active_todos(messages),
        )

    return inputs.cache.get_or_compute("input", (key, inputs.mode), curate)


def preview_strategy_context(
    inputs: PreviewInput, compaction_input: CompactionInput
) -> StrategyContext:
    """Return the input of a preview's strategy, with the offline summariser and without a tool
    model."""
    options, counter, strategy = inputs.options, inputs.counter, inputs.strategy
    system_tokens = counter.system(inputs.conversation.system)
    context = strategy_context(
        strategy,
        compaction_input.messages,
        inputs.values,
        inputs.mode,
        count=counter.messages,
        request_tokens=compaction_input.tokens + system_tokens + inputs.sizing.hidden,
        limit=inputs.model_limit.tokens,
        hidden=_fixed_tokens(inputs, system_tokens),
        summariser=summariser_factory(None, counter.text),
        agent=None,
        prompts=strategy_prompts(
            strategy, options.summary.profile, inputs.mode, options.prompts
        ),
        todos=compaction_input.todos,
        transcript=inputs.conversation.document.file_name,
        focus=options.focus,
        sources=compaction_input.indices,
        pins=pins_for_input(options.pins, compaction_input.indices),
        known_pairs=compaction_input.pairs,
    )
    return replace(context, musts=options.musts)


def _fixed_tokens(inputs: PreviewInput, system_tokens: int) -> int:
    """Return the tokens of each request that no strategy can remove; the reference knows none."""
    if inputs.strategy.effective_mode(inputs.mode) is Mode.REFERENCE:
        return inputs.sizing.hidden
    return result_overhead(system_tokens, inputs.sizing)


def strategy_context(
    strategy: Strategy,
    messages: tuple[Message, ...],
    values: Values,
    mode: Mode,
    *,
    count: Callable[[Sequence[Message]], int],
    request_tokens: int,
    limit: int | None,
    hidden: int,
    summariser: Callable[[str | None], Summariser],
    agent: Callable[[str | None], ToolModel] | None,
    prompts: Mapping[str, str],
    todos: str,
    transcript: str,
    focus: str,
    sources: Sequence[int],
    pins: Mapping[int, MessagePin],
    known_pairs: Pairs | None = None,
    variant: str = "hd",
) -> StrategyContext:
    """Return the input of a strategy. Everything that a caller could forget has no default.

    ``request_tokens`` are the tokens of a request with these messages, ``hidden`` those of it that
    belong to no message, below 0 where the agent dropped more than it hides. ``pins`` are by index
    in ``messages``. ``todos`` go only to strategies that need a model (REQ-HD-011.2).
    """
    return StrategyContext(
        history=messages,
        values=with_options(values, strategy.options),
        estimate_tokens=count,
        current_token_count=request_tokens,
        limit=limit,
        summariser=summariser,
        prompt=next(iter(prompts.values()), ""),
        mode=mode,
        variant=variant,
        todos=todos if strategy.requires_llm else "",
        transcript=transcript,
        focus=focus,
        sources=sources,
        prompts=prompts,
        agent=agent,
        pins=pins,
        hidden=max(0, hidden),
        known_pairs=known_pairs,
    )


def strategy_prompts(
    strategy: Strategy,
    summary_profile: Profile,
    mode: Mode,
    overrides: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the prompt texts for the called model by name, the one for the summary first.

    Overrides on disk are read each time (REQ-CS-005); ``overrides`` texts replace them.
    """
    overriding = overrides or {}
    return {
        name: overriding[name]
        if name in overriding
        else resolved_prompt(name, summary_profile, mode).text
        for name in strategy.prompts
    }


def resolved_prompt(name: str, summary_profile: Profile, mode: Mode) -> PromptText:
    return resolve_prompt(
        name, summary_profile.provider, summary_profile.model, prompts_folder(), mode
    )
