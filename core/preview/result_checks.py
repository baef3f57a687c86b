"""Checks of a result: what each switch saves, and what APIs would refuse.

They take as long as the result itself, so for long histories they can be computed afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.lint.findings import LintFinding
from core.lint.lint import PROVIDERS, lint_messages
from core.preview.context import PreviewContext, saved_tokens
from core.preview.options import LintResult, MarginalEffect, Preview, PreviewOptions, StageCache
from core.settings.keys import DENSITY_SWITCHES, FILE_DEDUPE, READ_WRITE, RECENCY
from core.strategies.base import DensityConfig
from core.tokens.counter import TokenCounter
from core.transcript.compaction import Compaction
from core.transcript.model import Message, Progress


def with_checks(preview: Preview, counter: TokenCounter, stages: StageCache, progress: Progress) -> Preview:
    """Return the preview with its checks; ``stages`` and ``counter`` are those of the preview."""
    context = PreviewContext(
        preview.conversation,
        preview.values,
        PreviewOptions(preview.history.scope, progress=progress, to=preview.to),
        stages,
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
        lint=lint_results(context, preview.compaction, preview.judged.messages),
    )


def are_known(preview: Preview, stages: StageCache) -> bool:
    return _cache_key(preview.compaction, preview.to) in stages.results


def marginal_effects(context: PreviewContext) -> tuple[MarginalEffect, ...]:
    """Return what each switch saves before ``compress``, only that one flipped (product.md section 3.5)."""
    config = context.density_config
    saved = saved_tokens(context, config)
    effects = []
    for key in DENSITY_SWITCHES:
        is_on = context.values.flag(key)
        other = saved_tokens(context, _flipped(config, key))
        active = is_on and context.strategy.optimize is not None
        effects.append(MarginalEffect(key, max(0, saved - other if is_on else other - saved), active))
    return tuple(effects)


def _flipped(config: DensityConfig, key: str) -> DensityConfig:
    return replace(
        config,
        read_write_pruning=config.read_write_pruning ^ (key == READ_WRITE),
        file_dedupe=config.file_dedupe ^ (key == FILE_DEDUPE),
        recency_pruning=config.recency_pruning ^ (key == RECENCY),
    )


def lint_results(
    context: PreviewContext, compaction: Compaction, written: Sequence[Message]
) -> tuple[LintResult, ...]:
    source = context.history.messages

    def check() -> tuple[Compaction, tuple[LintResult, ...]]:
        results = []
        for provider in PROVIDERS:
            context.options.progress(0.0, "Checking")
            name = provider.name
            before = context.cache.once("lint", (context.history.scope, name), _lint_source(source, name))
            after = before if compaction.no_op is not None else lint_messages(written, name, source=source)
            results.append(LintResult(name, before, after))
        return compaction, tuple(results)

    return context.cache.once(*_cache_key(compaction, context.options.to), check)[1]


def _cache_key(compaction: Compaction, to: str) -> tuple[str, tuple[str, int, str]]:
    """Return the cache key: the identity of the result, which is unique while the cache holds it."""
    return "compaction", ("lint", id(compaction), to)


def _lint_source(messages: tuple[Message, ...], provider: str) -> Callable[[], tuple[LintFinding, ...]]:
    return lambda: lint_messages(messages, provider)
