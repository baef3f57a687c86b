"""What is found out about a result once it is there: what each switch saves, what APIs would refuse.

It takes as long as the result itself, so that of a long history it can be asked for afterwards.
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


def with_checks(made: Preview, counter: TokenCounter, stages: StageCache, progress: Progress) -> Preview:
    """The preview with its checks; ``stages`` are those that it was made with, ``counter``
    counts for its sizing."""
    bench = PreviewContext(
        made.conversation,
        made.values,
        PreviewOptions(made.history.scope, progress=progress, to=made.to),
        stages,
        made.sizing.counter(counter),
        made.history,
        made.counts,
        made.window.model,
        made.window,
        made.strategy,
        made.sizing,
    )
    return replace(
        made,
        marginals=marginal_effects(bench),
        lint=lint_results(bench, made.compaction, made.judged.messages),
    )


def are_known(made: Preview, stages: StageCache) -> bool:
    """True where the result of a preview was checked before."""
    return _stage(made.compaction, made.to) in stages.results


def marginal_effects(bench: PreviewContext) -> tuple[MarginalEffect, ...]:
    """What each switch saves, only that one flipped, before ``compress`` (product.md section 3.5)."""
    config = bench.density_config
    now = saved_tokens(bench, config)
    found = []
    for key in DENSITY_SWITCHES:
        is_on = bench.values.flag(key)
        flipped = saved_tokens(bench, _flipped(config, key))
        active = is_on and bench.strategy.optimize is not None
        found.append(MarginalEffect(key, max(0, now - flipped if is_on else flipped - now), active))
    return tuple(found)


def _flipped(config: DensityConfig, key: str) -> DensityConfig:
    return replace(
        config,
        read_write_pruning=config.read_write_pruning ^ (key == READ_WRITE),
        file_dedupe=config.file_dedupe ^ (key == FILE_DEDUPE),
        recency_pruning=config.recency_pruning ^ (key == RECENCY),
    )


def lint_results(
    bench: PreviewContext, compaction: Compaction, written: Sequence[Message]
) -> tuple[LintResult, ...]:
    """What the linter finds for every provider, in the source and in the result as it is written."""
    source = bench.past.messages

    def check() -> tuple[Compaction, tuple[LintResult, ...]]:
        found = []
        for provider in PROVIDERS:
            bench.ask.progress(0.0, "Checking")
            name = provider.name
            before = bench.stages.once("lint", (bench.past.scope, name), _linted(source, name))
            after = before if compaction.no_op is not None else lint_messages(written, name, source=source)
            found.append(LintResult(name, before, after))
        return compaction, tuple(found)

    return bench.stages.once(*_stage(compaction, bench.ask.to), check)[1]


def _stage(compaction: Compaction, to: str) -> tuple[str, tuple[str, int, str]]:
    """By the identity of the result, which is its own as long as the stage holds it."""
    return "compaction", ("lint", id(compaction), to)


def _linted(messages: tuple[Message, ...], provider: str) -> Callable[[], tuple[LintFinding, ...]]:
    return lambda: lint_messages(messages, provider)
