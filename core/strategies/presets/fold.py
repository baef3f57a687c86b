"""Split, summary and reinjection of a preset: the old part of a draft folded into a summary."""

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

_SUMMARISED = "summary"
_UNREAD = "left out of the request"
_AS_TEXT = "as text"
_TAIL = "tail"


def summarise_split(context: StrategyContext, preset: Preset, draft: HistoryDraft) -> PresetSummaryResult:
    """The draft with its old part replaced by a summary, and what is put back beside it.

    The passes before it may have edited messages, but removed none. CompactionFailed where a call
    fails or its answer cannot be used.
    """
    if preset.split is None or preset.summary is None:
        raise AssertionError(f"{preset.name} has no split or no summary")
    given = split_input(draft.messages, context.estimate_tokens, context.source_of)
    division = divide_history(preset.split, given)
    if isinstance(division, NoOp):
        return PresetSummaryResult(draft, no_op=division)
    bench = _PresetRun(context, preset.summary, preset.reinject or ReinjectRule(), draft, division)
    stay = bench.carried()
    taken = [at for at in range(division.start, division.end) if at not in stay]
    if not taken:
        reason = "Every message is the person's own, and those stay as they are."
        return PresetSummaryResult(draft, no_op=NoOp(NoOpCode.TAIL_COVERS_ALL, reason))
    scribe = SummaryWriter(context, preset.name, preset.summary, frozenset(stay))
    span = range(division.start, division.end)
    written = scribe.write(given.history[division.start : division.end], span, _divided(given, division))
    return bench.folded(stay, taken, written)


def _divided(given: SplitInput, division: SummarisedRange) -> int | None:
    """Where the exchange begins that the cut divides; None where the cut lies between two."""
    if division.end >= len(given.history) or is_typed(given.history[division.end]):
        return None
    typed = (at for at in range(division.end - 1, division.start - 1, -1) if is_typed(given.history[at]))
    return next(typed, None)


@dataclass(frozen=True, slots=True)
class _PresetRun:
    """What the steps of one fold share."""

    context: StrategyContext
    rule: SummaryRule
    reinject: ReinjectRule
    draft: HistoryDraft
    division: SummarisedRange

    def carried(self) -> Mapping[int, RetainedMessage]:
        """The messages that stay beside the summary, by position."""
        start, end = self.division.start, self.division.end
        inside = {at: self.draft.entries[at].message for at in range(start, end)}
        return retained_messages(self.reinject, inside, self.context.estimate_tokens, self.context.source_of)

    def folded(
        self, stay: Mapping[int, RetainedMessage], taken: list[int], written: WrittenSummary
    ) -> PresetSummaryResult:
        """The new draft: what was before, the summary among what stays beside it, and the tail."""
        entries, start, end = self.draft.entries, self.division.start, self.division.end
        is_told = any(RECENT in frame.text for frame in self.rule.insert)
        told = tuple(range(end, len(entries))) if is_told else ()
        beside = [replace(entries[at], message=one.message) for at, one in stay.items()]
        summary = self._inserted(taken, told, written)
        before, after = (beside, []) if self.reinject.human_tokens else ([], beside)
        place = next(at for at, frame in enumerate(self.rule.insert) if SUMMARY in frame.text)
        tail = () if is_told else entries[end:]
        return PresetSummaryResult(
            HistoryDraft(
                (*entries[:start], *before, *summary, *after, *self._back(taken), *tail),
                self.draft.count,
                self._stepped({**self._steps(taken, written), **self._told(told), **_edited(stay)}),
            ),
            kept=self._kept(stay, set(told)),
            split=self.division.split,
            summary=written.summary,
            calls=written.calls,
            budgets={start + len(before) + place: written.most},
            warnings=written.warnings,
        )

    def _back(self, taken: list[int]) -> list[DraftEntry]:
        """What is put back after the summary."""
        messages = [self.draft.entries[at].message for at in taken]
        back = put_back(self.reinject, messages, self.context.todos, self.context.estimate_tokens)
        return [DraftEntry(message, (), True) for message in back]

    def _inserted(
        self, taken: list[int], textual: tuple[int, ...], written: WrittenSummary
    ) -> list[DraftEntry]:
        """The frames; the one with the summary stands for what the model read and what is told as text."""
        entries = self.draft.entries
        read = [at for at in (*taken, *textual) if at not in written.unread]
        origins = tuple(sorted(index for at in read for index in entries[at].origins))
        recent = as_text([entries[at].message for at in textual], self.rule.result_chars)
        return [
            DraftEntry(
                _framed(frame, written.summary.text, recent), origins if SUMMARY in frame.text else (), True
            )
            for frame in self.rule.insert
        ]

    def _steps(self, taken: list[int], written: WrittenSummary) -> dict[int, FateStep]:
        place = self.context.source_of
        whole = f"#{place(taken[0]) + 1}–#{place(taken[-1]) + 1}" if len(taken) > 1 else "this message"
        done = FateStep(_SUMMARISED, FateKind.SUMMARISED, f"The summary stands for {whole}.")
        return {
            at: FateStep(_UNREAD, FateKind.DROPPED, written.unread[at]) if at in written.unread else done
            for at in taken
        }

    def _told(self, textual: tuple[int, ...]) -> dict[int, FateStep]:
        most = self.rule.result_chars
        cut = f"; results of tools up to {most:,} characters" if most else ""
        reason = f"Told as text after the summary, no message of its own any more{cut}."
        return dict.fromkeys(textual, FateStep(_AS_TEXT, FateKind.SUMMARISED, reason))

    def _kept(self, stay: Mapping[int, RetainedMessage], textual: set[int]) -> dict[int, FateStep]:
        """Why the messages stayed that are as they were, by source place."""
        division, entries = self.division, self.draft.entries
        around = [*range(division.start), *range(division.end, len(entries))]
        tail = FateStep(_TAIL, FateKind.KEPT, division.kept)
        steps = {at: tail for at in around if at not in textual}
        steps |= {at: one.step for at, one in stay.items() if one.step.kind is FateKind.KEPT}
        return {index: step for at, step in steps.items() for index in entries[at].origins}

    def _stepped(self, touched: Mapping[int, FateStep]) -> dict[int, tuple[FateStep, ...]]:
        """The draft's steps with one more for each source message behind the positions."""
        steps = dict(self.draft.steps)
        for at, step in touched.items():
            for index in self.draft.entries[at].origins:
                steps[index] = (*steps.get(index, ()), step)
        return steps


def _edited(stay: Mapping[int, RetainedMessage]) -> dict[int, FateStep]:
    return {at: one.step for at, one in stay.items() if one.step.kind is FateKind.EDITED}


def _framed(frame: InsertedMessage, summary: str, recent: str) -> Message:
    text = frame.text.replace(RECENT, recent).replace(SUMMARY, summary)
    return Message(frame.speaker, (Text(text),))
