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
from core.strategies.presets.reinjection import ReinjectRule, RetainedMessage, put_back, retained_messages
from core.strategies.presets.split import SplitInput, SummarisedRange, divide_history, is_typed, split_input
from core.summarize.message_record import as_text
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
    split_messages = split_input(draft.messages, context.estimate_tokens, context.source_of)
    division = divide_history(preset.split, split_messages)
    if isinstance(division, NoOp):
        return PresetSummaryResult(draft, no_op=division)
    run = _PresetRun(context, preset.summary, preset.reinject or ReinjectRule(), draft, division)
    retained = run.retained()
    replaced = [position for position in range(division.start, division.end) if position not in retained]
    if not replaced:
        reason = "Every message is the person's own, and those stay as they are."
        return PresetSummaryResult(draft, no_op=NoOp(NoOpCode.TAIL_COVERS_ALL, reason))
    writer = SummaryWriter(context, preset.name, preset.summary, frozenset(retained))
    span = range(division.start, division.end)
    written = writer.write(
        split_messages.history[division.start : division.end],
        span,
        _divided_exchange(split_messages, division),
    )
    return run.folded(retained, replaced, written)


def _divided_exchange(given: SplitInput, division: SummarisedRange) -> int | None:
    """Return the start of the exchange that the cut divides; None where the cut is between two."""
    if division.end >= len(given.history) or is_typed(given.history[division.end]):
        return None
    typed = (at for at in range(division.end - 1, division.start - 1, -1) if is_typed(given.history[at]))
    return next(typed, None)


@dataclass(frozen=True, slots=True)
class _PresetRun:
    """The context shared by the steps of one preset run."""

    context: StrategyContext
    rule: SummaryRule
    reinject: ReinjectRule
    draft: HistoryDraft
    division: SummarisedRange

    def retained(self) -> Mapping[int, RetainedMessage]:
        """Return the messages that stay beside the summary, by position."""
        start, end = self.division.start, self.division.end
        inside = {at: self.draft.entries[at].message for at in range(start, end)}
        return retained_messages(self.reinject, inside, self.context.estimate_tokens, self.context.source_of)

    def folded(
        self, retained: Mapping[int, RetainedMessage], replaced: list[int], written: WrittenSummary
    ) -> PresetSummaryResult:
        """Return the new draft: earlier messages, the summary with retained messages, and the tail."""
        entries, start, end = self.draft.entries, self.division.start, self.division.end
        tail_as_text = any(RECENT in frame.text for frame in self.rule.insert)
        textual = tuple(range(end, len(entries))) if tail_as_text else ()
        beside = [replace(entries[position], message=one.message) for position, one in retained.items()]
        summary = self._inserted(replaced, textual, written)
        before, after = (beside, []) if self.reinject.human_tokens else ([], beside)
        place = next(position for position, frame in enumerate(self.rule.insert) if SUMMARY in frame.text)
        tail = () if tail_as_text else entries[end:]
        return PresetSummaryResult(
            HistoryDraft(
                (*entries[:start], *before, *summary, *after, *self._reinjected(replaced), *tail),
                self.draft.count,
                self._with_steps(
                    {**self._steps(replaced, written), **self._textual_steps(textual), **_edited(retained)}
                ),
            ),
            kept_steps=self._kept(retained, set(textual)),
            split=self.division.split,
            summary=written.summary,
            calls=written.calls,
            budgets={start + len(before) + place: written.max_tokens},
            warnings=written.warnings,
        )

    def _reinjected(self, replaced: list[int]) -> list[DraftEntry]:
        messages = [self.draft.entries[position].message for position in replaced]
        reinjected = put_back(self.reinject, messages, self.context.todos, self.context.estimate_tokens)
        return [DraftEntry(message, (), True) for message in reinjected]

    def _inserted(
        self, taken: list[int], textual: tuple[int, ...], written: WrittenSummary
    ) -> list[DraftEntry]:
        """Return the inserted messages; the summary represents everything that the model read."""
        entries = self.draft.entries
        read = [position for position in (*taken, *textual) if position not in written.unread]
        origins = tuple(sorted(index for position in read for index in entries[position].origins))
        recent = as_text([entries[position].message for position in textual], self.rule.result_chars)
        return [
            DraftEntry(
                _framed(frame, written.summary.text, recent), origins if SUMMARY in frame.text else (), True
            )
            for frame in self.rule.insert
        ]

    def _steps(self, replaced: list[int], written: WrittenSummary) -> dict[int, FateStep]:
        source_of = self.context.source_of
        whole = (
            f"#{source_of(replaced[0]) + 1}–#{source_of(replaced[-1]) + 1}"
            if len(replaced) > 1
            else "this message"
        )
        summarised = FateStep(_SUMMARY_RULE, FateKind.SUMMARISED, f"The summary stands for {whole}.")
        return {
            position: FateStep(_UNREAD_RULE, FateKind.DROPPED, written.unread[position])
            if position in written.unread
            else summarised
            for position in replaced
        }

    def _textual_steps(self, textual: tuple[int, ...]) -> dict[int, FateStep]:
        max_chars = self.rule.result_chars
        cut = f"; results of tools up to {max_chars:,} characters" if max_chars else ""
        reason = f"Told as text after the summary, no message of its own any more{cut}."
        return dict.fromkeys(textual, FateStep(_AS_TEXT_RULE, FateKind.SUMMARISED, reason))

    def _kept(self, retained: Mapping[int, RetainedMessage], textual: set[int]) -> dict[int, FateStep]:
        """Return why unchanged messages stayed, by source index."""
        division, entries = self.division, self.draft.entries
        around = [*range(division.start), *range(division.end, len(entries))]
        tail = FateStep(_TAIL_RULE, FateKind.KEPT, division.kept_reason)
        steps = {position: tail for position in around if position not in textual}
        steps |= {position: one.step for position, one in retained.items() if one.step.kind is FateKind.KEPT}
        return {index: step for position, step in steps.items() for index in entries[position].origins}

    def _with_steps(self, touched: Mapping[int, FateStep]) -> dict[int, tuple[FateStep, ...]]:
        """Return the draft's steps with one more for each source message behind the positions."""
        steps = dict(self.draft.steps)
        for at, step in touched.items():
            for index in self.draft.entries[at].origins:
                steps[index] = (*steps.get(index, ()), step)
        return steps


def _edited(retained: Mapping[int, RetainedMessage]) -> dict[int, FateStep]:
    return {position: one.step for position, one in retained.items() if one.step.kind is FateKind.EDITED}


def _framed(frame: InsertedMessage, summary: str, recent: str) -> Message:
    text = frame.text.replace(RECENT, recent).replace(SUMMARY, summary)
    return Message(frame.speaker, (Text(text),))
