"""Runs a preset: passes, then split, summary and reinjection; then checks the result."""

from __future__ import annotations

import tomllib
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from core.common.errors import InputError
from core.common.json_value import typed_value
from core.llm.protocol import human_text
from core.settings.schema import LIMIT, PROFILE, SUMMARY_TOKENS, Mode
from core.strategies.base import (
    CompactorFactory,
    EmulatedProgram,
    HistoryEdits,
    Strategy,
    StrategyContext,
    Trigger,
)
from core.strategies.draft import (
    DraftEntry,
    HistoryDraft,
    begin_draft,
    finish_compaction,
    result_fault,
    with_edited,
    with_removed,
    with_steps,
)
from core.strategies.helpers import (
    empty_history_no_op,
    no_op_compaction,
    no_op_if_larger,
    require_limit,
    single_fate,
    waiting_warnings,
)
from core.strategies.presets.clear_tool_results import (
    ClearableResults,
    ClearToolResults,
    OffloadResults,
)
from core.strategies.presets.keep_typed import DropOldestWork, is_droppable
from core.strategies.presets.preset import (
    PassResult,
    Preset,
    PresetPass,
    PresetSummaryResult,
)
from core.strategies.presets.preset_summary import (
    RECENT,
    SUMMARY,
    PresetSummariser,
    PresetSummary,
    ReinjectRule,
    RetainedMessage,
    SummaryRule,
    reinjected_messages,
    retained_messages,
)
from core.strategies.presets.split import (
    SplitRule,
    SummarisedRange,
    divide_history,
    is_typed,
    split_input,
)
from core.summarize.earlier_summary import conversation_text
from core.transcript.compaction import (
    Compaction,
    Fate,
    FateKind,
    FateStep,
    NoOp,
    NoOpCode,
)
from core.transcript.model import Message, Speaker, Text, Thinking


def summarise_split(
    context: StrategyContext, preset: Preset, draft: HistoryDraft
) -> PresetSummaryResult:
    """Replace the old part of the draft by a summary and reinjected messages. Earlier passes may
    have edited messages, but removed none. Raises CompactionFailed where a call fails or its answer
    is unusable."""
    rule = preset.summary
    reinject = preset.reinject or ReinjectRule()
    assert preset.split is not None
    assert rule is not None
    messages, entries = draft.messages, draft.entries
    part = divide_history(
        preset.split,
        split_input(
            messages, context.estimate_tokens, context.source_index, context.limit
        ),
    )
    if isinstance(part, NoOp):
        return PresetSummaryResult(draft=draft, no_op=part)
    span = range(part.start, part.end)
    retained = retained_messages(
        reinject,
        {at: messages[at] for at in span},
        context.estimate_tokens,
        context.source_index,
    )
    replaced = [at for at in span if at not in retained]
    if not replaced:
        reason = "Every message is the person's own, and those stay as they are."
        return PresetSummaryResult(
            draft=draft, no_op=NoOp(NoOpCode.TAIL_COVERS_ALL, reason)
        )
    summariser = PresetSummariser(context, preset.name, rule, frozenset(retained))
    turn = _divided_exchange_start(messages, part)
    written = summariser.write(messages[part.start : part.end], span, turn)
    as_text = any(RECENT in template.text for template in rule.insert)
    tail = range(part.end, len(entries))
    as_text_range, kept_range = (tail, range(0)) if as_text else (range(0), tail)
    kept = [
        replace(entries[at], message=message) for at, (message, _) in retained.items()
    ]
    before, after = (kept, []) if reinject.human_tokens else ([], kept)
    reinjected = reinjected_messages(
        reinject,
        [messages[at] for at in replaced],
        context.todos,
        context.estimate_tokens,
    )
    new_entries = (
        *entries[: part.start],
        *before,
        *_inserted_entries(
            rule, entries, (*replaced, *as_text_range), as_text_range, written
        ),
        *after,
        *(DraftEntry(message, (), True) for message in reinjected),
        *(entries[at] for at in kept_range),
    )
    steps = {
        **_replaced_steps(context, replaced, written),
        **dict.fromkeys(as_text_range, _as_text_step(rule)),
        **_steps_of_kind(retained, FateKind.EDITED),
    }
    tail_step = FateStep("tail", FateKind.KEPT, part.kept_reason)
    kept_steps = dict.fromkeys((*range(part.start), *kept_range), tail_step)
    kept_steps |= _steps_of_kind(retained, FateKind.KEPT)
    summary_offset = next(
        at for at, template in enumerate(rule.insert) if SUMMARY in template.text
    )
    return PresetSummaryResult(
        draft=HistoryDraft(new_entries, draft.count, with_steps(draft, steps)),
        kept_steps=_by_source(kept_steps, entries),
        split=part.split,
        summary=written.summary,
        calls=written.calls,
        budgets={part.start + len(before) + summary_offset: written.max_tokens},
        warnings=written.warnings,
    )


