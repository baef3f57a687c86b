"""Helpers of the strategies: thresholds, fates, no-ops, cuts, and replacing a range by a
summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from core.common.errors import (
    UNCHANGED,
    CompactionFailed,
    InputError,
    MissingValueError,
)
from core.common.number_format import half_up, share_of
from core.llm.protocol import (
    Summariser,
    SummaryRequest,
    SummaryResponse,
    human_text,
    request_messages,
)
from core.settings.prompts import fill_placeholders
from core.settings.schema import (
    LIMIT,
    MODE,
    SUMMARY_TOKENS,
    THRESHOLD,
    Mode,
    SettingLayer,
    Values,
)
from core.strategies import names
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.summarize.answer_check import answer_fault
from core.summarize.summariser_choice import GIVEN_TEXT_PROFILE
from core.summarize.summary_request import (
    CLOSING_REQUEST,
    TRIGGER,
    continuation_text,
    reference_continuation,
    summary_budget,
)
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    Cut,
    Fate,
    FateKind,
    FateStep,
    ModelCall,
    NoOp,
    NoOpCode,
    Split,
    Summary,
)
from core.transcript.model import (
    NOT_TYPED,
    Message,
    Speaker,
    Text,
    Thinking,
    tool_calls,
    tool_responses,
)
from core.transcript.tool_pairs import CutRequest, Pairs, snap_cut

OLDEST_FIRST = "oldest first"  # rule name in fates: messages are dropped until the rest meets the target
# The prompt of the state snapshot, named after the strategy that it was written for.
PROMPT = names.MIDDLE_OUT
MIN_MESSAGES = 4  # fewest messages worth a summary (REQ-CS-002.8)


def single_fate(
    kind: FateKind, rule: str, reason: str, links: tuple[int, ...] = (), fix: str = ""
) -> Fate:
    return Fate((FateStep(rule, kind, reason, links, fix),))


def idle_fate(reason: str) -> Fate:
    """Return the fate of every message of a run that changes nothing."""
    return single_fate(FateKind.KEPT, "nothing to compact", reason)


def percent_text(fraction: float) -> str:
    """Format a fraction as "20 %", with at most one decimal."""
    return half_up(fraction * 100, 1).removesuffix(".0") + " %"


def last_request(history: Sequence[Message]) -> int | None:
    """Return the index of the last message typed by the user."""
    return next(
        (at for at in range(len(history) - 1, -1, -1) if is_request(history[at])), None
    )


def is_request(message: Message) -> bool:
    """Return whether the user typed a message: no meta, command or error row, with text."""
    if message.speaker is not Speaker.HUMAN or message.flags & NOT_TYPED:
        return False
    has_text = any(
        # An image alone says no task that a summary could be asked about.
        isinstance(block, Text) and block.text.strip()
        for block in message.blocks
    )
    return (
        has_text and not any(tool_responses(message)) and not any(tool_calls(message))
    )


def request_in_front(history: Sequence[Message], cut: int) -> int | None:
    """Return the index of the request that stays, alone in front of the messages from ``cut`` on:
    the last of all, or where these begin with an answer the one before it, since APIs want to begin
    with the user."""
    last = last_request(history)
    if last is None or last < cut or cut >= len(history):
        return last if last is not None and last < cut else None
    if history[cut].speaker in (Speaker.AI, Speaker.TOOL):
        return last_request(history[:cut])
    return None


def within_target(tokens: int, target: int) -> str:
    """Return the reason to do nothing, from the tokens of a request and those aimed for."""
    return f"A request has {tokens:,} tokens, within the target of {target:,}."


def require_limit(context: StrategyContext, strategy: str) -> int:
    """Return the model's window in tokens; raises InputError where none is known."""
    if context.limit is None:
        raise MissingValueError(
            f"{strategy} needs a context limit and none is known.",
            f"Set {LIMIT}, or choose a model that has one.",
            key=LIMIT,
            option=f"--set {LIMIT}=N or --model NAME",
        )
    return context.limit


