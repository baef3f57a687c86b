"""Runs a preset: passes, then split, summary and reinjection; then checks the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from core.settings.keys import LIMIT, PROFILE, SUMMARY_TOKENS
from core.settings.schema import Mode
from core.strategies.base import Strategy, StrategyContext
from core.strategies.draft import begin_draft, finish_compaction
from core.strategies.helpers import known_limit, no_op, refuse_larger, single_fate
from core.strategies.presets.fold import summarise_split
from core.strategies.presets.incremental_preset import follow_of
from core.strategies.presets.preset import PassResult, Preset, PresetSummaryResult
from core.strategies.presets.waiting_triggers import waiting_warnings
from core.strategies.result_faults import result_fault
from core.transcript.compaction import Compaction, Fate, FateKind, FateStep, NoOp, NoOpCode

_BASELINE = "This preset changes nothing: it is the baseline for the others."


def strategy_of(preset: Preset) -> Strategy:
    summary = preset.summary
    limit = (LIMIT,) if preset.needs_limit else ()
    return Strategy(
        preset.name,
        preset.about,
        summary is not None,
        preset.trigger,
        limit if summary is None else (PROFILE, SUMMARY_TOKENS, *limit),
        partial(compress, preset),
        needs_limit=preset.needs_limit,
        prompts=() if summary is None else summary.prompts,
        emulates=preset.emulates,
        follow=follow_of(preset),
    )


def compress(preset: Preset, context: StrategyContext) -> Compaction:
    """Run the preset, alike in both modes (product.md section 3.1). Raises InputError where a needed limit is
    unknown, CompactionFailed where the summary fails."""
    context = replace(context, mode=Mode.SAFE)
    if not context.history:
        return _unchanged(context, preset, NoOp(NoOpCode.EMPTY_HISTORY, "The history is empty."))
    if preset.needs_limit:
        known_limit(context, preset.name)
    passed, notes = _run_passes(preset, context)
    is_changed = bool(passed.draft.steps)
    folded = (
        PresetSummaryResult(passed.draft)
        if preset.split is None
        else summarise_split(context, preset, passed.draft)
    )
    if folded.no_op is not None and not is_changed:
        return _unchanged(context, preset, folded.no_op, passed, folded)
    if preset.split is None and not is_changed:
        reason = NoOp(passed.code, " ".join(notes) or _BASELINE)
        return _unchanged(context, preset, reason, passed, folded)
    note = () if folded.no_op is None else (f"No summary was written. {folded.no_op.reason}",)
    warnings = (
        *passed.warnings,
        *folded.warnings,
        *note,
        *waiting_warnings(preset.trigger, context.history),
    )
    return refuse_larger(
        context, _checked(context, preset, _assembled(context, preset, passed, folded, warnings))
    )


def _run_passes(preset: Preset, context: StrategyContext) -> tuple[PassResult, list[str]]:
    """Return the result of all passes, and the notes of those that changed nothing."""
    total = PassResult(begin_draft(context.history))
    notes: list[str] = []
    for preset_pass in preset.passes:
        result = preset_pass.apply(context, total.draft)
        notes += [result.note] if result.note else []
        target = total.target if result.target is None else result.target
        kept = {**total.kept_steps, **result.kept_steps}
        total = PassResult(result.draft, kept, "", result.code, target, (*total.warnings, *result.warnings))
    return total, notes


def _unchanged(
    context: StrategyContext,
    preset: Preset,
    why: NoOp,
    passed: PassResult | None = None,
    folded: PresetSummaryResult | None = None,
) -> Compaction:
    """Return a run that changes nothing, with the metadata found so far."""
    unchanged = no_op(context, preset.name, why.code, why.reason, why.way_out, parts=None)
    if passed is None or folded is None:
        return unchanged
    target = passed.target if folded.target is None else folded.target
    return replace(unchanged, target=target, split=folded.split, calls=folded.calls, summary=folded.summary)


def _assembled(
    context: StrategyContext,
    preset: Preset,
    passed: PassResult,
    folded: PresetSummaryResult,
    warnings: Sequence[str],
) -> Compaction:
    kept = _fates({**passed.kept_steps, **folded.kept_steps})
    otherwise = single_fate(FateKind.KEPT, "not concerned", f"No rule of {preset.name} is about it.")
    compaction = finish_compaction(
        context, folded.draft, preset.name, kept, otherwise, llm_call_made=folded.summary is not None
    )
    split = folded.split
    metadata = compaction.metadata
    if split is not None:
        metadata = replace(
            metadata, top_preserved=split.top, middle_compressed=split.middle, bottom_preserved=split.bottom
        )
    return replace(
        compaction,
        metadata=metadata,
        split=split,
        summary=folded.summary,
        target=passed.target if folded.target is None else folded.target,
        calls=folded.calls,
        warnings=tuple(warnings),
        budgets=folded.budgets,
    )


def _fates(kept: Mapping[int, FateStep]) -> dict[int, Fate]:
    """Return a fate for each index; indices with one step share one fate."""
    fate_by_step = {id(step): Fate((step,)) for step in kept.values()}
    return {index: fate_by_step[id(step)] for index, step in kept.items()}


def _checked(context: StrategyContext, preset: Preset, compaction: Compaction) -> Compaction:
    """Return the result, or a no-op where an API would refuse it but not the source."""
    fault = result_fault(context.history, compaction.messages)
    if not fault:
        return compaction
    refused = _unchanged(context, preset, NoOp(NoOpCode.NO_VALID_BOUNDARY, fault))
    return replace(
        refused,
        split=compaction.split,
        calls=compaction.calls,
        summary=compaction.summary,
        target=compaction.target,
    )
