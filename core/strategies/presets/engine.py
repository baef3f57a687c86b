"""The one engine of the presets: passes, then split, summary and reinjection; then the result is checked."""

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
    """A preset as a strategy among the others."""
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
    """What the preset makes of a history; presets run alike in both modes (product.md section 3.1).

    Raises InputError where it needs a limit and none is known, CompactionFailed where its summary fails.
    """
    context = replace(context, mode=Mode.SAFE)
    if not context.history:
        return _nothing(context, preset, NoOp(NoOpCode.EMPTY_HISTORY, "The history is empty."))
    if preset.needs_limit:
        known_limit(context, preset.name)
    passed, notes = _passed(preset, context)
    is_changed = bool(passed.draft.steps)
    folded = (
        PresetSummaryResult(passed.draft)
        if preset.split is None
        else summarise_split(context, preset, passed.draft)
    )
    if folded.no_op is not None and not is_changed:
        return _nothing(context, preset, folded.no_op, passed, folded)
    if preset.split is None and not is_changed:
        reason = NoOp(passed.code, " ".join(notes) or _BASELINE)
        return _nothing(context, preset, reason, passed, folded)
    said = () if folded.no_op is None else (f"No summary was written. {folded.no_op.reason}",)
    warnings = (*passed.warnings, *folded.warnings, *said, *waiting_warnings(preset.trigger, context.history))
    return refuse_larger(
        context, _checked(context, preset, _assembled(context, preset, passed, folded, warnings))
    )


def _passed(preset: Preset, context: StrategyContext) -> tuple[PassResult, list[str]]:
    """All passes as one, and why those that did nothing did nothing."""
    whole = PassResult(begin_draft(context.history))
    notes: list[str] = []
    for one in preset.passes:
        now = one.apply(context, whole.draft)
        notes += [now.note] if now.note else []
        target = whole.target if now.target is None else now.target
        kept = {**whole.kept, **now.kept}
        whole = PassResult(now.draft, kept, "", now.code, target, (*whole.warnings, *now.warnings))
    return whole, notes


def _nothing(
    context: StrategyContext,
    preset: Preset,
    why: NoOp,
    passed: PassResult | None = None,
    folded: PresetSummaryResult | None = None,
) -> Compaction:
    """A run that changes nothing, with what it found on the way."""
    made = no_op(context, preset.name, why.code, why.reason, why.way_out, parts=None)
    if passed is None or folded is None:
        return made
    target = passed.target if folded.target is None else folded.target
    return replace(made, target=target, split=folded.split, calls=folded.calls, summary=folded.summary)


def _assembled(
    context: StrategyContext,
    preset: Preset,
    passed: PassResult,
    folded: PresetSummaryResult,
    warnings: Sequence[str],
) -> Compaction:
    kept = _fates({**passed.kept, **folded.kept})
    otherwise = single_fate(FateKind.KEPT, "not concerned", f"No rule of {preset.name} is about it.")
    made = finish_compaction(
        context, folded.draft, preset.name, kept, otherwise, llm_call_made=folded.summary is not None
    )
    split = folded.split
    metadata = made.metadata
    if split is not None:
        metadata = replace(
            metadata, top_preserved=split.top, middle_compressed=split.middle, bottom_preserved=split.bottom
        )
    return replace(
        made,
        metadata=metadata,
        split=split,
        summary=folded.summary,
        target=passed.target if folded.target is None else folded.target,
        calls=folded.calls,
        warnings=tuple(warnings),
        budgets=folded.budgets,
    )


def _fates(kept: Mapping[int, FateStep]) -> dict[int, Fate]:
    """A fate for each place; places with one step share one fate."""
    made = {id(step): Fate((step,)) for step in kept.values()}
    return {index: made[id(step)] for index, step in kept.items()}


def _checked(context: StrategyContext, preset: Preset, made: Compaction) -> Compaction:
    """The result, or a no-op where an API would refuse what the history does not have."""
    wrong = result_fault(context.history, made.messages)
    if not wrong:
        return made
    refused = _nothing(context, preset, NoOp(NoOpCode.NO_VALID_BOUNDARY, wrong))
    return replace(refused, split=made.split, calls=made.calls, summary=made.summary, target=made.target)
