"""Builds the input of a strategy: the one way from messages and settings to a
``StrategyContext``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.llm.protocol import Summariser, ToolModel
from core.llm.request_size import result_overhead
from core.preview.pipeline import density_input
from core.preview.preview_input import PreviewInput
from core.settings.profile import Profile
from core.settings.prompts.prompt_files import (
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
from core.strategies.curated_history import curated_indices, has_empty_message
from core.summarize.summariser_choice import summariser_factory
from core.transcript.model import Message
from core.transcript.pins import MessagePin, pins_for_input
from core.transcript.todos import active_todos
from core.transcript.tool_pairs import Pairs, find_pairs


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
    inputs: PreviewInput, part: CompactionInput
) -> StrategyContext:
    """Return the input of a preview's strategy, with the offline summariser and without a tool
    model."""
    options, counter, strategy = inputs.options, inputs.counter, inputs.strategy
    system_tokens = counter.system(inputs.conversation.system)
    context = strategy_context(
        strategy,
        part.messages,
        inputs.values,
        inputs.mode,
        count=counter.messages,
        request_tokens=part.tokens + system_tokens + inputs.sizing.hidden,
        limit=inputs.model_limit.tokens,
        hidden=_fixed_tokens(inputs, system_tokens),
        summariser=summariser_factory(None, counter.text),
        agent=None,
        prompts=strategy_prompts(
            strategy, options.summary.profile, inputs.mode, options.prompts
        ),
        todos=part.todos,
        transcript=inputs.conversation.document.file_name,
        focus=options.focus,
        sources=part.indices,
        pins=pins_for_input(options.pins, part.indices),
        known_pairs=part.pairs,
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