def place_cut(
    context: StrategyContext, request: CutRequest, pairs: Pairs
) -> Cut | None:
    """Place a cut by the context's mode; None without a valid boundary in the allowed range."""
    return snap_cut(
        request,
        pairs,
        # The reference cuts where it computes, even through a pair.
        safe=context.mode is Mode.SAFE,
        display_index=context.source_index,
    )


def no_op_compaction(
    context: StrategyContext,
    strategy: str,
    code: NoOpCode,
    reason: str,
    hint: str = "",
    *,
    lead: str = "",
    parts: tuple[int, int, int] | None = (0, 0, 0),
    split: Split | None = None,
) -> Compaction:
    """Return a run that changes nothing, with every message kept for this reason.

    ``hint`` is a setting as "KEY=VALUE" that would help; ``lead`` as in ``NoOp``.
    """
    count = len(context.history)
    top, bottom, middle = parts or (None, None, None)
    metadata = CompactionMetadata(
        original_message_count=count,
        compressed_message_count=count,
        strategy_used=strategy,
        llm_call_made=False,
        top_preserved=top,
        bottom_preserved=bottom,
        middle_compressed=middle,
    )
    no_op = NoOp(code, reason, hint, lead)
    kept_fate = idle_fate(no_op.reason)
    kept_fates = (kept_fate,) * count
    origins = tuple((index,) for index in range(count))
    return Compaction(
        messages=context.history,
        origins=origins,
        fates=kept_fates,
        metadata=metadata,
        split=split,
        no_op=no_op,
    )


def empty_history_no_op(
    context: StrategyContext, strategy: str, parts: tuple[int, int, int] | None = None
) -> Compaction:
    return no_op_compaction(
        context, strategy, NoOpCode.EMPTY_HISTORY, "The history is empty.", parts=parts
    )


def too_few_no_op(
    context: StrategyContext,
    strategy: str,
    where: str,
    count: int,
    hint: str,
    split: Split | None,
) -> Compaction:
    """Return the no-op of a run with ``count`` messages to summarise, fewer than a summary is
    worth."""
    if count == 1:
        count_text = "lies 1 message"
    else:
        count_text = f"lie {count} messages"
    reason = f"{where} {count_text}; {strategy} needs {MIN_MESSAGES}."
    return no_op_compaction(
        context, strategy, NoOpCode.TOO_FEW, reason, hint, split=split
    )


def not_smaller(before: int, after: int) -> NoOp:
    """Return why a result is not applied whose messages have as many tokens as before or more."""
    detail = f"{before:,} tokens of messages became {after:,}."
    return NoOp(NoOpCode.NOT_SMALLER, detail, lead="The result is not smaller")


def no_op_if_larger(
    context: StrategyContext, compaction: Compaction, after: int | None = None
) -> Compaction:
    """In safe mode, turn a result that is not smaller than its source into a no-op
    (REQ-CS-006.2)."""
    # The reference applies what it made, whatever its size.
    if context.mode is Mode.REFERENCE or compaction.no_op is not None:
        return compaction
    before = context.estimate_tokens(context.history)
    if after is None:
        after = context.estimate_tokens(compaction.messages)
    if after < before:
        return compaction
    name = compaction.metadata.strategy_used
    if compaction.metadata.top_preserved is None:
        parts = None
    else:
        parts = (0, 0, 0)
    refusal = not_smaller(before, after)
    refused = no_op_compaction(
        context,
        name,
        refusal.code,
        refusal.detail,
        lead=refusal.lead,
        parts=parts,
        split=compaction.split,
    )
    # What was paid for the summary is told, although it is not used.
    return replace(
        refused,
        calls=compaction.calls,
        summary=compaction.summary,
        target=compaction.target,
    )