def _as_text_step(rule: SummaryRule) -> FateStep:
    """Return the step of recent messages that stand in the summary's message as text."""
    cut = ""
    if rule.result_chars:
        cut = f"; results of tools up to {rule.result_chars:,} characters"
    return FateStep("as text", FateKind.SUMMARISED, f"{_AS_TEXT}{cut}.")


def _steps_of_kind(
    retained: Mapping[int, RetainedMessage], kind: FateKind
) -> dict[int, FateStep]:
    return {at: step for at, (_, step) in retained.items() if step.kind is kind}


def _by_source(
    steps: Mapping[int, FateStep], entries: Sequence[DraftEntry]
) -> dict[int, FateStep]:
    """Return the steps of entries by the source messages that these stand for."""
    found = {}
    for at, step in steps.items():
        found.update(dict.fromkeys(entries[at].origins, step))
    return found


def _divided_exchange_start(
    messages: Sequence[Message], part: SummarisedRange
) -> int | None:
    """Return the start of the exchange that the cut divides; None where the cut is between two."""
    if part.end >= len(messages) or is_typed(messages[part.end]):
        return None
    return next(
        (
            at
            for at in range(part.end - 1, part.start - 1, -1)
            if is_typed(messages[at])
        ),
        None,
    )


def _inserted_entries(
    rule: SummaryRule,
    entries: Sequence[DraftEntry],
    replaced: Sequence[int],
    as_text: Sequence[int],
    written: PresetSummary,
) -> list[DraftEntry]:
    """Return the inserted messages; the summary represents everything that the model read."""
    read = (at for at in replaced if at not in written.unread)
    origins = tuple(sorted(index for at in read for index in entries[at].origins))
    recent = conversation_text(
        [entries[at].message for at in as_text], rule.result_chars
    )
    inserted = []
    for template in rule.insert:
        text = template.text.replace(RECENT, recent).replace(
            SUMMARY, written.summary.text
        )
        represented = origins if SUMMARY in template.text else ()
        inserted.append(
            DraftEntry(
                Message(speaker=template.speaker, blocks=(Text(text),)),
                represented,
                True,
            )
        )
    return inserted


def _replaced_steps(
    context: StrategyContext, replaced: Sequence[int], written: PresetSummary
) -> dict[int, FateStep]:
    first, last = (context.source_index(at) + 1 for at in (replaced[0], replaced[-1]))
    if len(replaced) > 1:
        span = f"#{first}–#{last}"
    else:
        span = "this message"
    summarised = FateStep(
        "summary", FateKind.SUMMARISED, f"The summary stands for {span}."
    )
    unread = {
        at: FateStep("left out of the request", FateKind.DROPPED, reason)
        for at, reason in written.unread.items()
    }
    return {at: unread.get(at, summarised) for at in replaced}


_AS_TEXT = "Told as text after the summary, no message of its own any more"
_BASELINE = "This preset changes nothing: it is the baseline for the others."


def preset_strategy(preset: Preset) -> Strategy:
    summary = preset.summary
    limit = (LIMIT,) if preset.needs_limit else ()
    return Strategy(
        name=preset.name,
        about=preset.about,
        requires_llm=summary is not None,
        trigger=preset.trigger,
        options=limit if summary is None else (PROFILE, SUMMARY_TOKENS, *limit),
        compress=partial(compress, preset),
        needs_limit=preset.needs_limit,
        prompts=() if summary is None else summary.prompts,
        emulates=preset.emulates,
        incremental=incremental_factory(preset),
    )


def compress(preset: Preset, context: StrategyContext) -> Compaction:
    """Run the preset, alike in both modes."""
    context = replace(context, mode=Mode.SAFE)
    if not context.history:
        return empty_history_no_op(context, preset.name)
    if preset.needs_limit:
        require_limit(context, preset.name)
    passed = _run_passes(preset, context)
    result = PresetSummaryResult(draft=passed.draft)
    if preset.split is not None:
        result = summarise_split(context, preset, passed.draft)
    if not passed.draft.steps and (result.no_op is not None or preset.split is None):
        cause = result.no_op or NoOp(passed.code, passed.note or _BASELINE)
        unchanged = no_op_compaction(
            context,
            preset.name,
            cause.code,
            cause.detail,
            cause.suggestion,
            lead=cause.lead,
        )
        return _with_run_data(unchanged, passed, result)
    no_summary = (
        ()
        if result.no_op is None
        else (f"No summary was written. {result.no_op.reason}",)
    )
    waiting = waiting_warnings(preset.trigger, context.history)
    compaction = _assemble(context, preset, passed, result)
    compaction = replace(
        compaction, warnings=(*passed.warnings, *result.warnings, *no_summary, *waiting)
    )
    if fault := result_fault(context.history, compaction.messages):
        # An API would refuse the result but not the source.
        refused = no_op_compaction(
            context, preset.name, NoOpCode.NO_VALID_BOUNDARY, fault, parts=None
        )
        return _with_run_data(refused, passed, result)
    return no_op_if_larger(context, compaction)


