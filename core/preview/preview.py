"""Computes the preview of a conversation under settings, and foresees the requests of its run.

Stages: history, counts, pairs, density, input, compress, lint. ``StageCache`` holds each stage
until its inputs change, so that a moved handle costs one ``compress``.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from core.common.json_value import Json
from core.formats.writing.exporter import ExportInput
from core.formats.writing.format_capabilities import (
    messages_as_exported,
    summary_role_note,
    written_format,
)
from core.lint.lint import lint_written
from core.llm.protocol import SummaryRequest, SummaryResponse, ToolCallRequest, ToolTurn
from core.preview import late
from core.preview.options import (
    Preview,
    PreviewChecks,
    PreviewOptions,
    PreviewResult,
    PreviewSizes,
    PreviewSource,
    PreviewSummary,
    StageCache,
    with_guesses,
)
from core.preview.preview_input import (
    PreviewInput,
    density_reduction,
    density_result,
    lint_results,
    marginal_effects,
    preview_input,
)
from core.preview.strategy_input import (
    CompactionInput,
    StageResults,
    compaction_input,
    compose_compaction,
    density_compaction,
    preview_strategy_context,
    resolved_prompt,
    unchanged_compaction,
)
from core.settings.prompts import unfilled_placeholders
from core.settings.schema import IMAGES, Mode, Values
from core.strategies.base import DensityResult, StrategyContext, calls_model
from core.strategies.helpers import (
    no_op_compaction,
    not_smaller,
    trigger_fault,
    trigger_tokens,
)
from core.strategies.passes import leaves_out_images, with_images_hint
from core.summarize.summariser_choice import PlaceholderSummariser, summariser_factory
from core.tokens.counter import TokenCounter
from core.transcript.compaction import AgentStep, Compaction, NoOpCode
from core.transcript.images import guessed_images, image_formula
from core.transcript.model import Conversation, Message, Progress, no_progress
from core.transcript.pins import ignored_pins_note, restore_messages
from core.transcript.scopes import incomplete_reason
from core.transcript.tool_pairs import Pairs, find_pairs

if TYPE_CHECKING:
    from core.strategies.excerpt_units import ExcerptUnit, Supplement


def compute_preview(
    conversation: Conversation,
    values: Values,
    options: PreviewOptions | None = None,
    cache: StageCache | None = None,
) -> Preview:
    """Return what the strategy of the settings would do to a conversation, as a manual run.

    The trigger is ignored; a strategy with ``optimize`` runs it first, then ``compress``, which
    ``every_turn`` of the options leaves out. Raises InputError for unknown names and missing
    limits, StrategyError if the summary fails.
    """
    options = options or PreviewOptions()
    cache = cache if cache is not None else StageCache()
    inputs = preview_input(conversation, values, options, cache)
    progress = options.progress

    def pairs() -> Pairs:
        progress(0.0, _ACTIVITY)  # the stages before it take a while in a long history
        found = find_pairs(inputs.history.messages)
        progress(0.0, _ACTIVITY)
        return found

    return _preview(inputs, cache.get_or_compute("pairs", options.scope, pairs))


def with_restored(preview: Preview, indices: frozenset[int]) -> Preview:
    """Return the preview with these source messages put back, counted and linted again."""
    if not indices:
        return preview
    compaction = restore_messages(
        preview.result.compaction, preview.messages, preview.source.pairs, indices
    )
    if compaction is preview.result.compaction:
        return preview
    return _with_result(preview, compaction)


def lines_to_put_back(preview: Preview, progress: Progress = no_progress) -> Supplement:
    """Return the most useful lines that the result lacks; none of one that changed nothing, or that
    is not the strategy's, to which nothing can be put back."""
    result = preview.result
    if result.compaction.no_op is not None or result.result_source:
        return late.Supplement()
    return late.supplement(
        preview.messages,
        preview.result.compaction.messages,
        preview.source.counter.message,
        max_lines=late.PUT_BACK_LINES,
        progress=progress,
    )


def with_excerpts(
    preview: Preview, lines: Sequence[ExcerptUnit] | None = None
) -> Preview:
    """Return the preview with these lines put back, by default the most useful ones, counted and
    linted again."""
    run, count = preview.result.compaction, preview.source.counter.message
    if lines is None:
        found = lines_to_put_back(preview)
    else:
        found = late.chosen_lines(lines, preview.messages, run.messages, count)
    compaction = late.with_supplement(run, found)
    if compaction is run:
        return preview
    return _with_result(preview, compaction)


