"""Checks of a preview's result: what each density switch saves, and lint.

They take as long as the result itself, so for long histories they can be computed afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from core.lint.lint import PROVIDERS, lint_messages
from core.preview.context import PreviewContext, saved_tokens
from core.preview.options import LintResult, MarginalEffect, Preview, PreviewOptions, StageCache
from core.settings.keys import DENSITY_SWITCHES, FILE_DEDUPE, READ_WRITE, RECENCY
from core.tokens.counter import TokenCounter
from core.transcript.compaction import Compaction
from core.transcript.model import Message, Progress


def with_checks(preview: Preview, counter: TokenCounter, cache: StageCache, progress: Progress) -> Preview:
    """Return the preview with its checks; ``cache`` and ``counter`` are those of the preview."""
    context = PreviewContext(
        preview.conversation,
        preview.values,
        PreviewOptions(preview.history.scope, progress=progress, target_format=preview.target_format),
        cache,
        preview.sizing.counter(counter),
        preview.history,
        preview.counts,
        preview.window.model,
        preview.window,
        preview.strategy,
        preview.sizing,
    )
    return replace(
        preview,
        marginals=marginal_effects(context),
        lint=lint_results(context, preview.compaction, preview.written_compaction.messages),
    )


def are_checks_cached(preview: Preview, cache: StageCache) -> bool:
    return _cache_key(preview.compaction, preview.target_format) in cache.results


def marginal_effects(context: PreviewContext) -> tuple[MarginalEffect, ...]:
    """Return what each switch saves before ``compress``, only that one flipped (product.md section 3.5)."""
    config = context.density_config
    saved = saved_tokens(context, config)
    effects = []
    for key in DENSITY_SWITCHES:
        is_on = context.values.flag(key)
        other = replace(
            config,
            read_write_pruning=config.read_write_pruning ^ (key == READ_WRITE),
            file_dedupe=config.file_dedupe ^ (key == FILE_DEDUPE),
            recency_pruning=config.recency_pruning ^ (key == RECENCY),
        )
        flipped = saved_tokens(context, other)
        active = is_on and context.strategy.optimize is not None
        effects.append(MarginalEffect(key, max(0, saved - flipped if is_on else flipped - saved), active))
    return tuple(effects)


def lint_results(
    context: PreviewContext, compaction: Compaction, written: Sequence[Message]
) -> tuple[LintResult, ...]:
    source = context.history.messages

    def check() -> tuple[Compaction, tuple[LintResult, ...]]:
        results = []
        for provider in PROVIDERS:
            context.options.progress(0.0, "Checking")
            name = provider.name
            before = context.cache.get_or_compute(
                "lint", (context.history.scope, name), partial(lint_messages, source, name)
            )
            after = before if compaction.no_op is not None else lint_messages(written, name, source=source)
            results.append(LintResult(name, before, after))
        return compaction, tuple(results)

    return context.cache.get_or_compute(*_cache_key(compaction, context.options.target_format), check)[1]


def _cache_key(compaction: Compaction, target_format: str) -> tuple[str, tuple[str, int, str]]:
    """Return the cache key: the identity of the result, which is unique while the cache holds it."""
    return "compaction", ("lint", id(compaction), target_format)
