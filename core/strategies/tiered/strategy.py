"""The tiered strategy: cut long outputs, remove old ones, summarise the rest (seed 003)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.common.number_format import share_of
from core.settings.keys import (
    COMPACTION_MODEL,
    KEEP_OUTPUT,
    LIMIT,
    MAX_OUTPUT,
    OUTPUT_RESERVE,
    PROFILE,
    PROTECTED,
    SUMMARY_ROLE,
    SUMMARY_TOKENS,
    TARGET,
    THRESHOLD,
)
from core.settings.schema import Mode
from core.strategies.base import CheckPoint, Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.draft import HistoryDraft, begin_draft, finish_compaction
from core.strategies.helpers import hidden_tokens_no_op, no_op_compaction, require_limit, single_fate
from core.strategies.tiered import reference_tiers as tiered_reference
from core.strategies.tiered.remove_outputs import remove_outputs
from core.strategies.tiered.summarize_old import TierSummaryResult, summarise_draft
from core.strategies.tiered.tool_outputs import message_starts, protected_start
from core.strategies.tiered.truncate_outputs import truncate_outputs
from core.strategies.trigger import target_fraction, usable_window
from core.transcript.boundaries import CutRequest, snap_cut
from core.transcript.compaction import Compaction, Cut, Fate, FateKind, NoOpCode, Split, TierOutcome
from core.transcript.tool_pairs import Pairs, find_pairs

NAME = "tiered"
DECLARED_TARGET = 0.60  # the target that belongs to the declared trigger of 0.80


def compress(context: StrategyContext) -> Compaction:
    """Run tiers 1 to 3, each only while the target is missed; raises InputError without a limit."""
    if not context.history:
        return no_op_compaction(context, NAME, NoOpCode.EMPTY_HISTORY, "The history is empty.", parts=None)
    target, warnings = target_tokens(context)
    before = context.estimate_tokens(context.history) + context.hidden
    if before <= target:
        reason = f"No compaction needed: {before:,} tokens, the target is {target:,}."
        unchanged = no_op_compaction(context, NAME, NoOpCode.UNDER_TARGET, reason, parts=None)
        return replace(unchanged, target=target, warnings=warnings)
    if refused := hidden_tokens_no_op(context, NAME, target):
        return replace(refused, warnings=warnings)
    if context.mode is Mode.REFERENCE:
        compaction = tiered_reference.compress(context, NAME, target)
        return replace(compaction, warnings=(*warnings, *compaction.warnings))
    return _assemble(context, _run(context, target - context.hidden), target, warnings)


def target_tokens(context: StrategyContext) -> tuple[int, tuple[str, ...]]:
    """Return the target in tokens, and warnings about it."""
    limit, values = require_limit(context, NAME), context.values
    configured = values.number(TARGET)
    room = usable_window(STRATEGY.trigger, values, limit)
    if context.mode is Mode.REFERENCE:
        return tiered_reference.reference_share(room, configured), ()
    fraction, lowered = target_fraction(STRATEGY, values, configured, DECLARED_TARGET)
    reserve = values.integer(OUTPUT_RESERVE)
    no_room = (
        f"The output reserve of {reserve:,} tokens is not below the limit of {limit:,}: the target is 0."
    )
    return share_of(room, fraction), tuple(filter(None, (lowered, "" if room else no_room)))


@dataclass(frozen=True, slots=True)
class _TieredRun:
    """The draft, the tiers that ran, the cut, and why messages stayed."""

    draft: HistoryDraft
    tiers: tuple[TierOutcome, ...]
    cut: Cut | None
    kept_fates: Mapping[int, Fate]
    summary_result: TierSummaryResult | None = None

    @property
    def end(self) -> int:
        """The first message after the cut."""
        return 0 if self.cut is None else self.cut.index


def _run(context: StrategyContext, target: int) -> _TieredRun:
    pairs = find_pairs(context.history)
    cut = _cut(context, pairs)
    end = 0 if cut is None else cut.index
    draft, first, kept_fates = truncate_outputs(context, begin_draft(context.history))
    if first.tokens <= target:
        return _TieredRun(draft, (first,), cut, kept_fates)
    draft, second, kept_outputs = remove_outputs(context, draft, end, target, pairs)
    kept_fates, tiers = {**kept_fates, **kept_outputs}, (first, second)
    if second.tokens <= target or not end:
        return _TieredRun(draft, tiers, cut, kept_fates)
    summary_result = summarise_draft(context, NAME, draft, end)
    return _TieredRun(summary_result.draft, (*tiers, summary_result.tier), cut, kept_fates, summary_result)


def _cut(context: StrategyContext, pairs: Pairs) -> Cut | None:
    """Cut before the newest protected messages, at a boundary that keeps all pairs whole."""
    history = context.history
    keep = context.values.integer(PROTECTED)
    start, count = protected_start(history, keep), len(history)
    total = len(message_starts(history))
    request = CutRequest(
        "cut",
        start,
        f"keep the newest {keep:,} of {total:,}, results of one turn as one",
        start,
        True,
        (1 if start else 0, count - 1 if keep else count),
    )
    return snap_cut(request, pairs, safe=True, display_index=context.source_index)


def _assemble(
    context: StrategyContext, run: _TieredRun, target: int, warnings: tuple[str, ...]
) -> Compaction:
    """Return the run with its sizes, its warnings and why messages stayed."""
    summary_result, count = run.summary_result, len(context.history)
    calls = () if summary_result is None or summary_result.call is None else (summary_result.call,)
    compaction = _compaction(context, run) if run.draft.steps else _no_op_run(context, run)
    return replace(
        compaction,
        target=target,
        tiers=run.tiers,
        calls=calls,
        split=None if run.cut is None else Split(0, run.end, count - run.end, (run.cut,)),
        protected=tuple(range(run.end, count)),
        fixes=(*(summary_result.fixes if summary_result is not None else ()), *_cut_fixes(run)),
        warnings=(*warnings, *_warnings(run, target, context.hidden)),
    )


def _compaction(context: StrategyContext, run: _TieredRun) -> Compaction:
    summary_result, count = run.summary_result, len(context.history)
    keep = context.values.integer(PROTECTED)
    protected_reason = f"Protected: among the newest {keep:,} messages, {context.span(run.end, count)}."
    protected = dict.fromkeys(
        range(run.end, count), single_fate(FateKind.KEPT, "protected", protected_reason)
    )
    llm_call_made = summary_result is not None and summary_result.call is not None
    compaction = finish_compaction(
        context, run.draft, NAME, {**protected, **run.kept_fates}, _NOT_AFFECTED, llm_call_made=llm_call_made
    )
    if summary_result is None or summary_result.summary is None:
        return compaction
    metadata = replace(
        compaction.metadata, top_preserved=0, middle_compressed=run.end, bottom_preserved=count - run.end
    )
    return replace(
        compaction, metadata=metadata, summary=summary_result.summary, budgets={0: summary_result.budget}
    )


def _no_op_run(context: StrategyContext, run: _TieredRun) -> Compaction:
    """Return a no-op for a run in which no tier changed anything."""
    keep = context.values.integer(PROTECTED)
    hint = f"{PROTECTED}={max(1, keep // 2)}"
    if run.summary_result is not None and run.summary_result.saves_nothing:
        reason = f"The first two tiers found nothing to save. {run.summary_result.tier.note}"
        return no_op_compaction(context, NAME, NoOpCode.NOT_SMALLER, reason, hint, parts=None)
    if run.summary_result is not None:
        reason = (
            f"The first two tiers found nothing to save, and there is no summary. {run.summary_result.fault}"
        )
        return no_op_compaction(context, NAME, NoOpCode.SUMMARY_FAILED, reason, parts=None)
    if run.cut is None:
        reason = (
            "Tier 1 had nothing to cut, and one turn of calls and results reaches over the whole history."
        )
        return no_op_compaction(context, NAME, NoOpCode.NO_VALID_BOUNDARY, reason, hint, parts=None)
    if not run.end:
        reason = f"Tier 1 had nothing to cut, and all messages are among the {keep:,} protected ones."
        return no_op_compaction(context, NAME, NoOpCode.TAIL_COVERS_ALL, reason, hint, parts=None)
    raise AssertionError("above the target tier 3 runs")  # pragma: no cover


def _cut_fixes(run: _TieredRun) -> tuple[str, ...]:
    return ("TI-02",) if run.cut is not None and run.cut.index != run.cut.reference else ()


def _warnings(run: _TieredRun, target: int, hidden: int) -> tuple[str, ...]:
    """Return warnings about a missing summary and a missed target."""
    summary_result, after = run.summary_result, run.tiers[-1].tokens + hidden
    warnings = []
    if summary_result is not None and summary_result.fault:
        consequence = "The result of tier 2 is kept." if run.draft.steps else "The history is as it was."
        warnings.append(f"{summary_result.fault} {consequence}")
    elif summary_result is not None:
        warnings += summary_result.warnings
    if run.draft.steps and after > target and not (summary_result is not None and summary_result.unwritten):
        warnings.append(f"The target of {target:,} tokens is missed by {after - target:,}.")
    return tuple(warnings)


_NOT_AFFECTED = single_fate(FateKind.KEPT, "before the cut", "No tier that ran had anything to take from it.")

STRATEGY = Strategy(
    NAME,
    "Cuts long tool outputs, then removes old ones, then summarises what is old, and stops at its target.",
    True,
    Trigger(TriggerMode.THRESHOLD, 0.80, CheckPoint.AFTER_TOOLS, reserve=OUTPUT_RESERVE),
    (
        TARGET,
        PROTECTED,
        MAX_OUTPUT,
        KEEP_OUTPUT,
        OUTPUT_RESERVE,
        SUMMARY_ROLE,
        COMPACTION_MODEL,
        SUMMARY_TOKENS,
        PROFILE,
        THRESHOLD,
        LIMIT,
    ),
    compress,
    needs_limit=True,
    prompts=(NAME,),
    reference="ion",
)