def _run_passes(preset: Preset, context: StrategyContext) -> PassResult:
    """Return the result of all passes, with the notes of those that changed nothing."""
    total = PassResult(begin_draft(context.history))
    for preset_pass in preset.passes:
        result = preset_pass.apply(context, total.draft)
        total = PassResult(
            result.draft,
            {**total.kept_steps, **result.kept_steps},
            " ".join(filter(None, (total.note, result.note))),
            result.code,
            total.target if result.target is None else result.target,
            (*total.warnings, *result.warnings),
        )
    return total


def _with_run_data(
    compaction: Compaction, passed: PassResult, result: PresetSummaryResult
) -> Compaction:
    """Return the run with its target, split, calls and summary."""
    return replace(
        compaction,
        target=passed.target,
        split=result.split,
        calls=result.calls,
        summary=result.summary,
    )


def _assemble(
    context: StrategyContext,
    preset: Preset,
    passed: PassResult,
    result: PresetSummaryResult,
) -> Compaction:
    default_fate = single_fate(
        FateKind.KEPT, "not concerned", f"No rule of {preset.name} is about it."
    )
    kept_fates = _fates({**passed.kept_steps, **result.kept_steps})
    called = result.summary is not None
    compaction = finish_compaction(
        context,
        result.draft,
        preset.name,
        kept_fates,
        default_fate,
        llm_call_made=called,
    )
    metadata, split = compaction.metadata, result.split
    if split is not None:
        metadata = replace(
            metadata,
            top_preserved=split.top,
            middle_compressed=split.middle,
            bottom_preserved=split.bottom,
        )
    return _with_run_data(
        replace(compaction, metadata=metadata, budgets=result.budgets), passed, result
    )


def _fates(kept_steps: Mapping[int, FateStep]) -> dict[int, Fate]:
    """Return a fate for each index; indices with one step share one fate."""
    # Thousands of messages share a few reasons.
    fate_by_step = {id(step): Fate((step,)) for step in kept_steps.values()}
    return {index: fate_by_step[id(step)] for index, step in kept_steps.items()}


def incremental_factory(preset: Preset) -> CompactorFactory | None:
    """Return the factory of incremental compactors; None for a preset that does anything else."""
    # A summary depends on all that is before it, so nothing of it can be kept between turns.
    if preset.split is not None or len(preset.passes) != 1:
        return None
    [rule] = preset.passes
    if isinstance(rule, DropOldestWork):
        return lambda count: _IncrementalDropping(rule, count)
    if (
        preset.needs_limit
        or not isinstance(rule, ClearToolResults)
        or rule.clear_inputs
    ):
        return None
    return lambda count: ClearableResults(rule, count, lambda index: index + 1)


class _IncrementalDropping:
    """Drops the oldest work; a ``core.strategies.incremental.IncrementalCompressor``."""

    def __init__(self, rule: DropOldestWork, count: Callable[[Message], int]) -> None:
        self._rule, self._count = rule, count
        self._indices: list[int] = []
        self._droppable: list[Message] = []

    def add(self, index: int, message: Message) -> None:
        if is_droppable(message):
            self._indices.append(index)
            self._droppable.append(message)

    def edits(self, context: StrategyContext) -> HistoryEdits | None:
        """Return the result of ``compress``."""
        if context.limit is None or not self._droppable:
            return None
        tokens = context.current_token_count
        plan = self._rule.plan(
            self._estimate, self._droppable, self._indices, tokens, context.limit
        )
        if isinstance(plan, NoOp):
            return HistoryEdits({}, plan)
        edits = plan.edits(plan.group_count(self._estimate))
        messages = [
            edits.get(index, message) for index, message in enumerate(self._droppable)
        ]
        after = [message for message in messages if message is not None]
        if self._estimate(after) >= self._estimate(self._droppable) or result_fault(
            self._droppable, after
        ):
            return None
        return HistoryEdits(
            {self._indices[index]: message for index, message in edits.items()}
        )

    def apply(self, edits: HistoryEdits) -> None:
        removed = sorted(
            index for index, message in edits.messages.items() if message is None
        )
        entries = zip(self._indices, self._droppable, strict=True)
        self._indices, self._droppable = [], []
        for index, old in entries:
            message = edits.messages.get(index, old)
            if message is not None:
                self.add(index - bisect_left(removed, index), message)

    def _estimate(self, messages: Sequence[Message]) -> int:
        return sum(map(self._count, messages))