def _with_result(preview: Preview, compaction: Compaction) -> Preview:
    written = messages_as_exported(
        preview.source.conversation,
        preview.source.history,
        compaction,
        preview.result.target_format,
    )
    counts = array("q", map(preview.source.counter.message, written))
    if preview.summary.unwritten or preview.summary.provisional:
        for result_index, budget in compaction.budgets.items():
            counts[result_index] = budget
    content = ExportInput(
        conversation=preview.source.conversation,
        history=preview.source.history,
        compaction=compaction,
    )
    checked = tuple(
        replace(
            result,
            after=lint_written(
                content, result.provider, preview.result.target_format, preview.messages
            ),
        )
        for result in preview.checks.lint
    )
    return replace(
        preview,
        sizes=replace(preview.sizes, message_tokens_after=sum(counts), is_changed=True),
        result=replace(
            preview.result,
            compaction=compaction,
            after_counts=counts,
            written_messages=written,
        ),
        checks=replace(preview.checks, lint=checked),
    )


def _preview(inputs: PreviewInput, pairs: Pairs) -> Preview:
    settings = inputs.density_settings
    is_checked = inputs.options.checks and not inputs.options.provisional
    if inputs.strategy.optimize is not None:
        density = density_result(inputs, settings)
    else:
        density = None
    part = compaction_input(inputs, settings, density, pairs)
    strategy_context = preview_strategy_context(inputs, part)
    compaction, indices = _cached_compaction(inputs, density, part, strategy_context)
    written = _written(inputs, compaction)
    after_counts = _after_counts(inputs, compaction, written)
    before = sum(inputs.counts)
    after = sum(after_counts)
    guessed = _guessed_images(inputs)
    may_refuse = (
        inputs.mode is Mode.SAFE
        and compaction.no_op is None
        and not inputs.options.unwritten
    )
    refuses = may_refuse and not inputs.every_turn and not leaves_out_images(compaction)
    if refuses and after >= before:
        compaction = _cached_refusal(
            inputs, compaction, _stage_results(inputs, density, part), after
        )
        after_counts, after, written = inputs.counts, before, compaction.messages
    return Preview(
        strategy=inputs.strategy,
        mode=inputs.mode,
        every_turn=inputs.every_turn,
        source=_source(inputs, pairs),
        sizes=PreviewSizes(
            count_method=with_guesses(inputs.counter.method, guessed),
            model_limit=inputs.model_limit,
            message_tokens_before=before,
            message_tokens_after=after,
            system_tokens=inputs.counter.system(inputs.conversation.system),
            trigger_tokens=_working_trigger(inputs),
            target=compaction.target,
            is_changed=compaction.no_op is None,
            unwritten_tokens=_unwritten_tokens(inputs, compaction),
            sizing=inputs.sizing,
            guessed_images=guessed,
        ),
        result=PreviewResult(
            compaction=compaction,
            inputs=indices,
            after_density=None
            if density is None
            else before - density_reduction(inputs, settings),
            after_counts=after_counts,
            target_format=inputs.options.target_format,
            written_messages=written,
        ),
        summary=_summary(inputs),
        checks=PreviewChecks(
            marginals=marginal_effects(inputs) if is_checked else (),
            lint=lint_results(inputs, compaction) if is_checked else (),
            warnings=_warnings(inputs, compaction),
        ),
        context=strategy_context,
    )


def _guessed_images(inputs: PreviewInput) -> int:
    model = inputs.model_limit.model
    return inputs.cache.get_or_compute(
        "guessed images",
        (inputs.history.scope, model),
        lambda: guessed_images(inputs.history.messages, image_formula(model)),
    )


def _source(inputs: PreviewInput, pairs: Pairs) -> PreviewSource:
    return PreviewSource(
        conversation=inputs.conversation,
        history=inputs.history,
        values=inputs.values,
        counts=inputs.counts,
        pairs=pairs,
        pins=inputs.options.pins,
        focus=inputs.options.focus,
        counter=inputs.counter,
    )


def _summary(inputs: PreviewInput) -> PreviewSummary:
    calls = not inputs.every_turn and calls_model(inputs.strategy, inputs.values)
    return PreviewSummary(
        profile=inputs.options.summary.profile,
        unwritten=inputs.options.unwritten and calls,
        provisional=inputs.options.provisional,
        prompt_level=_prompt_level(inputs),
        model_reason=inputs.options.summary.model_reason,
    )


def _written(inputs: PreviewInput, compaction: Compaction) -> tuple[Message, ...]:
    target = inputs.options.target_format
    return inputs.cache.get_or_compute_of(
        compaction,
        f"written {target}",
        lambda: messages_as_exported(
            inputs.conversation, inputs.history, compaction, target
        ),
    )


