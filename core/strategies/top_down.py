"""top-down-truncation: drop the oldest messages until the rest is under the target (REQ-CS-003)."""

from __future__ import annotations

from dataclasses import replace

from core.settings.schema import LIMIT, THRESHOLD, Mode
from core.strategies import names
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.helpers import (
    OLDEST_FIRST,
    empty_history_no_op,
    is_request,
    last_request,
    no_op_compaction,
    no_op_if_larger,
    place_cut,
    request_in_front,
    require_limit,
    single_fate,
    trigger_fraction,
    within_target,
)
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    FateKind,
    NoOpCode,
    Split,
)
from core.transcript.model import Speaker
from core.transcript.tool_pairs import (
    CutRequest,
    Pairs,
    adjust_for_tool_call_boundary,
    suffix_sums,
)

NAME = names.TOP_DOWN
FACTOR = 0.6  # the target as a share of threshold × limit
MIN_KEPT = 2  # messages that always stay (REQ-CS-003.5)


def _drop_that_fits(context: StrategyContext, max_drop: int, room: float) -> int:
    """Return the least number of messages after which the rest fits; the most if none does."""
    sizes = _sizes_after(context, max_drop)
    return next(
        (drop for drop in range(1, max_drop + 1) if sizes[drop] < room), max_drop
    )


def compress(context: StrategyContext) -> Compaction:
    """Drop the oldest messages; at least 2 messages stay, and in safe mode the last request."""
    history = context.history
    count = len(context.history)
    if not count:
        return empty_history_no_op(context, NAME)
    target = (
        trigger_fraction(STRATEGY, context.values)
        * require_limit(context, NAME)
        * FACTOR
    )

    def no_op(code: NoOpCode, reason: str) -> Compaction:
        return replace(
            no_op_compaction(context, NAME, code, reason, parts=None),
            target=int(target),
        )

    if context.current_token_count <= target:
        reason = within_target(context.current_token_count, int(target))
        return no_op(NoOpCode.UNDER_TARGET, reason)
    if count <= MIN_KEPT:
        count_text = (
            "There is 1 message" if count == 1 else f"There are {count} messages"
        )
        return no_op(NoOpCode.TOO_FEW, f"{count_text}; {MIN_KEPT} always stay.")
    max_drop = count - MIN_KEPT
    # System prompt and tools stay in any case, so they take room from the messages.
    drop_count = _drop_that_fits(context, max_drop, target - context.hidden)
    # The reference moves a cut for pairs and still keeps its last two messages.
    reference = min(adjust_for_tool_call_boundary(history, drop_count), max_drop)
    pairs = context.pairs
    # Remove something if possible wherever the reference does.
    min_drop = 0 if reference <= 0 else 1
    if context.mode is Mode.SAFE and min_drop:
        # Safe mode keeps the promise of the target before that of dropping little.
        min_drop = _least_drop(pairs, drop_count, max_drop)
    detail = f"drop until under {int(target):,} tokens"
    request = CutRequest(
        name="cut",
        requested=drop_count,
        requested_detail=detail,
        reference=reference,
        keep_low=True,
        allowed=(min_drop, max_drop),
    )
    cut = place_cut(context, request, pairs)
    if cut is None:
        reason = "Every message that could go belongs to a pair that reaches into the newest messages."
        return no_op(NoOpCode.NO_VALID_BOUNDARY, reason)
    if cut.index <= 0 and context.mode is Mode.SAFE:
        reason = (
            "Unanswered calls move the cut back to the first message, so that nothing is left "
            "to drop."
        )
        return no_op(NoOpCode.NO_VALID_BOUNDARY, reason)
    split = Split(0, cut.index, count - cut.index, (cut,))
    return _truncate(context, cut.index, split, int(target))


def _sizes_after(context: StrategyContext, max_drop: int) -> list[int]:
    """Return by number of dropped messages the tokens of what stays; in safe mode with the request
    that is kept in front of the rest."""
    history = context.history
    sums = suffix_sums(context.history, context.estimate_tokens)
    sizes = list(sums[: max_drop + 1])
    if context.mode is Mode.REFERENCE:
        return sizes
    last = last_request(history)
    before = None
    for drop in range(1, max_drop + 1):
        if is_request(history[drop - 1]):
            before = drop - 1
        is_behind = last is not None and last < drop
        begins_with_answer = history[drop].speaker in (Speaker.AI, Speaker.TOOL)
        # The request that stays in front counts, or the result would be above its target.
        if before is not None and (is_behind or begins_with_answer):
            sizes[drop] += context.estimate_tokens((history[before],))
    return sizes


def _least_drop(pairs: Pairs, wanted: int, max_drop: int) -> int:
    """Return how many messages go at least: up to the first boundary that meets the target, else
    the last one that there is."""
    boundaries = [drop for drop in range(1, max_drop + 1) if pairs.valid[drop]]
    meeting = next((drop for drop in boundaries if drop >= wanted), None)
    if meeting is not None:
        return meeting
    # No boundary meets the target, so the last one comes nearest to it.
    if boundaries:
        return boundaries[-1]
    return 1


def _truncate(
    context: StrategyContext, cut: int, split: Split, target: int
) -> Compaction:
    history = context.history
    count = len(context.history)
    dropped_reason = (
        f"Oldest first until under {target:,} tokens; {cut} messages in all."
    )
    dropped_fate = single_fate(FateKind.DROPPED, OLDEST_FIRST, dropped_reason)
    fates = [dropped_fate] * count
    remaining = [*range(cut, count)]
    if context.mode is Mode.SAFE:
        kept_request = request_in_front(history, cut)
    else:
        kept_request = None
    if kept_request is not None:
        reason = "The request that the rest answers stays, alone in front of it."
        fates[kept_request] = single_fate(
            FateKind.KEPT, "last request", reason, fix="TD-02"
        )
        remaining.insert(0, kept_request)
    messages = tuple(history[index] for index in remaining)
    # A target that is missed is said, not hidden.
    is_met = context.estimate_tokens(messages) + context.hidden <= target
    if is_met:
        why = "under the target"
    else:
        why = "it stays although it is above the target"
    kept_reason = (
        f"In the rest, {context.span(cut, count)}: {why} of {target:,} tokens."
    )
    fates[cut:] = [single_fate(FateKind.KEPT, "rest", kept_reason)] * (count - cut)
    metadata = CompactionMetadata(
        original_message_count=count,
        compressed_message_count=len(messages),
        strategy_used=NAME,
        llm_call_made=False,
    )
    origins = tuple((index,) for index in remaining)
    compaction = Compaction(
        messages=messages,
        origins=origins,
        fates=tuple(fates),
        metadata=metadata,
        split=split,
        target=target,
    )
    return no_op_if_larger(context, compaction)


STRATEGY = Strategy(
    name=NAME,
    about="Drops the oldest messages until the rest fits the target.",
    requires_llm=False,
    trigger=Trigger(mode=TriggerMode.THRESHOLD, threshold=0.85),
    options=(THRESHOLD, LIMIT),
    compress=compress,
    needs_limit=True,
    reference="llxprt",
)
