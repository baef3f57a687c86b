"""Runs a preset: passes, then split, summary and reinjection; then checks the result."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from core.settings.keys import LIMIT, PROFILE, SUMMARY_TOKENS
from core.settings.schema import Mode
from core.strategies.base import Strategy, StrategyContext
from core.strategies.draft import begin_draft, finish_compaction
from core.strategies.helpers import no_op_compaction, no_op_if_larger, require_limit, single_fate
from core.strategies.incremental import CompressorFactory, HistoryEdits
from core.strategies.presets.clear_tool_results import ClearToolResults
from core.strategies.presets.cleared_results import ClearableResults
from core.strategies.presets.fold import summarise_split
from core.strategies.presets.keep_typed import DropOldestWork, is_droppable
from core.strategies.presets.preset import PassResult, Preset, PresetSummaryResult
from core.strategies.result_faults import result_fault
from core.strategies.trigger import waiting_warnings
from core.transcript.compaction import Compaction, Fate, FateKind, FateStep, NoOp, NoOpCode
from core.transcript.model import Message

_BASELINE = "This preset changes nothing: it is the baseline for the others."


def preset_strategy(preset: Preset) -> Strategy:
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
        incremental=incremental_factory(preset),
    )


def compress(preset: Preset, context: StrategyContext) -> Compaction:
    """Run the preset, alike in both modes (product.md section 3.1). Raises InputError where a needed limit is
    unknown, CompactionFailed where the summary fails."""
    context = replace(context, mode=Mode.SAFE)
    if not context.history:
        return _no_op_run(context, preset, NoOp(NoOpCode.EMPTY_HISTORY, "The history is empty."))
    if preset.needs_limit:
        require_limit(context, preset.name)
    pass_result, notes = _run_passes(preset, context)
    is_changed = bool(pass_result.draft.steps)
    summary_result = (
        PresetSummaryResult(pass_result.draft)
        if preset.split is None
        else summarise_split(context, preset, pass_result.draft)
    )
    if summary_result.no_op is not None and not is_changed:
        return _no_op_run(context, preset, summary_result.no_op, pass_result, summary_result)
    if preset.split is None and not is_changed:
        reason = NoOp(pass_result.code, " ".join(notes) or _BASELINE)
        return _no_op_run(context, preset, reason, pass_result, summary_result)
    no_summary_note = (
        () if summary_result.no_op is None else (f"No summary was written. {summary_result.no_op.reason}",)
    )
    warnings = (
        *pass_result.warnings,
        *summary_result.warnings,
        *no_summary_note,
        *waiting_warnings(preset.trigger, context.history),
    )
    return no_op_if_larger(
        context,
        _without_faults(context, preset, _assemble(context, preset, pass_result, summary_result, warnings)),
    )


def _run_passes(preset: Preset, context: StrategyContext) -> tuple[PassResult, list[str]]:
    """Return the result of all passes, and the notes of those that changed nothing."""
    total = PassResult(begin_draft(context.history))
    notes: list[str] = []
    for preset_pass in preset.passes:
        result = preset_pass.apply(context, total.draft)
        notes += [result.note] if result.note else []
        target = total.target if result.target is None else result.target
        kept_steps = {**total.kept_steps, **result.kept_steps}
        total = PassResult(
            result.draft, kept_steps, "", result.code, target, (*total.warnings, *result.warnings)
        )
    return total, notes


def _no_op_run(
    context: StrategyContext,
    preset: Preset,
    cause: NoOp,
    pass_result: PassResult | None = None,
    summary_result: PresetSummaryResult | None = None,
) -> Compaction:
    """Return a run that changes nothing, with the metadata found so far."""
    unchanged = no_op_compaction(context, preset.name, cause.code, cause.reason, cause.suggestion, parts=None)
    if pass_result is None or summary_result is None:
        return unchanged
    target = pass_result.target if summary_result.target is None else summary_result.target
    return replace(
        unchanged,
        target=target,
        split=summary_result.split,
        calls=summary_result.calls,
        summary=summary_result.summary,
    )


def _assemble(
    context: StrategyContext,
    preset: Preset,
    pass_result: PassResult,
    summary_result: PresetSummaryResult,
    warnings: Sequence[str],
) -> Compaction:
    kept_fates = _fates({**pass_result.kept_steps, **summary_result.kept_steps})
    default_fate = single_fate(FateKind.KEPT, "not concerned", f"No rule of {preset.name} is about it.")
    compaction = finish_compaction(
        context,
        summary_result.draft,
        preset.name,
        kept_fates,
        default_fate,
        llm_call_made=summary_result.summary is not None,
    )
    split = summary_result.split
    metadata = compaction.metadata
    if split is not None:
        metadata = replace(
            metadata, top_preserved=split.top, middle_compressed=split.middle, bottom_preserved=split.bottom
        )
    return replace(
        compaction,
        metadata=metadata,
        split=split,
        summary=summary_result.summary,
        target=pass_result.target if summary_result.target is None else summary_result.target,
        calls=summary_result.calls,
        warnings=tuple(warnings),
        budgets=summary_result.budgets,
    )


def _fates(kept_steps: Mapping[int, FateStep]) -> dict[int, Fate]:
    """Return a fate for each index; indices with one step share one fate."""
    fate_by_step = {id(step): Fate((step,)) for step in kept_steps.values()}
    return {index: fate_by_step[id(step)] for index, step in kept_steps.items()}


def _without_faults(context: StrategyContext, preset: Preset, compaction: Compaction) -> Compaction:
    """Return the result, or a no-op where an API would refuse it but not the source."""
    fault = result_fault(context.history, compaction.messages)
    if not fault:
        return compaction
    refused = _no_op_run(context, preset, NoOp(NoOpCode.NO_VALID_BOUNDARY, fault))
    return replace(
        refused,
        split=compaction.split,
        calls=compaction.calls,
        summary=compaction.summary,
        target=compaction.target,
    )


def incremental_factory(preset: Preset) -> CompressorFactory | None:
    """Return the factory of incremental compressors; None for a preset that does anything else."""
    if preset.split is not None or len(preset.passes) != 1:
        return None
    [rule] = preset.passes
    if isinstance(rule, DropOldestWork):
        return lambda count: _IncrementalDropping(rule, count)
    if preset.needs_limit or not isinstance(rule, ClearToolResults) or rule.clear_inputs:
        return None
    return lambda count: _IncrementalClearing(rule.new_clearable_results(count))


class _IncrementalClearing:
    """Applies a clearing rule; a ``core.strategies.incremental.IncrementalCompressor``."""

    def __init__(self, clearing: ClearableResults) -> None:
        self._clearing = clearing
        self._has_messages = False

    def add(self, place: int, message: Message) -> None:
        self._clearing.add(place, message)
        self._has_messages = True

    def edits(self, tokens: int, limit: int | None) -> HistoryEdits | NoOp | None:
        """Return the result of ``compress``, which does not depend on the sizes."""
        clearing = self._clearing
        if clearing.needs_restart or not self._has_messages:
            return None
        decision = clearing.decide()
        if not decision.placeholders:
            return NoOp(NoOpCode.NOTHING_TO_PRUNE, decision.note)
        new = clearing.with_placeholders(decision.placeholders)
        return HistoryEdits(new) if clearing.token_change(new) < 0 else None

    def apply(self, edits: HistoryEdits) -> None:
        self._clearing.accept(
            {place: message for place, message in edits.messages.items() if message is not None}
        )


class _IncrementalDropping:
    """Drops the oldest work; a ``core.strategies.incremental.IncrementalCompressor``. It holds only the
    messages that may go, which are few once older ones are dropped."""

    def __init__(self, rule: DropOldestWork, count: Callable[[Message], int]) -> None:
        self._rule, self._count = rule, count
        self._places: list[int] = []
        self._droppable: list[Message] = []

    def add(self, place: int, message: Message) -> None:
        if is_droppable(message):
            self._places.append(place)
            self._droppable.append(message)

    def edits(self, tokens: int, limit: int | None) -> HistoryEdits | NoOp | None:
        """Return the result of ``compress``."""
        if limit is None or not self._droppable:
            return None
        plan = self._rule.plan(self._estimate, self._droppable, self._places, tokens, limit)
        if isinstance(plan, NoOp):
            return plan
        edits = plan.edits(plan.group_count(self._estimate))
        messages = [edits.get(index, message) for index, message in enumerate(self._droppable)]
        after = [message for message in messages if message is not None]
        if self._estimate(after) >= self._estimate(self._droppable) or result_fault(self._droppable, after):
            return None
        return HistoryEdits({self._places[index]: message for index, message in edits.items()})

    def apply(self, edits: HistoryEdits) -> None:
        removed = sorted(place for place, message in edits.messages.items() if message is None)
        entries = zip(self._places, self._droppable, strict=True)
        self._places, self._droppable = [], []
        for place, old in entries:
            message = edits.messages.get(place, old)
            if message is not None:
                self.add(place - bisect_left(removed, place), message)

    def _estimate(self, messages: Sequence[Message]) -> int:
        return sum(map(self._count, messages))
