"""A history on its way through the stages of one run: what is there now, and what touched each message.

For strategies that work in several steps. Every function gives a new draft; nothing is changed in
place. Positions are places in ``entries``, source indices places in the history that was given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.strategies.base import StrategyContext
from core.transcript.compaction import Compaction, CompactionMetadata, Fate, FateKind, FateStep
from core.transcript.model import Message


@dataclass(frozen=True, slots=True)
class DraftEntry:
    """One message that is there now, the source messages that it is or stands for, ascending, and
    whether a summary or another text that no source message is stands in it."""

    message: Message
    origins: tuple[int, ...]
    inserted: bool = False


@dataclass(frozen=True, slots=True)
class HistoryDraft:
    """The state between two stages. ``steps`` holds the source messages that a stage touched."""

    entries: tuple[DraftEntry, ...]
    count: int  # source messages
    steps: Mapping[int, tuple[FateStep, ...]]

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages that are there now."""
        return tuple(entry.message for entry in self.entries)


def begin_draft(history: Sequence[Message]) -> HistoryDraft:
    """A history that nothing has touched yet."""
    return HistoryDraft(
        tuple(DraftEntry(message, (index,)) for index, message in enumerate(history)), len(history), {}
    )


def with_edited(draft: HistoryDraft, changes: Mapping[int, tuple[Message, FateStep]]) -> HistoryDraft:
    """Other content for the entries at these positions: kind EDITED or SUMMARISED, as the step says.

    What a summary replaced counts as inserted from then on (product.md section 2).
    """
    entries = list(draft.entries)
    for position, (message, step) in changes.items():
        inserted = entries[position].inserted or step.kind is FateKind.SUMMARISED
        entries[position] = DraftEntry(message, entries[position].origins, inserted)
    touched = {position: step for position, (_, step) in changes.items()}
    return HistoryDraft(tuple(entries), draft.count, _stepped(draft, touched))


def with_removed(draft: HistoryDraft, steps: Mapping[int, FateStep]) -> HistoryDraft:
    """Without the entries at these positions: kind PRUNED or DROPPED, as their steps say."""
    stay = tuple(entry for position, entry in enumerate(draft.entries) if position not in steps)
    return HistoryDraft(stay, draft.count, _stepped(draft, steps))


def with_replaced(
    draft: HistoryDraft, start: int, end: int, messages: Sequence[Message], step: FateStep
) -> HistoryDraft:
    """The entries [start, end) replaced by ``messages``, the first of which stands for all of them.

    The step is of kind SUMMARISED, or of DROPPED where the messages stand for nothing that was there.
    """
    gone = draft.entries[start:end]
    origins = tuple(sorted(index for entry in gone for index in entry.origins))
    stands = origins if step.kind is FateKind.SUMMARISED else ()
    new = [DraftEntry(one, stands if place == 0 else (), True) for place, one in enumerate(messages)]
    entries = (*draft.entries[:start], *new, *draft.entries[end:])
    return HistoryDraft(entries, draft.count, _stepped(draft, dict.fromkeys(range(start, end), step)))


def with_inserted(draft: HistoryDraft, position: int, messages: Sequence[Message]) -> HistoryDraft:
    """With messages that no source message is, before the entry at a position."""
    new = tuple(DraftEntry(message, (), True) for message in messages)
    return replace(draft, entries=(*draft.entries[:position], *new, *draft.entries[position:]))


def finish_compaction(
    context: StrategyContext,
    draft: HistoryDraft,
    strategy: str,
    kept: Mapping[int, Fate],
    otherwise: Fate,
    *,
    llm_call_made: bool,
) -> Compaction:
    """The draft as a compaction; ``kept`` and else ``otherwise`` say why untouched messages stayed.

    Callers add split, summary, calls and the rest with ``dataclasses.replace``.
    """
    fates = {index: Fate(steps) for index, steps in draft.steps.items()}
    count = len(context.history)
    return Compaction(
        draft.messages,
        tuple(entry.origins for entry in draft.entries),
        tuple(fates.get(index) or kept.get(index, otherwise) for index in range(count)),
        CompactionMetadata(count, len(draft.entries), strategy, llm_call_made),
        inserted=frozenset(place for place, entry in enumerate(draft.entries) if entry.inserted),
    )


def _stepped(draft: HistoryDraft, touched: Mapping[int, FateStep]) -> dict[int, tuple[FateStep, ...]]:
    """The steps with one more for each source message behind the entries that were touched."""
    steps = dict(draft.steps)
    for position, step in touched.items():
        for index in draft.entries[position].origins:
            steps[index] = (*steps.get(index, ()), step)
    return steps