# Loads presets from TOML files, one each: the keys of a table are the fields of its rule.


RULE = "old thinking"
_UNREADABLE = FateStep(
    "opaque",
    FateKind.DROPPED,
    "What stands for it is encrypted; only the server reads it.",
)


@dataclass(frozen=True, slots=True)
class ClearThinking:
    """Removes thinking from all but the newest ``keep_turns`` model messages that have some."""

    keep_turns: int

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        with_thinking = [
            index
            for index, entry in enumerate(draft.entries)
            if entry.message.speaker is Speaker.AI
            and any(isinstance(b, Thinking) for b in entry.message.blocks)
        ]
        if self.keep_turns > 1:
            turns = f"the newest {self.keep_turns} turns"
        else:
            turns = "the newest turn"
        step = FateStep(
            RULE, FateKind.EDITED, f"Thinking goes beyond {turns} with any."
        )
        changes = {}
        for index in with_thinking[: max(0, len(with_thinking) - self.keep_turns)]:
            message = draft.entries[index].message
            blocks = tuple(
                block for block in message.blocks if not isinstance(block, Thinking)
            )
            if blocks:
                changes[index] = replace(message, blocks=blocks), step
        return PassResult(
            with_edited(draft, changes),
            note="" if changes else f"No thinking lies beyond {turns}.",
        )


@dataclass(frozen=True, slots=True)
class KeepSpoken:
    """Keeps the user's newest messages within ``human_tokens`` and the first context; everything
    else goes. ``note`` is the message that stands for it."""

    human_tokens: int
    note: str

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        rule = ReinjectRule(human_tokens=self.human_tokens, initial=True)
        by_index = dict(enumerate(draft.messages))
        retained = retained_messages(
            rule, by_index, context.estimate_tokens, context.source_index
        )
        removed = dict.fromkeys(
            (index for index in by_index if index not in retained), _UNREADABLE
        )
        if not removed:
            return PassResult(
                draft,
                note="Every message is the person's own, and those stay as they are.",
            )
        edited = {
            index: kept
            for index, kept in retained.items()
            if kept[1].kind is FateKind.EDITED
        }
        kept_steps = {
            origin: step
            for index, (_, step) in retained.items()
            if index not in edited
            for origin in draft.entries[index].origins
        }
        result = with_removed(with_edited(draft, edited), removed)
        note = DraftEntry(human_text(self.note), (), True)
        return PassResult(replace(result, entries=(*result.entries, note)), kept_steps)


PASSES: Mapping[str, type[PresetPass]] = {
    "clear-results": ClearToolResults,
    "clear-thinking": ClearThinking,
    "keep-spoken": KeepSpoken,
    "keep-typed": DropOldestWork,
    "offload-results": OffloadResults,
}
"""By ``kind`` in a table of [[passes]]; the other keys are the fields of the rule."""


FOLDER = Path(__file__).resolve().parent
"""The folder of the built-in presets, in the repository and in the wheel."""

_PARTS: Mapping[str, Any] = {
    "emulates": EmulatedProgram,
    "split": SplitRule,
    "summary": SummaryRule,
    "reinject": ReinjectRule,
}


def load_preset(path: Path) -> Preset:
    """Return the preset of a file, named after the file. Raises InputError for a faulty file."""
    try:
        table: Any = tomllib.loads(path.read_text("utf-8"))
        trigger = table.pop("trigger")
        trigger = {
            "mode": "threshold",
            "threshold": trigger.pop("share", 1.0),
            **trigger,
            "is_fixed": True,
        }
        passes = [
            typed_value(PASSES[rule.pop("kind")], rule)
            for rule in table.pop("passes", ())
        ]
        parts = {
            key: typed_value(kind, table.pop(key))
            for key, kind in _PARTS.items()
            if key in table
        }
        preset = Preset(
            name=path.stem,
            trigger=typed_value(Trigger, trigger),
            passes=tuple(passes),
            **parts,
            **table,
        )
        if (preset.split is None) is not (preset.summary is None):
            raise ValueError("split and summary go together")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path.name} is not a preset: {error!r}.", "Correct the preset's file."
        ) from error
    return preset
