"""The one use case: a conversation and settings in, one whole preview out.

Staged: history, counts, pairs, density, compress, lint. Each stage is kept in ``StageCache`` and made
again only when what it depends on changed, so that a moved handle costs one ``compress``.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.formats.writing.written_compaction import as_written
from core.lint.lint import lint_messages
from core.llm.catalog import cache_rates, caches_for_an_hour
from core.preview.context import PreviewContext, density_of, preview_context, saved_tokens
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.pipeline import StageResults as Composed
from core.preview.pipeline import compose_compaction, density_input, unchanged_compaction
from core.preview.result_checks import lint_results, marginal_effects
from core.settings.keys import CACHE_LIFETIME
from core.settings.profile import Profile
from core.settings.prompts import PromptText, prompts_folder, resolve_prompt
from core.settings.prompts.review import unfilled_placeholders
from core.settings.schema import Mode
from core.settings.values import Values
from core.strategies.base import DensityConfig, DensityResult, Strategy, StrategyContext, asks_model
from core.strategies.cancellation import StrategyProgress
from core.strategies.curated_history import curated_indices
from core.strategies.trigger import trigger_tokens
from core.summarize.summarizer_choice import PlaceholderSummariser, offline_or
from core.tokens.counter import TokenCounter
from core.transcript.compaction import Compaction, NoOpCode
from core.transcript.model import Conversation, Message
from core.transcript.pins import given_to, without_effect
from core.transcript.restore import put_back
from core.transcript.scopes import only_part
from core.transcript.todos import active_todos
from core.transcript.tool_pairs import Pairs, find_pairs


def compute_preview(
    conversation: Conversation,
    values: Values,
    ask: PreviewOptions | None = None,
    stages: StageCache | None = None,
) -> Preview:
    """What the strategy of the settings would do to a conversation; nothing is changed.

    A manual run: the trigger is not asked; a strategy with ``optimize`` runs it first, then
    ``compress`` (product.md section 3.1). Raises InputError for unknown names and missing limits,
    StrategyError where the summary fails.
    """
    ask = ask or PreviewOptions()
    stages = stages if stages is not None else StageCache()
    bench = preview_context(conversation, values, ask, stages)
    return _preview(bench, stages.once("pairs", ask.scope, lambda: find_pairs(bench.past.messages)))


def with_put_back(made: Preview, indices: frozenset[int], counter: TokenCounter) -> Preview:
    """The preview with these source messages put back as they were, counted and linted anew."""
    compaction = put_back(made.compaction, made.messages, made.pairs, indices)
    if compaction is made.compaction:
        return made
    written = as_written(made.conversation, made.history, compaction, made.to)
    counts = array("q", map(counter.message, written))
    if made.unwritten or made.draft:
        for place, most in compaction.budgets.items():
            counts[place] = most
    checked = tuple(
        replace(one, after=lint_messages(written, one.provider, source=made.messages)) for one in made.lint
    )
    return replace(
        made,
        compaction=compaction,
        after_counts=counts,
        after_tokens=sum(counts),
        lint=checked,
        written=written,
    )


def _preview(bench: PreviewContext, pairs: Pairs) -> Preview:
    config, is_checked = bench.density_config, bench.ask.checks and not bench.ask.draft
    found = density_of(bench, config) if bench.strategy.optimize is not None else None
    compaction, inputs = _compaction(bench, config, found)
    written = _written(bench, compaction)
    after_counts = _after_counts(bench, compaction, written)
    before, after = sum(bench.counts), sum(after_counts)
    if bench.mode is Mode.SAFE and compaction.no_op is None and not bench.ask.unwritten and after >= before:
        compaction = _refused(bench, compaction, _composed(bench, found, inputs), after)
        after_counts, after, written = bench.counts, before, compaction.messages
    return Preview(
        bench.conversation,
        bench.past,
        bench.values,
        bench.mode,
        bench.strategy,
        bench.counter.method,
        bench.window,
        bench.counts,
        inputs,
        before,
        bench.counter.system(bench.conversation.system),
        trigger_tokens(bench.strategy, bench.values, bench.window.limit),
        pairs,
        found,
        None if found is None else before - saved_tokens(bench, config),
        compaction,
        after_counts,
        after,
        marginal_effects(bench) if is_checked else (),
        lint_results(bench, compaction, written) if is_checked else (),
        _warnings(bench, compaction),
        bench.ask.draft,
        bench.ask.writer,
        bench.ask.unwritten and asks_model(bench.strategy, bench.values),
        _prompt_level(bench),
        bench.ask.why,
        focus=bench.ask.focus,
        pins=bench.ask.pins,
        to=bench.ask.to,
        written=written,
        sizing=bench.sizing,
    )


def _written(bench: PreviewContext, compaction: Compaction) -> tuple[Message, ...]:
    """The result as its format holds it; made once for a compaction and a format."""

    def write() -> tuple[Compaction, tuple[Message, ...]]:
        return compaction, as_written(bench.conversation, bench.past, compaction, bench.ask.to)

    return bench.stages.once("compaction", ("written", id(compaction), bench.ask.to), write)[1]


def _refused(bench: PreviewContext, compaction: Compaction, stages: Composed, after: int) -> Compaction:
    """The history as it was, in the place of a result that is not smaller; the same object each time, for its
    checks and its fidelity are known by it."""

    def refuse() -> tuple[Compaction, Compaction]:
        reason = f"The result is not smaller: {sum(bench.counts):,} tokens became {after:,}."
        return compaction, unchanged_compaction(stages, compaction, NoOpCode.NOT_SMALLER, reason)

    return bench.stages.once("compaction", ("not smaller", id(compaction)), refuse)[1]


def _warnings(bench: PreviewContext, compaction: Compaction) -> tuple[str, ...]:
    part = only_part(bench.conversation, bench.past.scope)
    pins = "" if bench.strategy.obeys_pins else without_effect(bench.ask.pins, bench.strategy.name)
    return (*filter(None, (part, pins)), *_unfilled(bench), *compaction.warnings)


def _unfilled(bench: PreviewContext) -> Iterator[str]:
    """A sentence for each prompt with a placeholder that nothing fills in; the editor tells of its own."""
    for name in bench.strategy.prompts:
        if name in (bench.ask.prompts or {}):
            continue
        prompt = _resolved(name, bench.ask.writer, bench.mode)
        for found, line in unfilled_placeholders(prompt.text):
            yield f"{prompt.path}, line {line}: nothing fills in {{{found}}}, which is sent as it stands."


def _composed(bench: PreviewContext, density: DensityResult | None, inputs: tuple[int, ...]) -> Composed:
    return Composed(bench.past.messages, density, inputs, bench.strategy.reference)


def _compaction(
    bench: PreviewContext, config: DensityConfig, density: DensityResult | None
) -> tuple[Compaction, tuple[int, ...]]:
    ask = bench.ask
    settings = tuple((key, bench.values.get(key)) for key in bench.strategy.options)
    prompts = tuple(prompts_of(bench.strategy, ask.writer, bench.mode, ask.prompts).items())
    given = (ask.summary, ask.focus, ask.unwritten, ask.writer.name, prompts)
    pins = tuple(sorted(ask.pins.items(), key=lambda pinned: pinned[0])) if bench.strategy.obeys_pins else ()
    key = (bench.strategy.name, ask.scope, ask.model, given, config, settings, bench.window.limit, pins)

    def run() -> tuple[Compaction, tuple[int, ...]]:
        inputs, messages = _given(bench, density)
        pulse = StrategyProgress(bench.ask.progress, bench.counter)
        context = _context(bench, messages, inputs, pulse)
        stages = _composed(bench, density, inputs)
        return compose_compaction(stages, _compress(bench)(context)), inputs

    return run() if ask.choose is not None else bench.stages.once("compaction", key, run)


def _compress(bench: PreviewContext) -> Callable[[StrategyContext], Compaction]:
    """The strategy's run; one that keeps what it finds is made once."""
    strategy, make = bench.strategy, bench.strategy.remembering
    if make is None:
        return strategy.compress
    return bench.stages.once("compress", (strategy.name, bench.past.scope, bench.model, bench.mode), make)


