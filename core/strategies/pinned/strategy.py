"""The pinned-hybrid strategy: replaces superseded reads and old output by one line each, then the
rest of the middle by a summary of the person's messages and of names that recur. Pins are obeyed
and the last request stays. A run triggered by size only continues if it pays back its cache cost
before the next one. Alike in both modes."""

from __future__ import annotations

from dataclasses import replace

from core.common.number_format import plural, share_of, whole_calls
from core.llm.prompt_cache import (
    MIN_CACHED_PREFIX,
    appended_per_call,
    break_even,
    expected_calls,
)
from core.settings.keys import LIMIT, PINNED_PROSE, PROFILE, THRESHOLD
from core.settings.schema import Mode
from core.strategies import names
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.draft import (
    HistoryDraft,
    begin_draft,
    finish_compaction,
    result_fault,
    with_removed,
)
from core.strategies.helpers import (
    empty_history_no_op,
    hidden_tokens_no_op,
    no_op_compaction,
    no_op_if_larger,
    require_limit,
    single_fate,
    target_fraction,
    trigger_tokens,
)
from core.strategies.pinned.message_names import recurring_names, with_names_in_masks
from core.strategies.pinned.oldest_summary import (
    PROMPT,
    PinnedSummaryResult,
    call_price,
    summarise_oldest,
    with_prose,
)
from core.strategies.pinned.output_masking import (
    clip_request,
    mask_outputs,
    shorten_arguments,
    shorten_superseded_reads,
)
from core.strategies.pinned.pinned_input import PinnedInput, pinned_input
from core.strategies.tool_work import find_tool_work
from core.transcript.compaction import Compaction, FateKind, FateStep, NoOpCode

NAME = names.PINNED
DECLARED_THRESHOLD = 0.80
TARGET = (
    0.40  # target as a share of the limit; it belongs to the declared trigger and is no setting
)
_STAGES = (shorten_superseded_reads, mask_outputs, shorten_arguments, clip_request)
_DROPPED = FateStep(
    "dropped by a pin",
    FateKind.DROPPED,
    "A pin drops it, or the message that it forms a pair with.",
)
_TARGET_REACHED = single_fate(FateKind.KEPT, "target reached", "The target was reached without it.")
_TAIL = single_fate(FateKind.KEPT, "tail", "It is among the newest messages, which stay.")


def compress(context: StrategyContext) -> Compaction:
    """Run as few stages as the target needs; raises InputError where no limit is known."""
    context = replace(context, mode=Mode.SAFE)
    if not context.history:
        return empty_history_no_op(context, NAME)
    limit = require_limit(context, NAME)
    fraction, lowered = target_fraction(STRATEGY, context.values, TARGET, TARGET)
    target = max(1, share_of(limit, fraction))
    if refused := hidden_tokens_no_op(context, NAME, target):
        return refused
    run = pinned_input(context, target - context.hidden)
    compaction = _compact(run)
    warnings = tuple(filter(None, (lowered, *run.refused_pins, *compaction.warnings)))
    return replace(
        compaction, target=target, warnings=warnings, protected=tuple(sorted(run.unchangeable))
    )


def _compact(run: PinnedInput) -> Compaction:
    context = run.context
    start = begin_draft(context.history)
    draft = with_removed(start, dict.fromkeys(sorted(run.dropped), _DROPPED))
    total = run.total(draft)
    if total <= run.target and not run.dropped:
        hidden = context.hidden
        reason = (
            f"A request has {total + hidden:,} tokens, within the target of "
            f"{run.target + hidden:,}."
        )
        return no_op_compaction(context, NAME, NoOpCode.UNDER_TARGET, reason, parts=None)
    run = replace(run, recurring=recurring_names(context.history, context.progress))
    summarised = _run_stages(run, draft)
    if not summarised.draft.steps:
        reason = "Nothing but pinned messages, the newest output and the last turn is left."
        return no_op_compaction(context, NAME, NoOpCode.NOTHING_TO_PRUNE, reason, parts=None)
    compaction = replace(_assemble(run, summarised), target=run.target)
    fault = result_fault(context.history, compaction.messages)
    if fault:
        return no_op_compaction(context, NAME, NoOpCode.NO_VALID_BOUNDARY, fault, parts=None)
    compaction = no_op_if_larger(context, compaction)
    if compaction.no_op is not None:
        return compaction
    compaction = refuse_unprofitable(
        context,
        compaction,
        trigger_tokens(STRATEGY, context.values, context.limit) or 0,
        call_price(context, compaction, summarised.prose_tokens),
    )
    return with_prose(context, compaction, summarised.prose_tokens)


