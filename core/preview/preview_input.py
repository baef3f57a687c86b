"""The inputs that all stages of a preview share, and its density step."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from core.formats.writing.exporter import ExportInput
from core.lint.lint import PROVIDERS, lint_history, lint_written
from core.lint.request_records import SchemaMemo
from core.llm.catalog import ModelLimit, choose_model, find_model_limit
from core.llm.request_size import (
    UNCALIBRATED,
    RequestSizing,
    next_request_tokens,
    request_sizing,
)
from core.preview import late
from core.preview.options import (
    LintResult,
    MarginalEffect,
    Preview,
    PreviewOptions,
    StageCache,
)
from core.settings.schema import (
    DENSITY_SWITCHES,
    FILE_DEDUPE,
    MODE,
    READ_WRITE,
    RECENCY,
    STRATEGY,
    Mode,
    Values,
)
from core.settings_store.layers import with_options
from core.strategies.base import (
    DensityResult,
    DensitySettings,
    Strategy,
    density_settings,
)
from core.strategies.registry import STRATEGIES, find_strategy
from core.tokens.counter import TokenCounter, count_messages, counter_for
from core.transcript.compaction import Compaction
from core.transcript.model import Conversation, Progress
from core.transcript.scopes import ALL, CURRENT, History, history_of_scope

if TYPE_CHECKING:
    from core.strategies.density.optimize import Optimize

_CACHED_MESSAGES = 20_000
"""From this many messages on, the cache holds what a switch saves, not the changed messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewInput:
    conversation: Conversation
    values: Values
    options: PreviewOptions
    cache: StageCache
    counter: TokenCounter
    history: History
    counts: array[int]
    model_limit: ModelLimit
    strategy: Strategy
    sizing: RequestSizing = UNCALIBRATED

    @property
    def mode(self) -> Mode:
        return Mode(self.values.text(MODE))

    @property
    def every_turn(self) -> bool:
        return self.options.every_turn and self.strategy.optimize is not None

    @property
    def density_step(self) -> Optimize:
        """The density step of the strategy; under one without, "would save" is that of the first
        with one."""
        return self.strategy.optimize or next(
            one.optimize for one in STRATEGIES if one.optimize
        )

    @property
    def density_settings(self) -> DensitySettings:
        return density_settings(self.values, self.conversation.cwd or "/", self.mode)


def preview_input(
    conversation: Conversation,
    values: Values,
    options: PreviewOptions,
    cache: StageCache,
) -> PreviewInput:
    """Return the input of a preview, with cached stages reused; InputError for unknown names."""
    model = choose_model(conversation, options.model)
    text_counter = cache.get_or_compute("counter", model, lambda: counter_for(model))
    history = cache.get_or_compute(
        "history", options.scope, lambda: history_of_scope(conversation, options.scope)
    )
    counts = cache.get_or_compute(
        "counts",
        (options.scope, model),
        lambda: _counts(conversation, history, text_counter, options),
    )
    sizing, counter = UNCALIBRATED, text_counter
    if Mode(values.text(MODE)) is Mode.SAFE:
        sizing = cached_request_sizing(
            conversation, text_counter, options.scope, model, cache
        )
        counter = cache.get_or_compute(
            "sized counter",
            (options.scope, model),
            lambda: sizing.counter(text_counter),
        )
        counts = cache.get_or_compute(
            "sizes",
            (options.scope, model),
            lambda: sizing.sizes(history.messages, counts),
        )
    model_limit = find_model_limit(conversation, model, values.limit)
    strategy = find_strategy(values.text(STRATEGY))
    values = with_options(values, strategy.options)
    return PreviewInput(
        conversation=conversation,
        values=values,
        options=options,
        cache=cache,
        counter=counter,
        history=history,
        counts=counts,
        model_limit=model_limit,
        strategy=strategy,
        sizing=sizing,
    )


def part_stages(preview: Preview, cache: StageCache, end: int) -> StageCache:
    """Return a cache for a conversation of the first ``end`` messages of a preview's history alone,
    sized as they are in the preview; ``cache`` is that of the preview."""
    model = preview.sizes.model_limit.model
    text_counter = cache.get_or_compute("counter", model, lambda: counter_for(model))
    counts, key = preview.source.counts[:end], (ALL, model)
    return StageCache(
        results={
            ("counter", model): text_counter,
            ("counts", key): counts,
            ("sizing", (CURRENT, model)): preview.sizes.sizing,
            ("sized counter", key): preview.source.counter,
            ("sizes", key): counts,
        }
    )


def cached_request_sizing(
    conversation: Conversation,
    counter: TokenCounter,
    scope: str,
    model: str,
    cache: StageCache,
) -> RequestSizing:
    scope = (
        CURRENT if scope == ALL else scope
    )  # the next request is that of the current context in both
    return cache.get_or_compute(
        "sizing",
        (scope, model),
        lambda: request_sizing(conversation, counter, scope, model),
    )


def preview_request_tokens(
    preview: Preview, counter: TokenCounter, cache: StageCache
) -> int:
    """Return the tokens of the next request: current messages, system prompt, tools, hidden
    tokens."""

    def measure() -> int:
        conversation = preview.source.conversation
        model = preview.sizes.model_limit.model
        if preview.mode is Mode.REFERENCE:
            sizing = UNCALIBRATED
        else:
            sizing = cached_request_sizing(conversation, counter, CURRENT, model, cache)
        return next_request_tokens(conversation, counter, sizing)

    return cache.get_or_compute(
        "next request", (preview.sizes.model_limit.model, preview.mode), measure
    )


