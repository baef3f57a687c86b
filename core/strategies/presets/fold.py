"""Replaces the old part of a draft by a preset's summary, with reinjected messages beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.strategies.base import StrategyContext
from core.strategies.draft import DraftEntry, HistoryDraft
from core.strategies.presets.preset import Preset, PresetSummaryResult
from core.strategies.presets.preset_summary import (
    RECENT,
    SUMMARY,
    InsertedMessage,
    SummaryRule,
    SummaryWriter,
    WrittenSummary,
)
from core.strategies.presets.reinjection import (
    ReinjectRule,
    RetainedMessage,
    reinjected_messages,
    retained_messages,
)
from core.strategies.presets.split import SplitInput, SummarisedRange, divide_history, is_typed, split_input
from core.summarize.message_record import conversation_text
from core.transcript.compaction import FateKind, FateStep, NoOp, NoOpCode
from core.transcript.model import Message, Text

_SUMMARY_RULE = "summary"
_UNREAD_RULE = "left out of the request"
_AS_TEXT_RULE = "as text"
_TAIL_RULE = "tail"


def summarise_split(context: StrategyContext, preset: Preset, draft: HistoryDraft) -> PresetSummaryResult:
    """Replace the old part of the draft by a summary and reinjected messages. Earlier passes may have edited
    messages, but removed none. Raises CompactionFailed where a call fails or its answer is unusable."""
    if preset.split is None or preset.summary is None:
        raise AssertionError(f"{preset.name} has no split or no summary")
    split_messages = split_input(draft.messages, context.estimate_tokens, context.source_index)
    summarised_range = divide_history(preset.split, split_messages)
    if isinstance(summarised_range, NoOp):
        return PresetSummaryResult(draft, no_op=summarised_range)
    run = _PresetRun(context, preset.summary, preset.reinject or ReinjectRule(), draft, summarised_range)
    retained = run.retained_messages()
    replaced = [
        position
        for position in range(summarised_range.start, summarised_range.end)
        if position not in retained
    ]
    if not replaced:
        reason = "Every message is the person's own, and those stay as they are."
        return PresetSummaryResult(draft, no_op=NoOp(NoOpCode.TAIL_COVERS_ALL, reason))
    writer = SummaryWriter(context, preset.name, preset.summary, frozenset(retained))
    span = range(summarised_range.start, summarised_range.end)
    written = writer.write(
        split_messages.history[summarised_range.start : summarised_range.end],
        span,
        _divided_exchange_start(split_messages, summarised_range),
    )
    return run.build_result(retained, replaced, written)


def _divided_exchange_start(split_messages: SplitInput, summarised_range: SummarisedRange) -> int | None:
    """Return the start of the exchange that the cut divides; None where the cut is between two."""
    if summarised_range.end >= len(split_messages.history) or is_typed(
        split_messages.history[summarised_range.end]
    ):
        return None
    typed_positions = (
        position
        for position in range(summarised_range.end - 1, summarised_range.start - 1, -1)
        if is_typed(split_messages.history[position])
    )
    return next(typed_positions, None)


@dataclass(frozen=True, slots=True)
class _PresetRun:
    """The context shared by the steps of one preset run."""

    context: StrategyContext
    rule: SummaryRule
    reinject: ReinjectRule
    draft: HistoryDraft
    summarised_range: SummarisedRange

    def retained_messages(self) -> Mapping[int, RetainedMessage]:
        """Return the messages that stay beside the summary, by position."""
        start, end = self.summarised_range.start, self.summarised_range.end
        messages = {position: self.draft.entries[position].message for position in range(start, end)}
        return retained_messages(
            self.reinject, messages, self.context.estimate_tokens, self.context.source_index
        )

    def build_result(
        self, retained: Mapping[int, RetainedMessage], replaced: list[int], written: WrittenSummary
    ) -> PresetSummaryResult:
        """Return the new draft: earlier messages, the summary with retained messages, and the tail."""
        entries, start, end = self.draft.entries, self.summarised_range.start, self.summarised_range.end
        tail_as_text = any(RECENT in template.text for template in self.rule.insert)
        as_text_positions = tuple(range(end, len(entries))) if tail_as_text else ()
        retained_entries = [
            replace(entries[position], message=retained_message.message)
            for position, retained_message in retained.items()
        ]
        summary = self._inserted_entries(replaced, as_text_positions, written)
        before, after = (retained_entries, []) if self.reinject.human_tokens else ([], retained_entries)
        place = next(
            position for position, template in enumerate(self.rule.insert) if SUMMARY in template.text
        )
        tail = () if tail_as_text else entries[end:]
        return PresetSummaryResult(
            HistoryDraft(
                (*entries[:start], *before, *summary, *after, *self._reinjected_entries(replaced), *tail),
                self.draft.count,
                self._with_steps(
                    {
                        **self._steps(replaced, written),
                        **self._as_text_steps(as_text_positions),
                        **_edited_steps(retained),
                    }
                ),
            ),
            kept_steps=self._kept_steps(retained, set(as_text_positions)),
            split=self.summarised_range.split,
            summary=written.summary,
            calls=written.calls,
            budgets={start + len(before) + place: written.max_tokens},
            warnings=written.warnings,
        )

    def _reinjected_entries(self, replaced: list[int]) -> list[DraftEntry]:
        messages = [self.draft.entries[position].message for position in replaced]
        reinjected = reinjected_messages(
            self.reinject, messages, self.context.todos, self.context.estimate_tokens
        )
        return [DraftEntry(message, (), True) for message in reinjected]

    def _inserted_entries(
        self, replaced: list[int], as_text_positions: tuple[int, ...], written: WrittenSummary
    ) -> list[DraftEntry]:
        """Return the inserted messages; the summary represents everything that the model read."""
        entries = self.draft.entries
        read = [position for position in (*replaced, *as_text_positions) if position not in written.unread]
        origins = tuple(sorted(index for position in read for index in entries[position].origins))
        recent_text = conversation_text(
            [entries[position].message for position in as_text_positions], self.rule.result_chars
        )
        return [
            DraftEntry(
                _inserted_message(template, written.summary.text, recent_text),
                origins if SUMMARY in template.text else (),
                True,
            )
            for template in self.rule.insert
        ]

    def _steps(self, replaced: list[int], written: WrittenSummary) -> dict[int, FateStep]:
        source_of = self.context.source_index
        span = (
            f"#{source_of(replaced[0]) + 1}–#{source_of(replaced[-1]) + 1}"
            if len(replaced) > 1
            else "this message"
        )
        summarised = FateStep(_SUMMARY_RULE, FateKind.SUMMARISED, f"The summary stands for {span}.")
        return {
            position: FateStep(_UNREAD_RULE, FateKind.DROPPED, written.unread[position])
            if position in written.unread
            else summarised
            for position in replaced
        }

    def _as_text_steps(self, as_text_positions: tuple[int, ...]) -> dict[int, FateStep]:
        max_chars = self.rule.result_chars
        cut = f"; results of tools up to {max_chars:,} characters" if max_chars else ""
        reason = f"Told as text after the summary, no message of its own any more{cut}."
        return dict.fromkeys(as_text_positions, FateStep(_AS_TEXT_RULE, FateKind.SUMMARISED, reason))

    def _kept_steps(
        self, retained: Mapping[int, RetainedMessage], as_text_positions: set[int]
    ) -> dict[int, FateStep]:
        """Return why unchanged messages stayed, by source index."""
        summarised_range, entries = self.summarised_range, self.draft.entries
        outside = [*range(summarised_range.start), *range(summarised_range.end, len(entries))]
        tail = FateStep(_TAIL_RULE, FateKind.KEPT, summarised_range.kept_reason)
        steps = {position: tail for position in outside if position not in as_text_positions}
        steps |= {
            position: retained_message.step
            for position, retained_message in retained.items()
            if retained_message.step.kind is FateKind.KEPT
        }
        return {index: step for position, step in steps.items() for index in entries[position].origins}

    def _with_steps(self, new_steps: Mapping[int, FateStep]) -> dict[int, tuple[FateStep, ...]]:
        """Return the draft's steps with one more for each source message behind the positions."""
        steps = dict(self.draft.steps)
        for position, step in new_steps.items():
            for index in self.draft.entries[position].origins:
                steps[index] = (*steps.get(index, ()), step)
        return steps


def _edited_steps(retained: Mapping[int, RetainedMessage]) -> dict[int, FateStep]:
    return {
        position: retained_message.step
        for position, retained_message in retained.items()
        if retained_message.step.kind is FateKind.EDITED
    }


def _inserted_message(template: InsertedMessage, summary: str, recent_text: str) -> Message:
    text = template.text.replace(RECENT, recent_text).replace(SUMMARY, summary)
    return Message(template.speaker, (Text(text),))
