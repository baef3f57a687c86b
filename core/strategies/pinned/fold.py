"""Replaces the oldest messages by a verbatim summary of their facts, up to a clean boundary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from core.facts import Facts
from core.facts.sentences import plain_text
from core.settings.profile import OFFLINE
from core.strategies.draft import DraftEntry, HistoryDraft
from core.strategies.pinned.context import PinnedContext, is_request
from core.strategies.pinned.model_prose import prose_budget
from core.strategies.pinned.placeholder_lines import all_text
from core.summarize import verbatim_summarizer
from core.summarize.offline_summarizer import OfflineSummariser, read
from core.summarize.summary_request import continuation_text
from core.transcript.boundaries import CutRequest, snap_cut, suffix_sums
from core.transcript.compaction import Cut, FateKind, FateStep, Split, Summary
from core.transcript.model import Message, Speaker, Text
from core.transcript.todos import active_todos
from core.transcript.tool_pairs import find_pairs

MIDDLE = "middle"
SNAPSHOT = 0.35  # share of the target for the snapshot, not counting its rules
MOST_SNAPSHOT = 8000  # tokens
CLEAN = 0.75  # share of the tail that must remain if it begins at a user message instead
LEAST_TAIL = 0.25  # smallest share of the target for the tail, however many rules there are


@dataclass(frozen=True, slots=True)
class PinnedSummaryResult:
    """The draft, unchanged with ``split`` None. ``prose``: tokens reserved for the model's text."""

    draft: HistoryDraft
    split: Split | None = None
    summary: Summary | None = None
    prose: int = 0


def summarise_oldest(run: PinnedContext, draft: HistoryDraft) -> PinnedSummaryResult:
    """Summarise the oldest messages, so that snapshot, pinned messages and tail meet the target."""
    facts = read(run.context.history, known=run.cache.all_facts)
    cut = _cut(run, draft, _tail_room(run, facts))
    before = [entry for entry in draft.entries if entry.origins[0] < cut.index]
    summarised = [entry for entry in before if run.is_free(entry.origins[0])]
    pinned = [entry for entry in before if not run.is_free(entry.origins[0])]
    if not summarised:
        return PinnedSummaryResult(draft)
    remaining = [*pinned, *draft.entries[len(before) :]]
    max_tokens = _snapshot_room(run, remaining)
    prose = prose_budget(run.context, max_tokens)
    summary = _write_summary(run, facts, summarised, remaining, max_tokens - prose)
    origins = tuple(sorted(index for entry in summarised for index in entry.origins))
    top = DraftEntry(Message(Speaker.HUMAN, (Text(summary.text),)), origins, True)
    step = FateStep(MIDDLE, FateKind.SUMMARISED, _reason(run, origins))
    steps = {**draft.steps, **{index: (*draft.steps.get(index, ()), step) for index in origins}}
    return PinnedSummaryResult(
        replace(draft, entries=(top, *_acknowledgement(run, remaining), *remaining), steps=steps),
        Split(0, len(summarised), len(remaining), (cut,)),
        Summary(summary.text, OFFLINE, OfflineSummariser.model, summary.sections),
        prose,
    )


def _tail_room(run: PinnedContext, facts: Facts) -> int:
    """Return the tokens left for the tail by the snapshot and the rules."""
    rules = sum(run.text_tokens(f"- {rule}\n") for rule in verbatim_summarizer.rules_in_force(facts))
    snapshot = min(int(run.target * SNAPSHOT), MOST_SNAPSHOT)
    return max(int(run.target * LEAST_TAIL), run.target - snapshot - rules)


def _cut(run: PinnedContext, draft: HistoryDraft, room: int) -> Cut:
    """Return the cut at the first valid boundary after which the rest fits. It moves on to a user message
    where one is near. Pinned messages before it count as part of the rest; the newest turn stays however
    large it is. Its numbers are indices of the history."""
    messages, count = draft.messages, len(draft.entries)
    pairs = find_pairs(messages)
    pinned = [0 if run.is_free(entry.origins[0]) else run.tokens(entry.message) for entry in draft.entries]
    sums = suffix_sums(messages, run.context.estimate_tokens)
    pinned_before = [0, *accumulate(pinned)]
    start = next((at for at in range(count) if sums[at] + pinned_before[at] <= room), count)
    last = next((at for at in range(count - 1, 0, -1) if pairs.valid[at]), 0)
    index = next((at for at in range(min(start, last), last + 1) if pairs.valid[at]), last)
    clean = next((at for at in range(index, last + 1) if pairs.valid[at] and is_request(messages[at])), index)
    if sums[clean] < CLEAN * sums[index]:
        clean = index
    request = CutRequest(
        "tail",
        _source_index(draft, start),
        f"newest {room:,} tokens",
        _source_index(draft, clean),
        True,
        (0, draft.count),
        "the message of the person that is near, or the calls that results answer, move it",
        "Its own rule",
    )
    cut = snap_cut(request, run.pairs, safe=True, place=run.context.source_of)
    if cut is None:  # pragma: no cover - 0 and n are always valid
        raise AssertionError("no valid boundary")
    return cut


def _source_index(draft: HistoryDraft, position: int) -> int:
    """Return the history index of a position of the draft."""
    return draft.entries[position].origins[0] if position < len(draft.entries) else draft.count


def _snapshot_room(run: PinnedContext, remaining: Sequence[DraftEntry]) -> int:
    """Return the tokens of the snapshot: its share of the target, or more where the rest leaves it."""
    remaining_tokens = sum(run.tokens(entry.message) for entry in remaining)
    return min(MOST_SNAPSHOT, max(int(run.target * SNAPSHOT), run.target - remaining_tokens))


def _write_summary(
    run: PinnedContext,
    facts: Facts,
    summarised: Sequence[DraftEntry],
    remaining: Sequence[DraftEntry],
    max_tokens: int,
) -> verbatim_summarizer.VerbatimSummary:
    """Summarise the removed entries, with rules and names of the history that appear nowhere else."""
    context = run.context
    originals = [context.history[index] for entry in summarised for index in entry.origins]
    remaining_messages = [entry.message for entry in remaining]
    return verbatim_summarizer.write_summary(
        verbatim_summarizer.VerbatimSummaryInput(
            facts,
            read(originals, known=run.cache.summarised_facts),
            run.text_tokens,
            max_tokens,
            "\n".join(
                plain_text(one)
                for one in remaining_messages
                if one.speaker in (Speaker.HUMAN, Speaker.SYSTEM)
            ),
            "\n".join(map(all_text, remaining_messages)),
            context.todos or active_todos(context.history),
            context.focus,
            context.transcript,
        )
    )


def _acknowledgement(run: PinnedContext, remaining: Sequence[DraftEntry]) -> list[DraftEntry]:
    """Return an answer of the model where a user message would follow the snapshot."""
    if not remaining or remaining[0].message.speaker is not Speaker.HUMAN:
        return []
    answer = continuation_text(run.context.todos or active_todos(run.context.history))
    return [DraftEntry(Message(Speaker.AI, (Text(answer),)), (), True)]


def _reason(run: PinnedContext, origins: Sequence[int]) -> str:
    span = run.context.span(origins[0], origins[-1] + 1)
    return f"In the middle, {span}: the snapshot stands for it."
