"""pinned-hybrid: old reads retire, old output is masked, what is left of the middle becomes its facts.

Rules of the person stand word for word, pins are obeyed, the last request stays, and a run that the size
set off only goes on where the cache has paid it back before the next one (field.md sections 4.1, 4.5).
Alike in both modes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from core.common.rounding import share_of
from core.settings.keys import LIMIT, PINNED_PROSE, PROFILE, THRESHOLD
from core.settings.schema import Mode
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.draft import HistoryDraft, begin_draft, finish_compaction, with_removed
from core.strategies.helpers import hidden_above, known_limit, no_op, refuse_larger, single_fate
from core.strategies.pinned.cache_payback import weigh_cache_cost
from core.strategies.pinned.context import PinnedContext, PinnedRunCache, pinned_context
from core.strategies.pinned.fold import PinnedSummaryResult, summarise_oldest
from core.strategies.pinned.model_prose import PROMPT, call_price, with_prose
from core.strategies.pinned.output_masking import clip_request, mask_outputs, shorten_arguments
from core.strategies.pinned.stale_reads import retire_reads
from core.strategies.result_faults import result_fault
from core.strategies.trigger import target_fraction, trigger_tokens
from core.transcript.compaction import Compaction, Fate, FateKind, FateStep, NoOpCode

NAME = "pinned-hybrid"
THRESHOLD_DECLARED = 0.80
TARGET = 0.40
"""Share of the limit that is aimed for; it goes with the declared trigger and is no setting."""

_STAGES = (retire_reads, mask_outputs, shorten_arguments, clip_request)
_DROPPED = FateStep(
    "dropped by a pin", FateKind.DROPPED, "A pin drops it, or the message that it forms a pair with."
)
_REACHED = single_fate(FateKind.KEPT, "target reached", "The target was reached without it.")
_TAIL = single_fate(FateKind.KEPT, "tail", "It is among the newest messages, which stay.")


def compress(context: StrategyContext, memory: PinnedRunCache | None = None) -> Compaction:
    """As few stages as the target needs. Raises InputError where no limit is known."""
    context = replace(context, mode=Mode.SAFE)
    if not context.history:
        return no_op(context, NAME, NoOpCode.EMPTY_HISTORY, "The history is empty.", parts=None)
    limit = known_limit(context, NAME)
    fraction, lowered = target_fraction(STRATEGY, context.values, TARGET, TARGET)
    target = max(1, share_of(limit, fraction))
    if nothing := hidden_above(context, NAME, target):
        return nothing
    bench = pinned_context(context, target - context.hidden, memory)
    made = _made(bench)
    warnings = tuple(filter(None, (lowered, *bench.refused, *made.warnings)))
    return replace(made, target=target, warnings=warnings, protected=tuple(sorted(bench.whole)))


def incremental_pinned() -> Callable[[StrategyContext], Compaction]:
    """``compress`` for one history, with what it knows of that from run to run."""
    return partial(compress, memory=PinnedRunCache())


def _made(bench: PinnedContext) -> Compaction:
    context = bench.context
    start = begin_draft(context.history)
    draft = with_removed(start, dict.fromkeys(sorted(bench.dropped), _DROPPED))
    total = bench.total(draft)
    if total <= bench.target and not bench.dropped:
        hidden = context.hidden
        reason = f"A request has {total + hidden:,} tokens, within the target of {bench.target + hidden:,}."
        return no_op(context, NAME, NoOpCode.UNDER_TARGET, reason, parts=None)
    folded = _folded(bench, draft)
    if not folded.draft.steps:
        reason = "Nothing but pinned messages, the newest output and the last turn is left."
        return no_op(context, NAME, NoOpCode.NOTHING_TO_PRUNE, reason, parts=None)
    made = replace(_finished(bench, folded), target=bench.target)
    wrong = result_fault(context.history, made.messages)
    if wrong:
        return no_op(context, NAME, NoOpCode.NO_VALID_BOUNDARY, wrong, parts=None)
    made = refuse_larger(context, made)
    if made.no_op is not None:
        return made
    made = weigh_cache_cost(context, made, _trigger(context), call_price(context, made, folded.prose))
    return with_prose(context, made, folded.prose)


def _folded(bench: PinnedContext, draft: HistoryDraft) -> PinnedSummaryResult:
    """The stages in their order, until the target is met."""
    for stage in _STAGES:
        if bench.total(draft) <= bench.target:
            return PinnedSummaryResult(draft)
        draft = stage(bench, draft)
    return summarise_oldest(bench, draft) if bench.total(draft) > bench.target else PinnedSummaryResult(draft)


def _finished(bench: PinnedContext, folded: PinnedSummaryResult) -> Compaction:
    whole = {index: Fate((FateStep("kept whole", FateKind.KEPT, why),)) for index, why in bench.whole.items()}
    rest = _REACHED if folded.split is None else _TAIL
    made = finish_compaction(bench.context, folded.draft, NAME, whole, rest, llm_call_made=False)
    metadata = made.metadata
    if folded.split is not None:
        split = folded.split
        metadata = replace(
            metadata, top_preserved=split.top, middle_compressed=split.middle, bottom_preserved=split.bottom
        )
    after = bench.total(folded.draft)
    target = bench.target + bench.context.hidden
    missed = f"The target of {target:,} tokens is missed by {after - bench.target:,}"
    warnings = (f"{missed}: rules, pinned messages and the last turn stay.",) if after > bench.target else ()
    return replace(made, metadata=metadata, split=folded.split, summary=folded.summary, warnings=warnings)


def _trigger(context: StrategyContext) -> int:
    return trigger_tokens(STRATEGY, context.values, context.limit) or 0


STRATEGY = Strategy(
    NAME,
    "Retires old reads, masks old output, folds the rest into its facts; rules and pins stay word for word.",
    False,
    Trigger(TriggerMode.THRESHOLD, THRESHOLD_DECLARED),
    (THRESHOLD, LIMIT, PINNED_PROSE, PROFILE),
    compress,
    needs_limit=True,
    prompts=(PROMPT,),
    obeys_pins=True,
    llm_switch=PINNED_PROSE,
    remembering=incremental_pinned,
)