def summarise_range(
    context: StrategyContext,
    strategy: str,
    start: int,
    end: int,
    split: Split,
    reasons: tuple[str, str, str],
) -> Compaction:
    """Replace messages [start, end) by a summary and an acknowledgement (REQ-CS-002.4, .7)."""
    history = context.history
    replaced = context.history[start:end]
    count = len(context.history)
    budget = summary_budget(
        context.values.integer(SUMMARY_TOKENS), context.estimate_tokens(replaced)
    )
    continuation = reference_continuation(context.variant, context.todos)
    # The reference has other words, which a comparison would count as a difference.
    if context.mode is Mode.SAFE:
        continuation = continuation_text(context.todos)
    indices = tuple(range(start, end))
    written = write_summary(context, strategy, indices, budget)
    # The summary speaks as the user, and the model answers it: by what it thought next, since
    # Anthropic wants thinking first in a turn.
    inserted = [human_text(written.summary.text)]
    if context.mode is not Mode.SAFE or not _begins_with_thinking(history[end:]):
        inserted.append(Message(speaker=Speaker.AI, blocks=(Text(continuation),)))
    messages = (*history[:start], *inserted, *history[end:])
    kinds = (
        (FateKind.KEPT, "top"),
        (FateKind.SUMMARISED, "middle"),
        (FateKind.KEPT, "bottom"),
    )
    fates = [
        single_fate(*kind, reason) for kind, reason in zip(kinds, reasons, strict=True)
    ]
    compaction = Compaction(
        messages=messages,
        origins=(
            *((i,) for i in range(start)),
            indices,
            *((),) * (len(inserted) - 1),
            *((i,) for i in range(end, count)),
        ),
        fates=(fates[0],) * start
        + (fates[1],) * (end - start)
        + (fates[2],) * (count - end),
        metadata=CompactionMetadata(
            original_message_count=count,
            compressed_message_count=len(messages),
            strategy_used=strategy,
            llm_call_made=True,
            top_preserved=start,
            bottom_preserved=count - end,
            middle_compressed=end - start,
        ),
        # Neither the summary nor the acknowledgement has a source.
        inserted=frozenset(range(start, start + len(inserted))),
        split=split,
        summary=written.summary,
        calls=(written.call,),
        warnings=written.warnings,
        budgets={start: budget},
    )
    return no_op_if_larger(context, compaction)


def _begins_with_thinking(messages: Sequence[Message]) -> bool:
    blocks = messages[0].blocks if messages else ()
    return bool(blocks) and isinstance(blocks[0], Thinking)


@dataclass(frozen=True, slots=True)
class WrittenSummary:
    """A summary with its call; ``unwritten``: its text is none yet, and counts as its budget."""

    summary: Summary
    call: ModelCall
    unwritten: bool
    warnings: tuple[str, ...]


def write_summary(
    context: StrategyContext, strategy: str, indices: tuple[int, ...], budget: int
) -> WrittenSummary:
    """Ask for a summary of these messages in ``budget`` tokens; raises CompactionFailed where the
    response is unusable."""
    prompt, trigger = context.prompt, TRIGGER
    # The reference sends its prompt with the placeholders as they are.
    if context.mode is Mode.SAFE:
        prompt = fill_placeholders(
            prompt, {"max_tokens": str(budget), "focus": context.focus}
        )
        trigger = CLOSING_REQUEST
    request = SummaryRequest(
        prompt=prompt,
        messages=tuple(context.history[index] for index in indices),
        indices=indices,
        trigger=trigger,
        max_tokens=budget,
        todos=context.todos,
        transcript=context.transcript,
        focus=context.focus,
        prompt_name=context.prompt_name,
    )
    summariser, response = ask_summariser(context, strategy, request)
    return WrittenSummary(
        Summary(response.text, summariser.profile, summariser.model, response.sections),
        call_record(context, request, summariser, response),
        response.unwritten,
        response.warnings,
    )


