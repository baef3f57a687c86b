"""Computes the preview of a conversation under settings.

Stages: history, counts, pairs, density, input, compress, lint. ``StageCache`` holds each stage until its
inputs change, so that a moved handle costs one ``compress``.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from core.formats.writing.export_messages import ExportInput
from core.formats.writing.format_capabilities import messages_as_exported
from core.lint.written import lint_written
from core.llm.catalog import cache_rates, caches_for_an_hour
from core.preview.context import (
    PreviewContext,
    density_result,
    lint_results,
    marginal_effects,
    preview_context,
    saved_tokens,
)
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.pipeline import (
    StageResults,
    compose_compaction,
    density_compaction,
    density_input,
    unchanged_compaction,
)
from core.settings.keys import CACHE_LIFETIME, IMAGES
from core.settings.profile import Profile
from core.settings.prompts.placeholders import unfilled_placeholders
from core.settings.prompts.prompt_files import PromptText, prompts_folder, resolve_prompt
from core.settings.schema import Mode, Values
from core.strategies.base import DensityConfig, DensityResult, Strategy, StrategyContext, calls_model
from core.strategies.curated_history import curated_indices, has_empty_message
from core.strategies.helpers import no_op_compaction, trigger_tokens
from core.strategies.older_images import leaves_out_images, with_images_hint
from core.summarize.summarizer_choice import PlaceholderSummariser, summariser_factory
from core.tokens.counter import TokenCounter
from core.transcript.compaction import Compaction, NoOpCode
from core.transcript.model import Conversation, Message, Progress
from core.transcript.pins import ignored_pins_note, pins_for_input, restore_messages
from core.transcript.scopes import incomplete_reason
from core.transcript.todos import active_todos
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


def with_restored(preview: Preview, indices: frozenset[int], counter: TokenCounter) -> Preview:
    """Return the preview with these source messages put back, counted and linted again."""
    if not indices:
        return preview
    compaction = restore_messages(preview.compaction, preview.messages, preview.pairs, indices)
    if compaction is preview.compaction:
        return preview
    written = messages_as_exported(preview.conversation, preview.history, compaction, preview.target_format)
    counts = array("q", map(counter.message, written))
    if preview.unwritten or preview.draft:
        for place, budget in compaction.budgets.items():
            counts[place] = budget
    content = ExportInput(preview.conversation, preview.history, compaction)
    checked = tuple(
        replace(result, after=lint_written(content, result.provider, preview.target_format, preview.messages))
        for result in preview.lint
    )
    return replace(
        preview,
        compaction=compaction,
        after_counts=counts,
        after_tokens=sum(counts),
        lint=checked,
        written_messages=written,
    )


def _preview(context: PreviewContext, pairs: Pairs) -> Preview:
    config, is_checked = context.density_config, context.options.checks and not context.options.draft
    density = density_result(context, config) if context.strategy.optimize is not None else None
    compaction, inputs = _cached_compaction(context, config, density, pairs)
    written = _written(context, compaction)
    after_counts = _after_counts(context, compaction, written)
    before, after = sum(context.counts), sum(after_counts)
    may_refuse = context.mode is Mode.SAFE and compaction.no_op is None and not context.options.unwritten
    refuses = may_refuse and not context.every_turn and not leaves_out_images(compaction)
    if refuses and after >= before:
        compaction = _cached_refusal(context, compaction, _stage_results(context, density, inputs), after)
        after_counts, after, written = context.counts, before, compaction.messages
    return Preview(
        context.conversation,
        context.history,
        context.values,
        context.mode,
        context.strategy,
        context.counter.method,
        context.window,
        context.counts,
        inputs,
        before,
        context.counter.system(context.conversation.system),
        trigger_tokens(context.strategy, context.values, context.window.limit),
        pairs,
        density,
        None if density is None else before - saved_tokens(context, config),
        compaction,
        after_counts,
        after,
        marginal_effects(context) if is_checked else (),
        lint_results(context, compaction) if is_checked else (),
        _warnings(context, compaction),
        context.options.draft,
        context.options.writer,
        context.options.unwritten
        and not context.every_turn
        and calls_model(context.strategy, context.values),
        _prompt_level(context),
        context.options.model_reason,
        focus=context.options.focus,
        pins=context.options.pins,
        target_format=context.options.target_format,
        written_messages=written,
        sizing=context.sizing,
        every_turn=context.every_turn,
    )


def _written(context: PreviewContext, compaction: Compaction) -> tuple[Message, ...]:
    target = context.options.target_format
    return context.cache.get_or_compute_of(
        compaction,
        f"written {target}",
        lambda: messages_as_exported(context.conversation, context.history, compaction, target),
    )


def _cached_refusal(
    context: PreviewContext, compaction: Compaction, stages: StageResults, after: int
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


def _warnings(context: PreviewContext, compaction: Compaction) -> tuple[str, ...]:
    part_warning = incomplete_reason(context.conversation, context.history.scope)
    pin_warning = (
        "" if context.strategy.obeys_pins else ignored_pins_note(context.options.pins, context.strategy.name)
    )
    return (*filter(None, (part_warning, pin_warning)), *_unfilled_warnings(context), *compaction.warnings)


def _unfilled_warnings(context: PreviewContext) -> Iterator[str]:
    """Yield a sentence for each placeholder that nothing fills in; the prompt editor checks its own text."""
    for name in context.strategy.prompts:
        if name in (context.options.prompts or {}):
            continue
        prompt = _prompt_text(name, context.options.writer, context.mode)
        for slot, line in unfilled_placeholders(prompt.text):
            yield f"{prompt.path}, line {line}: nothing fills in {{{slot}}}, which is sent as it stands."


def _stage_results(
    context: PreviewContext, density: DensityResult | None, inputs: tuple[int, ...]
) -> StageResults:
    return StageResults(context.history.messages, density, inputs, context.strategy.reference)


def _cached_compaction(
    context: PreviewContext, config: DensityConfig, density: DensityResult | None, pairs: Pairs
) -> tuple[Compaction, tuple[int, ...]]:
    options, strategy = context.options, context.strategy
    if context.every_turn and density is not None:
        alone = partial(density_compaction, strategy, context.history.messages, density, config)
        return context.cache.get_or_compute("every turn", (strategy.name, options.scope, config), alone)
    settings = tuple((key, context.values.get(key)) for key in strategy.options)
    prompts = tuple(strategy_prompts(strategy, options.writer, context.mode, options.prompts).items())
    summary_key = (
        options.summary,
        options.takes_any_summary,
        options.focus,
        options.unwritten,
        options.writer.name,
        prompts,
    )
    pins = tuple(sorted(options.pins.items(), key=lambda pinned: pinned[0])) if strategy.obeys_pins else ()
    limit = context.window.limit
    waits = options.waits_for_limit and strategy.needs_limit and limit is None
    key = (strategy.name, waits, options.scope, options.model, summary_key, config, settings, limit, pins)

    def run() -> tuple[Compaction, tuple[int, ...]]:
        given = _compress_input(context, config, density, pairs)
        inputs = given.indices
        progress = StrategyProgress(context.options.progress, context.counter)
        new = {} if density is None else density.replacements
        counts, count_new = context.counts, context.counter.message
        tokens = sum([count_new(new[index]) if index in new else counts[index] for index in inputs])
        strategy_context = _strategy_context(context, given, tokens, progress)
        stages = replace(_stage_results(context, density, inputs), has_empty=given.has_empty)
        if waits:
            reason = f"{strategy.name} needs a context limit, and none is known."
            run = no_op_compaction(
                strategy_context, strategy.name, NoOpCode.LIMIT_UNKNOWN, reason, parts=None
            )
            return compose_compaction(stages, run), inputs
        return compose_compaction(stages, context.strategy.compress(strategy_context)), inputs

    if options.summariser_factory is not None:
        return run()
    return context.cache.get_or_compute("compaction", key, run)


class CompressInput(NamedTuple):
    """The messages that ``compress`` runs on, their indices in the history, and what follows from them."""

    indices: tuple[int, ...]
    messages: tuple[Message, ...]
    pairs: Pairs
    has_empty: bool
    todos: str


def _compress_input(
    context: PreviewContext, config: DensityConfig, density: DensityResult | None, pairs: Pairs
) -> CompressInput:
    mode = context.strategy.effective_mode(context.mode)

    def curate() -> CompressInput:
        remaining = density_input(context.history.messages, density)
        curated = [remaining[place] for place in curated_indices([message for _, message in remaining], mode)]
        messages = tuple([message for _, message in curated])
        return CompressInput(
            tuple([index for index, _ in curated]),
            messages,
            pairs if messages == context.history.messages else find_pairs(messages),
            has_empty_message(messages),
            active_todos(messages),
        )

    key = context.options.scope, None if density is None else config, mode
    return context.cache.get_or_compute("input", key, curate)


def strategy_prompts(
    strategy: Strategy, writer: Profile, mode: Mode, overrides: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the prompt texts for the called model by name, the one for the summary first.

    Overrides on disk are read each time (REQ-CS-005); ``overrides`` texts replace them.
    """
    overriding = overrides or {}
    return {
        name: overriding[name] if name in overriding else _prompt_text(name, writer, mode).text
        for name in strategy.prompts
    }