def _run_stages(run: PinnedInput, draft: HistoryDraft) -> PinnedSummaryResult:
    """Run the stages in order until the target is met; names in masks fill what room is left."""
    if run.total(draft) <= run.target:
        return PinnedSummaryResult(with_names_in_masks(run, draft))
    work = find_tool_work(draft.messages, progress=run.context.progress)
    run = replace(run, work=work)  # no stage below moves a message
    for stage in _STAGES:
        changed = stage(run, draft)
        if changed is not draft and run.total(changed) <= run.target:
            return PinnedSummaryResult(with_names_in_masks(run, changed))
        draft = changed
    result = summarise_oldest(run, draft)
    return replace(result, draft=with_names_in_masks(run, result.draft))


def _assemble(run: PinnedInput, summarised: PinnedSummaryResult) -> Compaction:
    kept_fates = {
        index: single_fate(FateKind.KEPT, "kept whole", reason)
        for index, reason in run.unchangeable.items()
    }
    default_fate = _TARGET_REACHED if summarised.split is None else _TAIL
    compaction = finish_compaction(
        run.context, summarised.draft, NAME, kept_fates, default_fate, llm_call_made=False
    )
    metadata = compaction.metadata
    if summarised.split is not None:
        split = summarised.split
        metadata = replace(
            metadata,
            top_preserved=split.top,
            middle_compressed=split.middle,
            bottom_preserved=split.bottom,
        )
    after = run.total(summarised.draft)
    target = run.target + run.context.hidden
    shortfall = f"The target of {target:,} tokens is missed by {after - run.target:,}"
    warnings = (
        (f"{shortfall}: rules, pinned messages and the last turn stay.",)
        if after > run.target
        else ()
    )
    return replace(
        compaction,
        metadata=metadata,
        split=summarised.split,
        summary=summarised.summary,
        warnings=warnings,
    )


def refuse_unprofitable(
    context: StrategyContext, compaction: Compaction, trigger: int, summary_price: float = 0.0
) -> Compaction:
    """Return the run, or a no-op where breaking the cache costs more than the run saves. Sizes are
    tokens of whole requests, system prompt included; prices are in units of a fresh input token,
    ``summary_price`` being that of writing the summary. A run started by the user continues with a
    warning."""
    sizes = [context.estimate_tokens((message,)) for message in context.history]
    system = max(0, context.current_token_count - sum(sizes))
    result_tokens = context.estimate_tokens(compaction.messages) + system
    unchanged, rates = system + sum(sizes[: _unchanged_count(compaction)]), context.cache
    prefix = unchanged if unchanged >= MIN_CACHED_PREFIX else 0
    added_per_call = appended_per_call(context.history, sizes)
    payback_calls = break_even(
        sum(sizes) + system, result_tokens, prefix, rates, summary_price, added_per_call
    )
    expected = expected_calls(trigger, result_tokens, added_per_call)
    if payback_calls is None or payback_calls < expected:
        return compaction
    payback = plural(whole_calls(payback_calls) or 0, "call")
    explanation = (
        f"With a warm cache it pays for itself after {payback}, and the trigger is reached again "
        f"after about {expected:,.0f} ({rates.description})"
    )
    if not context.by_trigger:
        return replace(compaction, warnings=(*compaction.warnings, f"{explanation}."))
    name = compaction.metadata.strategy_used
    return no_op_compaction(
        context,
        name,
        NoOpCode.CACHE_DEARER,
        f"{explanation}: it would cost more than it saves.",
        parts=None,
    )


def _unchanged_count(result: Compaction) -> int:
    """Return the number of leading messages that stay unchanged."""
    for index, origins in enumerate(result.origins):
        if (
            origins != (index,)
            or index in result.inserted
            or result.fates[index].kind is not FateKind.KEPT
        ):
            return index
    return len(result.origins)


STRATEGY = Strategy(
    name=NAME,
    about="Hides old tool output, obeys your pins, keeps rules word for word.",
    requires_llm=False,
    trigger=Trigger(mode=TriggerMode.THRESHOLD, threshold=DECLARED_THRESHOLD),
    options=(THRESHOLD, LIMIT, PINNED_PROSE, PROFILE),
    compress=compress,
    needs_limit=True,
    prompts=(PROMPT,),
    obeys_pins=True,
    llm_switch=PINNED_PROSE,
)