def call_record(
    context: StrategyContext,
    request: SummaryRequest,
    summariser: Summariser,
    response: SummaryResponse,
    purpose: str = "",
) -> ModelCall:
    call = ModelCall(
        profile=summariser.profile,
        model=summariser.model,
        input_tokens=response.input_tokens,
        output_tokens=response.output_tokens,
        retries=response.retries,
        steps=response.steps,
        cost=response.cost,
        seconds=response.seconds,
        reductions=response.reductions,
        purpose=purpose,
    )
    # A text that is not written yet has no size.
    if response.unwritten:
        return call
    request_tokens = context.estimate_tokens(
        [part.message for part in request_messages(request)]
    )
    answer_tokens = context.estimate_tokens([human_text(response.text)])
    return replace(call, request_tokens=request_tokens, answer_tokens=answer_tokens)


def ask_summariser(
    context: StrategyContext, strategy: str, request: SummaryRequest
) -> tuple[Summariser, SummaryResponse]:
    """Return the summariser and its response; raises CompactionFailed where the response is
    unusable."""
    summariser = context.summariser(context.profile)
    model_label = f"{summariser.profile} ({summariser.model})"
    response = summariser.summarise(request)
    if fault := response_fault(context, request, response):
        # Who wrote the text by hand may know better than the checks.
        is_given = summariser.profile == GIVEN_TEXT_PROFILE
        if is_given:
            model_label = "the author of the given text"
            hint = " To take the text as it is, add --force."
        else:
            hint = ""
        raise CompactionFailed(f"{strategy}: {model_label} {fault}.", UNCHANGED + hint)
    return summariser, response


def response_fault(
    context: StrategyContext, request: SummaryRequest, response: SummaryResponse
) -> str:
    """Return why a response is no whole summary, as the end of a sentence; "" where it is one. The
    reference does not look at what an answer says."""
    # The reference takes any answer.
    if context.mode is Mode.REFERENCE:
        response = replace(response, unjudged=True)
    return answer_fault(request, response, context.estimate_tokens)


def trigger_fraction(strategy: Strategy, values: Values) -> float:
    """Return the fraction of the usable window; settings never replace a preset's
    (REQ-HD-001.10)."""
    # A preset repeats a product, whose trigger is not a matter of the settings.
    if strategy.trigger.is_fixed:
        value = None
    else:
        value = values.get(THRESHOLD)
    if value is None:
        return strategy.trigger.threshold
    return float(value)


def usable_limit(
    trigger: Trigger, values: Values, limit: int, mode: Mode | None = None
) -> int:
    """Return the tokens of which fractions are taken: the limit without the declared reserve, which
    in safe mode takes at most a fifth of it where nobody has set it. ``mode``: by default that of
    the settings."""
    if not trigger.reserve:
        return limit
    reserve = values.integer(trigger.reserve)
    is_set = values.by_key[trigger.reserve].layer is not SettingLayer.DEFAULT
    # A reserve for large windows would leave nothing of a small one.
    if not is_set and (mode or Mode(values.text(MODE))) is not Mode.REFERENCE:
        reserve = min(reserve, share_of(limit, _MAX_RESERVE_SHARE))
    return max(0, limit - reserve)


_MAX_RESERVE_SHARE = 0.2


def trigger_tokens(strategy: Strategy, values: Values, limit: int | None) -> int | None:
    """Return the trigger size in tokens; None if size does not trigger it or its limit is
    unknown."""
    trigger = strategy.trigger
    if (
        trigger.mode in (TriggerMode.ALWAYS, TriggerMode.NEVER)
        or trigger.messages
        or trigger.idle_minutes
    ):
        return None
    if trigger.tokens:
        return trigger.tokens
    if limit is None:
        return None
    # A small window has no room for the margin of a large one.
    if trigger.margin_above:
        in_margin = limit > trigger.margin_above
        if in_margin:
            return limit - trigger.margin
        return share_of(limit, trigger.threshold)
    share = share_of(
        usable_limit(trigger, values, limit), trigger_fraction(strategy, values)
    )
    # A margin can be larger than the share of a small window.
    return max(0, share - trigger.margin)


