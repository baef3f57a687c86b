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
from core.summarize.offline_summarizer import OfflineSummariser, read_facts
from core.summarize.summary_request import continuation_text
from core.transcript.boundaries import CutRequest, snap_cut, suffix_sums
from core.transcript.compaction import Cut, FateKind, FateStep, Split, Summary
from core.transcript.model import Message, Speaker, Text
from core.transcript.todos import active_todos
from core.transcript.tool_pairs import find_pairs

MIDDLE = "middle"
SNAPSHOT_SHARE = 0.35  # share of the target for the snapshot, not counting its rules
MAX_SNAPSHOT_TOKENS = 8000  # tokens
MIN_CLEAN_TAIL_SHARE = 0.75  # share of the tail that must remain if it begins at a user message instead
MIN_TAIL_SHARE = 0.25  # smallest share of the target for the tail, however many rules there are


@dataclass(frozen=True, slots=True)
class PinnedSummaryResult:
    """The draft, unchanged with ``split`` None. ``prose_tokens``: tokens reserved for the model's text."""

    draft: HistoryDraft
    split: Split | None = None
    summary: Summary | None = None
    prose_tokens: int = 0


def summarise_oldest(run: PinnedContext, draft: HistoryDraft) -> PinnedSummaryResult:
    """Summarise the oldest messages, so that snapshot, pinned messages and tail meet the target."""
    facts = read_facts(run.context.history)
    cut = _cut(run, draft, _tail_tokens(run, facts))
    before = [entry for entry in draft.entries if entry.origins[0] < cut.index]
    summarised = [entry for entry in before if run.is_changeable(entry.origins[0])]
    pinned = [entry for entry in before if not run.is_changeable(entry.origins[0])]
    if not summarised:
        return PinnedSummaryResult(draft)
    remaining = [*pinned, *draft.entries[len(before) :]]
    max_tokens = _snapshot_tokens(run, remaining)
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


def _tail_tokens(run: PinnedContext, facts: Facts) -> int:
    """Return the tokens left for the tail by the snapshot and the rules."""
    rules = sum(run.text_tokens(f"- {rule}\n") for rule in verbatim_summarizer.rules_in_force(facts))
    snapshot = min(int(run.target * SNAPSHOT_SHARE), MAX_SNAPSHOT_TOKENS)
    return max(int(run.target * MIN_TAIL_SHARE), run.target - snapshot - rules)


def _cut(run: PinnedContext, draft: HistoryDraft, max_tokens: int) -> Cut:
    """Return the cut at the first valid boundary after which the rest fits. It moves on to a user message
    where one is near. Pinned messages before it count as part of the rest; the newest turn stays however
    large it is. Its numbers are indices of the history."""
    messages, count = draft.messages, len(draft.entries)
    pairs = find_pairs(messages)
    pinned = [
        0 if run.is_changeable(entry.origins[0]) else run.tokens(entry.message) for entry in draft.entries
    ]
    sums = suffix_sums(messages, run.context.estimate_tokens)
    pinned_before = [0, *accumulate(pinned)]
    start = next(
        (position for position in range(count) if sums[position] + pinned_before[position] <= max_tokens),
        count,
    )
    last = next((position for position in range(count - 1, 0, -1) if pairs.valid[position]), 0)
    index = next((position for position in range(min(start, last), last + 1) if pairs.valid[position]), last)
    request_start = next(
        (
            position
            for position in range(index, last + 1)
            if pairs.valid[position] and is_request(messages[position])
        ),
        index,
    )
    if sums[request_start] < MIN_CLEAN_TAIL_SHARE * sums[index]:
        request_start = index
    request = CutRequest(
        "tail",
        _source_index(draft, start),
        f"newest {max_tokens:,} tokens",
        _source_index(draft, request_start),
        True,
        (0, draft.count),
        "the message of the person that is near, or the calls that results answer, move it",
        "Its own rule",
    )
    cut = snap_cut(request, run.pairs, safe=True, display_index=run.context.source_index)
    if cut is None:  # pragma: no cover - 0 and n are always valid
        raise AssertionError("no valid boundary")
    return cut


def _source_index(draft: HistoryDraft, position: int) -> int:
    """Return the history index of a position of the draft."""
    return draft.entries[position].origins[0] if position < len(draft.entries) else draft.count


def _snapshot_tokens(run: PinnedContext, remaining: Sequence[DraftEntry]) -> int:
    """Return the tokens of the snapshot: its share of the target, or more where the rest leaves it."""
    remaining_tokens = sum(run.tokens(entry.message) for entry in remaining)
    return min(MAX_SNAPSHOT_TOKENS, max(int(run.target * SNAPSHOT_SHARE), run.target - remaining_tokens))


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
            read_facts(originals),
            run.text_tokens,
            max_tokens,
            "\n".join(
                plain_text(message)
                for message in remaining_messages
                if message.speaker in (Speaker.HUMAN, Speaker.SYSTEM)
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