def _counts(
    conversation: Conversation,
    history: History,
    counter: TokenCounter,
    options: PreviewOptions,
) -> array[int]:
    counts = count_messages(conversation, counter, options.progress)
    own_messages = conversation.messages
    return array(
        "q",
        (
            counts[at]
            if at >= 0 and own_messages[at] is message
            else counter.message(message)
            for at, message in zip(history.indices, history.messages, strict=True)
        ),
    )


def density_result(inputs: PreviewInput, settings: DensitySettings) -> DensityResult:

    optimize = step = inputs.density_step
    # Switches share the cache of the step; for longer histories that takes too much memory.
    if len(inputs.history.messages) <= _CACHED_MESSAGES:
        optimize = inputs.cache.get_or_compute(
            "passes",
            (inputs.history.scope, step),
            lambda: late.incremental_optimize(step),
        )
    if not _is_cached(inputs, settings):
        return optimize(inputs.history.messages, settings)
    key = inputs.history.scope, step, settings
    return inputs.cache.get_or_compute(
        "density", key, lambda: optimize(inputs.history.messages, settings)
    )


def _is_cached(inputs: PreviewInput, settings: DensitySettings) -> bool:
    """Return whether to cache a density result: of long histories only the one that is shown."""
    is_own = (
        inputs.strategy.optimize is not None and settings == inputs.density_settings
    )
    return is_own or len(inputs.history.messages) <= _CACHED_MESSAGES


def density_reduction(inputs: PreviewInput, settings: DensitySettings) -> int:
    def measure() -> int:
        result = density_result(inputs, settings)
        removed_tokens = sum(
            inputs.counts[index] for index in (*result.removals, *result.replacements)
        )
        keeps = _is_cached(inputs, settings)
        return removed_tokens - sum(
            inputs.counter.count_each(result.replacements.values(), use_cache=keeps)
        )

    key = inputs.history.scope, inputs.density_step, settings, inputs.model_limit.model
    return inputs.cache.get_or_compute("density_reduction", key, measure)


def with_checks(preview: Preview, cache: StageCache, progress: Progress) -> Preview:
    """Return the preview with its checks; ``cache`` is that of the preview."""
    inputs = PreviewInput(
        conversation=preview.source.conversation,
        values=preview.source.values,
        options=PreviewOptions(
            scope=preview.source.history.scope,
            progress=progress,
            target_format=preview.result.target_format,
        ),
        cache=cache,
        counter=preview.source.counter,
        history=preview.source.history,
        counts=preview.source.counts,
        model_limit=preview.sizes.model_limit,
        strategy=preview.strategy,
        sizing=preview.sizes.sizing,
    )
    checks = replace(
        preview.checks,
        marginals=marginal_effects(inputs),
        lint=lint_results(inputs, preview.result.compaction),
    )
    return replace(preview, checks=checks)


def are_checks_cached(preview: Preview, cache: StageCache) -> bool:
    return cache.has_of(
        preview.result.compaction, f"lint {preview.result.target_format}"
    )


def marginal_effects(inputs: PreviewInput) -> tuple[MarginalEffect, ...]:
    """Return what each switch saves before ``compress``, only that one flipped."""
    settings = inputs.density_settings
    reduction = density_reduction(inputs, settings)
    effects = []
    for key in DENSITY_SWITCHES:
        is_on = inputs.values.flag(key)
        other = replace(
            settings,
            read_write_pruning=settings.read_write_pruning ^ (key == READ_WRITE),
            file_dedupe=settings.file_dedupe ^ (key == FILE_DEDUPE),
            recency_pruning=settings.recency_pruning ^ (key == RECENCY),
        )
        flipped = density_reduction(inputs, other)
        active = is_on and inputs.strategy.optimize is not None
        difference = reduction - flipped
        effects.append(
            MarginalEffect(key, difference if is_on else -difference, active)
        )
    return tuple(effects)


def lint_results(
    inputs: PreviewInput, compaction: Compaction
) -> tuple[LintResult, ...]:
    """Return what each API says of the source and of the result, as an export writes them."""
    source, target = inputs.history.messages, inputs.options.target_format
    memo: SchemaMemo = inputs.cache.get_or_compute("schema faults", "", dict)
    before_input = ExportInput(conversation=inputs.conversation, history=inputs.history)

    def check() -> tuple[LintResult, ...]:
        results = []
        for name in (provider.name for provider in PROVIDERS):
            inputs.options.progress(0.0, "Checking")
            before = inputs.cache.get_or_compute(
                "lint",
                (inputs.history.scope, name),
                partial(
                    lint_history,
                    inputs.conversation,
                    inputs.history,
                    name,
                    hidden=inputs.sizing.reported_hidden,
                    memo=memo,
                    tokens=inputs.counter.text,
                ),
            )
            after = before
            if compaction.no_op is None:
                after = lint_written(
                    replace(before_input, compaction=compaction),
                    name,
                    target,
                    source,
                    memo,
                )
            results.append(LintResult(name, before, after))
        return tuple(results)

    return inputs.cache.get_or_compute_of(compaction, f"lint {target}", check)