def _given(
    bench: PreviewContext, density: DensityResult | None
) -> tuple[tuple[int, ...], tuple[Message, ...]]:
    """What a strategy is given, and where in the history it stood; nothing else of it stays in memory."""
    left, mode = density_input(bench.past.messages, density), bench.strategy.mode(bench.mode)
    kept = [left[place] for place in curated_indices([message for _, message in left], mode)]
    return tuple([index for index, _ in kept]), tuple([message for _, message in kept])


def prompts_of(
    strategy: Strategy, writer: Profile, mode: Mode, tried: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The prompt texts for the model that is called, by name, the one for the summary first.

    Overrides on disk are read each time (REQ-CS-005); texts that are ``tried`` stand in their place.
    """
    known = tried or {}
    return {
        name: known[name] if name in known else _resolved(name, writer, mode).text
        for name in strategy.prompts
    }


def prompt_of(strategy: Strategy, writer: Profile, mode: Mode) -> str:
    """The first of the prompts, empty where the strategy asks no model."""
    return _resolved(strategy.prompts[0], writer, mode).text if strategy.prompts else ""


def _resolved(name: str, writer: Profile, mode: Mode) -> PromptText:
    return resolve_prompt(name, writer.provider, writer.model, prompts_folder(), mode)


def _prompt_level(bench: PreviewContext) -> str:
    names = bench.strategy.prompts
    return str(_resolved(names[0], bench.ask.writer, bench.mode).level) if names else ""


def _context(
    bench: PreviewContext, messages: tuple[Message, ...], inputs: tuple[int, ...], pulse: StrategyProgress
) -> StrategyContext:
    choose = bench.ask.choose or offline_or(bench.ask.summary, bench.counter.text, pulse.tell)
    prompts = prompts_of(bench.strategy, bench.ask.writer, bench.mode, bench.ask.prompts)
    hour = caches_for_an_hour(bench.conversation, bench.values.text(CACHE_LIFETIME))
    return StrategyContext(
        messages,
        bench.values,
        pulse.estimate,
        bench.counter.messages(messages)
        + bench.counter.system(bench.conversation.system)
        + bench.sizing.hidden,
        bench.window.limit,
        (lambda profile: PlaceholderSummariser(bench.ask.writer.name)) if bench.ask.unwritten else choose,
        next(iter(prompts.values()), ""),
        bench.mode,
        todos=active_todos(messages) if bench.strategy.requires_llm else "",
        transcript=bench.conversation.document.place,
        focus=bench.ask.focus,
        sources=inputs,
        prompts=prompts,
        agent=None if bench.ask.unwritten else bench.ask.agent,
        pins=given_to(bench.ask.pins, inputs),
        cache=cache_rates(bench.model, hour),
        hidden=max(0, bench.sizing.hidden),
    )


def _after_counts(bench: PreviewContext, compaction: Compaction, written: Sequence[Message]) -> array[int]:
    """Tokens of each result message; summaries not yet written count as their budgets."""
    counts = array("q", bench.counter.each(written))
    if bench.ask.unwritten:
        for place, most in compaction.budgets.items():
            counts[place] = most
    return counts