def strategy_prompt(strategy: Strategy, writer: Profile, mode: Mode) -> str:
    """Return the first prompt, empty if the strategy calls no model."""
    return _prompt_text(strategy.prompts[0], writer, mode).text if strategy.prompts else ""


def _prompt_text(name: str, writer: Profile, mode: Mode) -> PromptText:
    return resolve_prompt(name, writer.provider, writer.model, prompts_folder(), mode)


def _prompt_level(context: PreviewContext) -> str:
    names = context.strategy.prompts
    return str(_prompt_text(names[0], context.options.writer, context.mode).level) if names else ""


def _strategy_context(
    context: PreviewContext, given: CompressInput, tokens: int, progress: StrategyProgress
) -> StrategyContext:
    make_summariser = context.options.summariser_factory or summariser_factory(
        context.options.summary,
        context.counter.text,
        progress.report,
        takes_any=context.options.takes_any_summary,
    )
    prompts = strategy_prompts(
        context.strategy, context.options.writer, context.mode, context.options.prompts
    )
    is_hour_cache = caches_for_an_hour(context.conversation, context.values.text(CACHE_LIFETIME))
    return StrategyContext(
        given.messages,
        context.values,
        progress.estimate,
        tokens + context.counter.system(context.conversation.system) + context.sizing.hidden,
        context.window.limit,
        (lambda profile: PlaceholderSummariser(context.options.writer.name))
        if context.options.unwritten
        else make_summariser,
        next(iter(prompts.values()), ""),
        context.mode,
        todos=given.todos if context.strategy.requires_llm else "",
        transcript=context.conversation.document.absolute_path,
        focus=context.options.focus,
        sources=given.indices,
        prompts=prompts,
        agent=None if context.options.unwritten else context.options.agent,
        pins=pins_for_input(context.options.pins, given.indices),
        cache=cache_rates(context.window.model, is_hour_cache),
        hidden=max(0, context.sizing.hidden),
        known_pairs=given.pairs,
    )


def _after_counts(context: PreviewContext, compaction: Compaction, written: Sequence[Message]) -> array[int]:
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