def trigger_fault(strategy: Strategy, values: Values, limit: int | None) -> str:
    """Return why a strategy can never run by itself under this limit, "" where it can: no window is
    known for one that size triggers, or its trigger is not above 0."""
    trigger = strategy.trigger
    if trigger.mode in (TriggerMode.ALWAYS, TriggerMode.NEVER):
        return ""
    if trigger.tokens or trigger.messages or trigger.idle_minutes:
        return ""
    size = trigger_tokens(strategy, values, limit)
    # Without a window a share is none, and the strategy would wait for ever.
    if size is None:
        return (
            f"{strategy.name} compacts at a share of the model's context window, and the size of "
            "that window is not known."
        )
    if size > 0:
        return ""
    return f"{strategy.name} cannot work in a window of {limit:,} tokens: its trigger would be 0."


def require_trigger(strategy: Strategy, values: Values, limit: int | None) -> None:
    """Raise InputError where a strategy can never run by itself under this limit."""
    if fault := trigger_fault(strategy, values, limit):
        hint = (
            "Give the size in tokens (limit=), or a model that is in the model table."
        )
        if limit is not None:
            hint = "Choose another strategy, or a model with a larger window."
        raise InputError(fault, hint)


def is_trigger_reached(
    strategy: Strategy, values: Values, tokens: int, messages: int, limit: int | None
) -> bool:
    """Return whether a history of that size triggers the strategy; callers check idle pauses
    themselves."""
    trigger = strategy.trigger
    if trigger.mode is TriggerMode.ALWAYS:
        return True
    if trigger.messages:
        return messages > trigger.messages
    size = trigger_tokens(strategy, values, limit)
    # A trigger at 0 would fire at every turn and never end.
    return size is not None and 0 < size <= tokens


def target_fraction(
    strategy: Strategy, values: Values, configured: float, declared: float
) -> tuple[float, str]:
    """Return the target as a fraction, and a sentence where it was lowered. ``configured`` is the
    setting, ``declared`` the target that belongs to the declared trigger. A target that is not
    below the trigger is lowered in the declared proportion."""
    fraction = trigger_fraction(strategy, values)
    if configured < fraction:
        return configured, ""
    # Rounded, so that 0.1 × 3 reads as 0.3.
    lowered = round(fraction * declared / strategy.trigger.threshold, 12)
    return (
        lowered,
        f"The target of {percent_text(configured)} is not below the trigger of {percent_text(fraction)};"
        f" {percent_text(lowered)} is used instead.",
    )


def waiting_warnings(trigger: Trigger, history: Sequence[Message]) -> tuple[str, ...]:
    """Return a warning where the preset would not have run by itself."""
    if trigger.messages and len(history) <= trigger.messages:
        return (
            f"By itself it compacts above {trigger.messages:,} messages, and this conversation has "
            f"{len(history):,}.",
        )
    if not trigger.idle_minutes:
        return ()
    by_itself = f"By itself it compacts after a pause of {trigger.idle_minutes} minutes"
    pause = _pause(history)
    if pause is None:
        return (
            f"{by_itself}; how long the last pause was is not in this conversation.",
        )
    if pause < trigger.idle_minutes:
        return (f"{by_itself}; the last one here took {pause:,.0f} minutes.",)
    return ()


def _pause(history: Sequence[Message]) -> float | None:
    """Return the minutes between the model's last answer and the next message; None where
    unknown."""
    count = len(history)
    last = next(
        (i for i in range(count - 2, -1, -1) if history[i].speaker is Speaker.AI), None
    )
    # A pause lies between an answer and what the person said next.
    if last is None or history[last + 1].speaker is Speaker.AI:
        return None
    before = _time(history[last])
    after = _time(history[last + 1])
    if (
        before is None
        or after is None
        # Times with and without a zone cannot be subtracted.
        or (before.tzinfo is None) != (after.tzinfo is None)
    ):
        return None
    return (after - before).total_seconds() / 60


def _time(message: Message) -> datetime | None:
    try:
        return datetime.fromisoformat(message.timestamp)
    except ValueError:
        return None