def _cached_refusal(
    inputs: PreviewInput, compaction: Compaction, stages: StageResults, after: int
) -> Compaction:
    """Replace a result that is not smaller by the unchanged history.

    Returns the same object each time, because its checks and losses are cached by identity.
    """

    def refuse() -> Compaction:
        before = sum(inputs.counts)
        refused = unchanged_compaction(stages, compaction, not_smaller(before, after))
        if (
            refused.no_op is None
            or IMAGES not in inputs.strategy.options
            or inputs.values.get(IMAGES)
        ):
            return refused
        hint = with_images_hint(
            refused.no_op, inputs.history.messages, lambda _: sum(inputs.counts)
        )
        return replace(refused, no_op=hint)

    return inputs.cache.get_or_compute_of(compaction, "not smaller", refuse)


def _warnings(inputs: PreviewInput, compaction: Compaction) -> tuple[str, ...]:
    part_warning = incomplete_reason(inputs.conversation, inputs.history.scope)
    if inputs.strategy.obeys_pins:
        pin_warning = ""
    else:
        pin_warning = ignored_pins_note(inputs.options.pins, inputs.strategy.name)
    name = written_format(inputs.conversation, inputs.options.target_format)
    role_note = summary_role_note(compaction, name)
    trigger_warning = ""
    if inputs.model_limit.tokens is not None:
        trigger_warning = trigger_fault(
            inputs.strategy, inputs.values, inputs.model_limit.tokens
        )
    return (
        *filter(None, (trigger_warning, part_warning, pin_warning, role_note)),
        *_unfilled_warnings(inputs),
        *compaction.warnings,
    )


def _unfilled_warnings(inputs: PreviewInput) -> Iterator[str]:
    """Yield a sentence for each placeholder that nothing fills in; the prompt editor checks its own
    text."""
    for name in inputs.strategy.prompts:
        if name in (inputs.options.prompts or {}):
            continue
        prompt = resolved_prompt(name, inputs.options.summary.profile, inputs.mode)
        for slot, line in unfilled_placeholders(prompt.text):
            yield (
                f"{prompt.path}, line {line}: nothing fills in {{{slot}}}, which is sent as it "
                f"stands."
            )


def _stage_results(
    inputs: PreviewInput,
    density: DensityResult | None,
    compaction_input: CompactionInput,
) -> StageResults:
    strategy = inputs.strategy
    return StageResults(
        inputs.history.messages,
        density,
        compaction_input.indices,
        strategy.reference,
        compaction_input.has_empty,
    )


def _cached_compaction(
    inputs: PreviewInput,
    density: DensityResult | None,
    compaction_input: CompactionInput,
    strategy_context: StrategyContext,
) -> tuple[Compaction, tuple[int, ...]]:
    options = inputs.options
    strategy = inputs.strategy
    limit = inputs.model_limit.tokens
    if inputs.every_turn and density is not None:
        settings = inputs.density_settings
        alone = partial(
            density_compaction, strategy, inputs.history.messages, density, settings
        )
        return inputs.cache.get_or_compute(
            "every turn", (strategy.name, options.scope, settings), alone
        )
    waits = options.waits_for_limit and strategy.needs_limit and limit is None

    def run() -> Compaction:
        progress = StrategyProgress(options.progress, inputs.counter)
        running = _running_context(inputs, strategy_context, progress)
        stages = _stage_results(inputs, density, compaction_input)
        if waits:
            reason = f"{strategy.name} needs a context limit, and none is known."
            waiting = no_op_compaction(
                running, strategy.name, NoOpCode.LIMIT_UNKNOWN, reason, parts=None
            )
            return compose_compaction(stages, waiting)
        return compose_compaction(stages, strategy.compress(running))

    if options.summary.factory is not None:
        return run(), compaction_input.indices
    key = waits, _result_key(inputs, strategy_context)
    return inputs.cache.get_or_compute("compaction", key, run), compaction_input.indices


def _result_key(inputs: PreviewInput, context: StrategyContext) -> Hashable:
    """Return all that a result depends on, beside the conversation."""
    options, strategy = inputs.options, inputs.strategy
    settings = tuple((key, inputs.values.get(key)) for key in strategy.options)
    if strategy.obeys_pins:
        pins = tuple(sorted(options.pins.items(), key=lambda pinned: pinned[0]))
    else:
        pins = ()
    summary = (
        options.summary.text,
        options.summary.takes_any,
        options.unwritten,
        options.summary.profile.name,
    )
    return (
        strategy.name,
        options.scope,
        options.model,
        inputs.density_settings,
        settings,
        context.limit,
        context.focus,
        context.musts if strategy.obeys_pins else (),
        tuple(context.prompts.items()),
        pins,
        summary,
    )


