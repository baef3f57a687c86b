"""The one use case: a conversation and settings in, one whole preview out.

Staged: history, counts, pairs, density, compress, lint. Each stage is kept in ``Stages`` and made
again only when what it depends on changed, so that a moved handle costs one ``compress``.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace

from core.analysis.findings import Finding
from core.analysis.lint import PROVIDERS, lint
from core.compaction import Compaction, NoOpCode
from core.compose import Stages as Composed
from core.compose import compose, density_input, unchanged
from core.conversation import Conversation, Message
from core.counts import count_messages
from core.density.growing import remembering
from core.models import Window, cache_rates, choose_model, window
from core.pairs import Pairs, find_pairs
from core.pins import given_to, without_effect
from core.preview_values import Ask, Lint, Marginal, Preview, Stages
from core.profiles import Profile
from core.prompts import Prompt, prompts_folder, resolve
from core.pulse import Pulse
from core.put_back import put_back
from core.scopes import History, history, only_part
from core.settings.values import Values
from core.strategies.base import Context, DensityConfig, DensityResult, Mode, Strategy, asks_model
from core.strategies.curate import curated
from core.strategies.keys import (
    DENSITY_SWITCHES,
    FILE_DEDUPE,
    LIMIT,
    MODE,
    READ_WRITE,
    RECENCY,
    RETENTION,
    STRATEGY,
    SUMMARY_TOKENS,
)
from core.strategies.registry import STRATEGIES, find_strategy
from core.strategies.trigger import trigger_tokens
from core.summarize.choose import DraftSummary, offline_or
from core.todos import active_todos
from core.tokens import Counter, counter_for

_MANY = 20_000
"""Messages from which on of a switch only what it saves is remembered, not what it would change."""


def preview(
    conversation: Conversation, values: Values, ask: Ask | None = None, stages: Stages | None = None
) -> Preview:
    """What the strategy of the settings would do to a conversation; nothing is changed.

    A manual run: the trigger is not asked; a strategy with ``optimize`` runs it first, then
    ``compress`` (product.md section 3.1). Raises InputError for unknown names and missing limits,
    StrategyError where the summary fails.
    """
    ask = ask or Ask()
    stages = stages if stages is not None else Stages()
    model = choose_model(conversation, ask.model)
    counter = stages.once("counter", model, lambda: counter_for(model))
    past = stages.once("history", ask.scope, lambda: history(conversation, ask.scope))
    counts = stages.once("counts", (ask.scope, model), lambda: _counts(conversation, past, counter, ask))
    pairs = stages.once("pairs", ask.scope, lambda: find_pairs(past.messages))
    limit = values.get(LIMIT)
    bound = window(conversation, model, None if limit is None else int(limit))
    strategy = find_strategy(values.text(STRATEGY))
    bench = _Bench(conversation, values, ask, stages, counter, past, counts, model, bound, strategy)
    return _preview(bench, pairs)


def with_put_back(made: Preview, indices: frozenset[int], counter: Counter) -> Preview:
    """The preview with these source messages put back as they were, counted and linted anew."""
    compaction = put_back(made.compaction, made.messages, made.pairs, indices)
    if compaction is made.compaction:
        return made
    counts = array("q", map(counter.message, compaction.messages))
    if made.unwritten or made.draft:
        for place, most in compaction.budgets.items():
            counts[place] = most
    checked = tuple(
        replace(one, after=lint(compaction.messages, one.provider, source=made.messages)) for one in made.lint
    )
    return replace(made, compaction=compaction, after_counts=counts, after_tokens=sum(counts), lint=checked)


@dataclass(frozen=True, slots=True)
class _Bench:
    """What the stages of one preview share."""

    conversation: Conversation
    values: Values
    ask: Ask
    stages: Stages
    counter: Counter
    past: History
    counts: array[int]
    model: str
    window: Window
    strategy: Strategy

    @property
    def mode(self) -> Mode:
        return Mode(self.values.text(MODE))


def _counts(conversation: Conversation, past: History, counter: Counter, ask: Ask) -> array[int]:
    known, own = count_messages(conversation, counter, ask.progress), conversation.messages
    return array(
        "q",
        (
            known[position] if position >= 0 and own[position] is message else counter.message(message)
            for position, message in zip(past.positions, past.messages, strict=True)
        ),
    )


def _preview(bench: _Bench, pairs: Pairs) -> Preview:
    config = _density_config(bench)
    density = _density(bench, config) if bench.strategy.optimize is not None else None
    compaction, inputs = _compaction(bench, config, density)
    after_counts = _after_counts(bench, compaction)
    before, after = sum(bench.counts), sum(after_counts)
    if bench.mode is Mode.SAFE and compaction.no_op is None and not bench.ask.unwritten and after >= before:
        reason = f"The result is not smaller: {before:,} tokens became {after:,}."
        compaction = unchanged(_composed(bench, density, inputs), compaction, NoOpCode.NOT_SMALLER, reason)
        after_counts, after = bench.counts, before
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
        density,
        None if density is None else before - _saved(bench, config),
        compaction,
        after_counts,
        after,
        _marginals(bench, config),
        _lint(bench, compaction),
        _warnings(bench, compaction),
        bench.ask.draft,
        bench.ask.writer,
        bench.ask.unwritten and asks_model(bench.strategy, bench.values),
        _prompt_level(bench),
        bench.ask.why,
        focus=bench.ask.focus,
        pins=bench.ask.pins,
    )


def _warnings(bench: _Bench, compaction: Compaction) -> tuple[str, ...]:
    part = only_part(bench.conversation, bench.past.scope)
    pins = "" if bench.strategy.obeys_pins else without_effect(bench.ask.pins, bench.strategy.name)
    return (*filter(None, (part, pins)), *compaction.warnings)


def _density_config(bench: _Bench) -> DensityConfig:
    values = bench.values
    return DensityConfig(
        values.flag(READ_WRITE),
        values.flag(FILE_DEDUPE),
        values.flag(RECENCY),
        values.number(RETENTION),
        bench.conversation.cwd or "/",
        bench.mode,
    )


def _optimizer() -> Strategy:
    """The strategy whose density step answers "would save" under the others."""
    return next(strategy for strategy in STRATEGIES if strategy.optimize is not None)


def _density(bench: _Bench, config: DensityConfig) -> DensityResult:
    given = bench.strategy.optimize or _optimizer().optimize
    assert given is not None
    optimize = given
    if len(bench.past.messages) <= _MANY:  # the switches share what they find; of more that takes memory
        optimize = bench.stages.once("passes", (bench.past.scope, given), lambda: remembering(given))
    if not _is_kept(bench, config):
        return optimize(bench.past.messages, config)
    return bench.stages.once(
        "density", (bench.past.scope, config), lambda: optimize(bench.past.messages, config)
    )


def _is_kept(bench: _Bench, config: DensityConfig) -> bool:
    """False for what would only be changed, of a long history."""
    is_own = bench.strategy.optimize is not None and config == _density_config(bench)
    return is_own or len(bench.past.messages) <= _MANY


def _saved(bench: _Bench, config: DensityConfig) -> int:
    """Tokens that a density pass takes away."""

    def measure() -> int:
        result = _density(bench, config)
        gone = sum(bench.counts[index] for index in (*result.removals, *result.replacements))
        keeps = _is_kept(bench, config)
        return gone - sum(bench.counter.each(result.replacements.values(), keeps=keeps))

    return bench.stages.once("saved", (bench.past.scope, config, bench.model), measure)


def _flipped(config: DensityConfig, key: str) -> DensityConfig:
    return replace(
        config,
        read_write_pruning=config.read_write_pruning ^ (key == READ_WRITE),
        file_dedupe=config.file_dedupe ^ (key == FILE_DEDUPE),
        recency_pruning=config.recency_pruning ^ (key == RECENCY),
    )


def _marginals(bench: _Bench, config: DensityConfig) -> tuple[Marginal, ...]:
    """What each switch saves, only that one flipped, before ``compress`` (product.md section 3.5)."""
    if bench.ask.draft or not bench.ask.checks:
        return ()
    now = _saved(bench, config)
    found = []
    for key in DENSITY_SWITCHES:
        is_on = bench.values.flag(key)
        flipped = _saved(bench, _flipped(config, key))
        active = is_on and bench.strategy.optimize is not None
        found.append(Marginal(key, max(0, now - flipped if is_on else flipped - now), active))
    return tuple(found)


def _composed(bench: _Bench, density: DensityResult | None, inputs: tuple[int, ...]) -> Composed:
    return Composed(bench.past.messages, density, inputs, bench.strategy.reference)


def _compaction(
    bench: _Bench, config: DensityConfig, density: DensityResult | None
) -> tuple[Compaction, tuple[int, ...]]:
    ask = bench.ask
    settings = tuple((key, bench.values.get(key)) for key in (*bench.strategy.options, SUMMARY_TOKENS))
    prompts = tuple(prompts_of(bench.strategy, ask.writer, bench.mode).items())
    given = (ask.summary, ask.focus, ask.unwritten, ask.writer.name, prompts)
    pins = tuple(sorted(ask.pins.items(), key=lambda pinned: pinned[0])) if bench.strategy.obeys_pins else ()
    key = (bench.strategy.name, ask.scope, ask.model, given, config, settings, bench.window.limit, pins)

    def run() -> tuple[Compaction, tuple[int, ...]]:
        inputs, messages = _given(bench, density)
        pulse = Pulse(bench.ask.progress, bench.counter)
        context = _context(bench, messages, inputs, pulse)
        stages = _composed(bench, density, inputs)
        return compose(stages, bench.strategy.compress(context)), inputs

    return run() if ask.choose is not None else bench.stages.once("compaction", key, run)


def _given(bench: _Bench, density: DensityResult | None) -> tuple[tuple[int, ...], tuple[Message, ...]]:
    """What a strategy is given, and where in the history it stood; nothing else of it stays in memory."""
    left = density_input(bench.past.messages, density)
    kept = curated([message for _, message in left], bench.mode)
    return tuple(left[index][0] for index in kept), tuple(left[index][1] for index in kept)


def prompts_of(strategy: Strategy, writer: Profile, mode: Mode) -> dict[str, str]:
    """The prompt texts for the model that is called, by name, the one for the summary first.

    Overrides on disk are read each time (REQ-CS-005).
    """
    return {name: _resolved(name, writer, mode).text for name in strategy.prompts}


def prompt_of(strategy: Strategy, writer: Profile, mode: Mode) -> str:
    """The first of the prompts, empty where the strategy asks no model."""
    return _resolved(strategy.prompts[0], writer, mode).text if strategy.prompts else ""


def _resolved(name: str, writer: Profile, mode: Mode) -> Prompt:
    return resolve(name, writer.provider, writer.model, prompts_folder(), mode)


def _prompt_level(bench: _Bench) -> str:
    names = bench.strategy.prompts
    return str(_resolved(names[0], bench.ask.writer, bench.mode).level) if names else ""


def _context(bench: _Bench, messages: tuple[Message, ...], inputs: tuple[int, ...], pulse: Pulse) -> Context:
    choose = bench.ask.choose or offline_or(bench.ask.summary, bench.counter.text, pulse.tell)
    prompts = prompts_of(bench.strategy, bench.ask.writer, bench.mode)
    return Context(
        messages,
        bench.values,
        pulse.estimate,
        bench.counter.messages(messages) + bench.counter.system(bench.conversation.system),
        bench.window.limit,
        (lambda profile: DraftSummary(bench.ask.writer.name)) if bench.ask.unwritten else choose,
        next(iter(prompts.values()), ""),
        bench.mode,
        todos=active_todos(messages) if bench.strategy.requires_llm else "",
        transcript=bench.conversation.document.place,
        focus=bench.ask.focus,
        sources=inputs,
        prompts=prompts,
        agent=None if bench.ask.unwritten else bench.ask.agent,
        pins=given_to(bench.ask.pins, inputs),
        cache=cache_rates(bench.model),
    )


def _after_counts(bench: _Bench, compaction: Compaction) -> array[int]:
    """Tokens of each result message; summaries not yet written count as their budgets."""
    counts = array("q", bench.counter.each(compaction.messages))
    if bench.ask.unwritten:
        for place, most in compaction.budgets.items():
            counts[place] = most
    return counts


def _lint(bench: _Bench, compaction: Compaction) -> tuple[Lint, ...]:
    """Findings for every provider; not while a handle moves."""
    if bench.ask.draft or not bench.ask.checks:
        return ()
    source = bench.past.messages

    def check() -> tuple[Compaction, tuple[Lint, ...]]:
        found = []
        for provider in PROVIDERS:
            bench.ask.progress(0.0, "Checking")
            name = provider.name
            before = bench.stages.once("lint", (bench.past.scope, name), _linted(source, name))
            after = before if compaction.no_op is not None else lint(compaction.messages, name, source=source)
            found.append(Lint(name, before, after))
        return compaction, tuple(found)

    # by the identity of the result, which is its own as long as the stage holds it
    return bench.stages.once("compaction", ("lint", id(compaction)), check)[1]


def _linted(messages: tuple[Message, ...], provider: str) -> Callable[[], tuple[Finding, ...]]:
    return lambda: lint(messages, provider)
