"""Computes the preview of a conversation under settings.

Stages: history, counts, pairs, density, input, compress, lint. ``StageCache`` holds each stage until its
inputs change, so that a moved handle costs one ``compress``.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from core.formats.writing.export_messages import ExportInput
from core.formats.writing.format_capabilities import messages_as_exported, summary_role_note, written_format
from core.lint.written import lint_written
from core.preview.options import (
    Preview,
    PreviewChecks,
    PreviewOptions,
    PreviewResult,
    PreviewSizes,
    PreviewSource,
    PreviewSummary,
    StageCache,
)
from core.preview.pipeline import (
    StageResults,
    compose_compaction,
    density_compaction,
    unchanged_compaction,
)
from core.preview.preview_input import (
    PreviewInput,
    density_result,
    lint_results,
    marginal_effects,
    preview_context,
    saved_tokens,
)
from core.preview.strategy_input import (
    CompressInput,
    compress_input,
    preview_strategy_context,
    resolved_prompt,
)
from core.settings.keys import IMAGES
from core.settings.prompts.placeholders import unfilled_placeholders
from core.settings.schema import Mode, Values
from core.strategies.base import DensityResult, StrategyContext, calls_model
from core.strategies.helpers import no_op_compaction, trigger_tokens
from core.strategies.older_images import leaves_out_images, with_images_hint
from core.summarize.summariser_choice import PlaceholderSummariser, summariser_factory
from core.tokens.counter import TokenCounter
from core.transcript.compaction import Compaction, NoOpCode
from core.transcript.model import Conversation, Message, Progress
from core.transcript.pins import ignored_pins_note, restore_messages
from core.transcript.scopes import incomplete_reason
from core.transcript.tool_pairs import Pairs, find_pairs


def compute_preview(
    conversation: Conversation,
    values: Values,
    options: PreviewOptions | None = None,
    cache: StageCache | None = None,
) -> Preview:
    """Return what the strategy of the settings would do to a conversation, as a manual run.

    The trigger is ignored; a strategy with ``optimize`` runs it first, then ``compress``, which
    ``every_turn`` of the options leaves out. Raises InputError for unknown names and missing limits,
    StrategyError if the summary fails.
    """
    options = options or PreviewOptions()
    cache = cache if cache is not None else StageCache()
    context = preview_context(conversation, values, options, cache)
    progress = options.progress

    def pairs() -> Pairs:
        progress(0.0, _ACTIVITY)  # the stages before it take a while in a long history
        found = find_pairs(context.history.messages)
        progress(0.0, _ACTIVITY)
        return found

    return _preview(context, cache.get_or_compute("pairs", options.scope, pairs))


def with_restored(preview: Preview, indices: frozenset[int]) -> Preview:
    """Return the preview with these source messages put back, counted and linted again."""
    if not indices:
        return preview
    compaction = restore_messages(preview.result.compaction, preview.messages, preview.source.pairs, indices)
    if compaction is preview.result.compaction:
        return preview
    written = messages_as_exported(
        preview.source.conversation, preview.source.history, compaction, preview.result.target_format
    )
    counts = array("q", map(preview.source.counter.message, written))
    if preview.summary.unwritten or preview.summary.draft:
        for place, budget in compaction.budgets.items():
            counts[place] = budget
    content = ExportInput(
        conversation=preview.source.conversation, history=preview.source.history, compaction=compaction
    )
    checked = tuple(
        replace(
            result,
            after=lint_written(content, result.provider, preview.result.target_format, preview.messages),
        )
        for result in preview.checks.lint
    )
    return replace(
        preview,
        sizes=replace(preview.sizes, after_tokens=sum(counts)),
        result=replace(preview.result, compaction=compaction, after_counts=counts, written_messages=written),
        checks=replace(preview.checks, lint=checked),
    )


def _preview(context: PreviewInput, pairs: Pairs) -> Preview:
    config, is_checked = context.density_config, context.options.checks and not context.options.draft
    density = density_result(context, config) if context.strategy.optimize is not None else None
    given = compress_input(context, config, density, pairs)
    strategy_context = preview_strategy_context(context, given)
    compaction, inputs = _cached_compaction(context, density, given, strategy_context)
    written = _written(context, compaction)
    after_counts = _after_counts(context, compaction, written)
    before, after = sum(context.counts), sum(after_counts)
    may_refuse = context.mode is Mode.SAFE and compaction.no_op is None and not context.options.unwritten
    refuses = may_refuse and not context.every_turn and not leaves_out_images(compaction)
    if refuses and after >= before:
        compaction = _cached_refusal(context, compaction, _stage_results(context, density, given), after)
        after_counts, after, written = context.counts, before, compaction.messages
    return Preview(
        strategy=context.strategy,
        mode=context.mode,
        every_turn=context.every_turn,
        source=_source(context, pairs),
        sizes=PreviewSizes(
            count_method=context.counter.method,
            window=context.window,
            before_tokens=before,
            after_tokens=after,
            system_tokens=context.counter.system(context.conversation.system),
            trigger_tokens=trigger_tokens(context.strategy, context.values, context.window.limit),
            sizing=context.sizing,
        ),
        result=PreviewResult(
            compaction=compaction,
            inputs=inputs,
            density=density,
            after_density=None if density is None else before - saved_tokens(context, config),
            after_counts=after_counts,
            target_format=context.options.target_format,
            written_messages=written,
        ),
        summary=_summary(context),
        checks=PreviewChecks(
            marginals=marginal_effects(context) if is_checked else (),
            lint=lint_results(context, compaction) if is_checked else (),
            warnings=_warnings(context, compaction),
        ),
        given=strategy_context,
    )


def _source(context: PreviewInput, pairs: Pairs) -> PreviewSource:
    return PreviewSource(
        conversation=context.conversation,
        history=context.history,
        values=context.values,
        counts=context.counts,
        pairs=pairs,
        pins=context.options.pins,
        focus=context.options.focus,
        counter=context.counter,
    )


def _summary(context: PreviewInput) -> PreviewSummary:
    calls = not context.every_turn and calls_model(context.strategy, context.values)
    return PreviewSummary(
        writer=context.options.writer,
        unwritten=context.options.unwritten and calls,
        draft=context.options.draft,
        prompt_level=_prompt_level(context),
        model_reason=context.options.model_reason,
    )


def _written(context: PreviewInput, compaction: Compaction) -> tuple[Message, ...]:
    target = context.options.target_format
    return context.cache.get_or_compute_of(
        compaction,
        f"written {target}",
        lambda: messages_as_exported(context.conversation, context.history, compaction, target),
    )


def _cached_refusal(
    context: PreviewInput, compaction: Compaction, stages: StageResults, after: int
) -> Compaction:
    """Replace a result that is not smaller by the unchanged history.

    Returns the same object each time, because its checks and losses are cached by identity.
    """

    def refuse() -> Compaction:
        reason = f"The result is not smaller: {sum(context.counts):,} tokens became {after:,}."
        refused = unchanged_compaction(stages, compaction, NoOpCode.NOT_SMALLER, reason)
        if refused.no_op is None or IMAGES not in context.strategy.options or context.values.get(IMAGES):
            return refused
        hint = with_images_hint(refused.no_op, context.history.messages, lambda _: sum(context.counts))
        return replace(refused, no_op=hint)

    return context.cache.get_or_compute_of(compaction, "not smaller", refuse)


def _warnings(context: PreviewInput, compaction: Compaction) -> tuple[str, ...]:
    part_warning = incomplete_reason(context.conversation, context.history.scope)
    pin_warning = (
        "" if context.strategy.obeys_pins else ignored_pins_note(context.options.pins, context.strategy.name)
    )
    name = written_format(context.conversation, context.options.target_format)
    role_note = summary_role_note(compaction, name)
    return (
        *filter(None, (part_warning, pin_warning, role_note)),
        *_unfilled_warnings(context),
        *compaction.warnings,
    )


def _unfilled_warnings(context: PreviewInput) -> Iterator[str]:
    """Yield a sentence for each placeholder that nothing fills in; the prompt editor checks its own text."""
    for name in context.strategy.prompts:
        if name in (context.options.prompts or {}):
            continue
        prompt = resolved_prompt(name, context.options.writer, context.mode)
        for slot, line in unfilled_placeholders(prompt.text):
            yield f"{prompt.path}, line {line}: nothing fills in {{{slot}}}, which is sent as it stands."


def _stage_results(
    context: PreviewInput, density: DensityResult | None, given: CompressInput
) -> StageResults:
    strategy = context.strategy
    return StageResults(context.history.messages, density, given.indices, strategy.reference, given.has_empty)


def _cached_compaction(
    context: PreviewInput,
    density: DensityResult | None,
    given: CompressInput,
    strategy_context: StrategyContext,
) -> tuple[Compaction, tuple[int, ...]]:
    options, strategy, limit = context.options, context.strategy, context.window.limit
    if context.every_turn and density is not None:
        config = context.density_config
        alone = partial(density_compaction, strategy, context.history.messages, density, config)
        return context.cache.get_or_compute("every turn", (strategy.name, options.scope, config), alone)
    waits = options.waits_for_limit and strategy.needs_limit and limit is None

    def run() -> Compaction:
        progress = StrategyProgress(options.progress, context.counter)
        running = _running_context(context, strategy_context, progress)
        stages = _stage_results(context, density, given)
        if waits:
            reason = f"{strategy.name} needs a context limit, and none is known."
            waiting = no_op_compaction(running, strategy.name, NoOpCode.LIMIT_UNKNOWN, reason, parts=None)
            return compose_compaction(stages, waiting)
        return compose_compaction(stages, strategy.compress(running))

    if options.summariser_factory is not None:
        return run(), given.indices
    key = waits, _result_key(context, strategy_context)
    return context.cache.get_or_compute("compaction", key, run), given.indices


def _result_key(context: PreviewInput, given: StrategyContext) -> Hashable:
    """Return all that a result depends on, beside the conversation."""
    options, strategy = context.options, context.strategy
    settings = tuple((key, context.values.get(key)) for key in strategy.options)
    pins = tuple(sorted(options.pins.items(), key=lambda pinned: pinned[0])) if strategy.obeys_pins else ()
    summary = (options.summary, options.takes_any_summary, options.unwritten, options.writer.name)
    return (
        strategy.name,
        options.scope,
        options.model,
        context.density_config,
        settings,
        given.limit,
        given.cache,
        given.focus,
        tuple(given.prompts.items()),
        pins,
        summary,
    )


def _prompt_level(context: PreviewInput) -> str:
    names = context.strategy.prompts
    return str(resolved_prompt(names[0], context.options.writer, context.mode).level) if names else ""


def _running_context(
    context: PreviewInput, given: StrategyContext, progress: StrategyProgress
) -> StrategyContext:
    """Return the input of a strategy with the models and the progress of a run."""
    options = context.options
    if options.unwritten:
        placeholder = PlaceholderSummariser(options.writer.name)
        return replace(given, estimate_tokens=progress.estimate, summariser=lambda profile: placeholder)
    summariser = options.summariser_factory or summariser_factory(
        options.summary, context.counter.text, progress.report, takes_any=options.takes_any_summary
    )
    return replace(given, estimate_tokens=progress.estimate, summariser=summariser, agent=options.agent)


def _after_counts(context: PreviewInput, compaction: Compaction, written: Sequence[Message]) -> array[int]:
    counts = array("q", context.counter.count_each(written))
    if context.options.unwritten:
        for place, budget in compaction.budgets.items():
            counts[place] = budget
    return counts


_ACTIVITY = "Compacting"


class StrategyProgress:
    """Reports progress of one run and counts tokens for it; a callback that raises ends the run."""

    def __init__(self, progress: Progress, counter: TokenCounter) -> None:
        self._progress = progress
        self._counter = counter
        self._reached = 0.0

    def report(self, fraction: float, text: str) -> None:
        """Report the progress of a part; the overall fraction never decreases."""
        self._reached = max(self._reached, fraction)
        self._progress(self._reached, _ACTIVITY)

    def estimate(self, messages: Sequence[Message]) -> int:
        self._progress(self._reached, _ACTIVITY)
        return self._counter.messages(messages)