def _prompt_level(inputs: PreviewInput) -> str:
    names = inputs.strategy.prompts
    if names:
        return str(
            resolved_prompt(names[0], inputs.options.summary.profile, inputs.mode).level
        )
    return ""


def _running_context(
    inputs: PreviewInput, context: StrategyContext, progress: StrategyProgress
) -> StrategyContext:
    """Return the input of a strategy with the models and the progress of a run."""
    options = inputs.options
    context = replace(
        context, estimate_tokens=progress.estimate, progress=progress.report
    )
    if options.unwritten:
        placeholder = PlaceholderSummariser(options.summary.profile.name)
        return replace(context, summariser=lambda profile: placeholder)
    summariser = options.summary.factory or summariser_factory(
        options.summary.text,
        inputs.counter.text,
        progress.report,
        takes_any=options.summary.takes_any,
    )
    return replace(context, summariser=summariser, agent=options.summary.agent)


def _after_counts(
    inputs: PreviewInput, compaction: Compaction, written: Sequence[Message]
) -> array[int]:
    counts = array("q", inputs.counter.count_each(written))
    if inputs.options.unwritten:
        for result_index, budget in compaction.budgets.items():
            counts[result_index] = budget
    return counts


def _working_trigger(inputs: PreviewInput) -> int | None:
    """Return where the strategy runs by itself; None where no size triggers it, or where it cannot
    work."""
    return (
        trigger_tokens(inputs.strategy, inputs.values, inputs.model_limit.tokens)
        or None
    )


def _unwritten_tokens(inputs: PreviewInput, compaction: Compaction) -> int:
    if inputs.options.unwritten:
        return sum(compaction.budgets.values())
    return 0


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
        if len(messages) == 1:  # most are asked for one by one
            return self._counter.message(messages[0])
        return self._counter.messages(messages)


# The requests that a real run would send, as far as they can be foreseen.


@dataclass(frozen=True, slots=True)
class AgentRoundRequest:
    """The request of an agent that has looked at everything once: its largest first round."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class RunRequests:
    requests: tuple[SummaryRequest, ...] = ()
    agent: AgentRoundRequest | None = None

    def with_prompt(self, name: str) -> tuple[SummaryRequest, ...]:
        """Return the requests that hold the prompt of this name."""
        return tuple(
            request for request in self.requests if request.prompt_name == name
        )

    @property
    def is_empty(self) -> bool:
        return not self.requests and self.agent is None


@dataclass(frozen=True, slots=True)
class RequestRecorder:
    """A summariser that records its requests."""

    answer: Callable[[SummaryRequest], SummaryResponse] = (
        PlaceholderSummariser().summarise
    )
    profile: str = ""
    model: str = ""
    requests: list[SummaryRequest] = field(default_factory=list)

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        self.requests.append(request)
        return self.answer(request)


@dataclass
class _ToolRequestRecorder:
    """A model with tools that looks at everything, then stops, and records its requests."""

    profile: str = ""
    model: str = ""
    rounds: list[AgentRoundRequest] = field(default_factory=list)

    def converse(
        self, system: str, messages: Sequence[Message], tools: Sequence[Json]
    ) -> ToolTurn:

        self.rounds.append(AgentRoundRequest(system, tuple(messages), tuple(tools)))
        first_call = ToolCallRequest("look", late.METADATA, '{"include_details": true}')
        return ToolTurn(text="", calls=(first_call,) if len(self.rounds) == 1 else ())

    def report_step(self, step: AgentStep) -> None:
        """Ignore the step."""


def requests_of(
    preview: Preview, prompts: Mapping[str, str] | None = None
) -> RunRequests:
    """Return the requests of a run of the preview with its writer, in order, as far as they can be
    foreseen; ``prompts`` replaces texts by name. Raises what the strategy raises."""
    summary_profile, strategy_context = preview.summary.profile, preview.context
    texts = {
        name: (prompts or {}).get(name, text)
        for name, text in strategy_context.prompts.items()
    }
    recorder = RequestRecorder(
        profile=summary_profile.name, model=summary_profile.model
    )
    tools = _ToolRequestRecorder(
        profile=summary_profile.name, model=summary_profile.model
    )
    context = replace(
        strategy_context,
        prompt=next(iter(texts.values()), ""),
        prompts=texts,
        summariser=lambda profile: recorder,
        agent=None if summary_profile.is_offline else lambda profile: tools,
    )
    if not preview.every_turn:
        preview.strategy.compress(context)
    return RunRequests(
        tuple(recorder.requests), tools.rounds[-1] if tools.rounds else None
    )
