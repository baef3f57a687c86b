"""The middle that still has to go, as a ledger of its facts; the tail stays from a clean boundary on."""

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
SNAPSHOT = 0.35
"""Share of the target that the snapshot may take, the rules in it apart."""

MOST_SNAPSHOT = 8000  # tokens
CLEAN = 0.75
"""Share of the tail that has to be left for it to begin at a message of the person instead."""

LEAST_TAIL = 0.25
"""Share of the target that the tail keeps, however many rules there are."""


@dataclass(frozen=True, slots=True)
class PinnedSummaryResult:
    """The draft with its middle folded, or as it was with ``split`` None. ``prose``: tokens of the snapshot
    that are left to a model."""

    draft: HistoryDraft
    split: Split | None = None
    summary: Summary | None = None
    prose: int = 0


def summarise_oldest(bench: PinnedContext, draft: HistoryDraft) -> PinnedSummaryResult:
    """Fold the oldest messages, so that snapshot, pinned messages and tail meet the target."""
    facts = read(bench.context.history, known=bench.memory.whole)
    cut = _cut(bench, draft, _tail_room(bench, facts))
    before = [entry for entry in draft.entries if entry.origins[0] < cut.index]
    gone = [entry for entry in before if bench.is_free(entry.origins[0])]
    stay = [entry for entry in before if not bench.is_free(entry.origins[0])]
    if not gone:
        return PinnedSummaryResult(draft)
    rest = [*stay, *draft.entries[len(before) :]]
    most = _snapshot_room(bench, rest)
    prose = prose_budget(bench.context, most)
    written = _written(bench, facts, gone, rest, most - prose)
    origins = tuple(sorted(index for entry in gone for index in entry.origins))
    top = DraftEntry(Message(Speaker.HUMAN, (Text(written.text),)), origins, True)
    step = FateStep(MIDDLE, FateKind.SUMMARISED, _reason(bench, origins))
    steps = {**draft.steps, **{index: (*draft.steps.get(index, ()), step) for index in origins}}
    return PinnedSummaryResult(
        replace(draft, entries=(top, *_acknowledged(bench, rest), *rest), steps=steps),
        Split(0, len(gone), len(rest), (cut,)),
        Summary(written.text, OFFLINE, OfflineSummariser.model, written.sections),
        prose,
    )


def _tail_room(bench: PinnedContext, facts: Facts) -> int:
    """Tokens of the tail: what snapshot, rules and messages kept whole before it leave of the target."""
    rules = sum(bench.text_tokens(f"- {rule}\n") for rule in verbatim_summarizer.rules_in_force(facts))
    snapshot = min(int(bench.target * SNAPSHOT), MOST_SNAPSHOT)
    return max(int(bench.target * LEAST_TAIL), bench.target - snapshot - rules)


def _cut(bench: PinnedContext, draft: HistoryDraft, room: int) -> Cut:
    """The first valid boundary behind which everything fits, moved on to a message of the person where
    one is near. Whole messages before it take from its room; the newest turn stays however large it is.
    Its numbers are places in the history."""
    messages, count = draft.messages, len(draft.entries)
    pairs = find_pairs(messages)
    extra = [0 if bench.is_free(entry.origins[0]) else bench.tokens(entry.message) for entry in draft.entries]
    sums = suffix_sums(messages, bench.context.estimate_tokens)
    before = [0, *accumulate(extra)]
    asked = next((at for at in range(count) if sums[at] + before[at] <= room), count)
    last = next((at for at in range(count - 1, 0, -1) if pairs.valid[at]), 0)
    index = next((at for at in range(min(asked, last), last + 1) if pairs.valid[at]), last)
    clean = next((at for at in range(index, last + 1) if pairs.valid[at] and is_request(messages[at])), index)
    if sums[clean] < CLEAN * sums[index]:
        clean = index
    wish = CutRequest(
        "tail",
        _place(draft, asked),
        f"newest {room:,} tokens",
        _place(draft, clean),
        True,
        (0, draft.count),
        "the message of the person that is near, or the calls that results answer, move it",
        "Its own rule",
    )
    found = snap_cut(wish, bench.pairs, safe=True, place=bench.context.source_of)
    if found is None:  # pragma: no cover - 0 and n are always valid
        raise AssertionError("no valid boundary")
    return found


def _place(draft: HistoryDraft, position: int) -> int:
    """Where in the history a position of the draft lies."""
    return draft.entries[position].origins[0] if position < len(draft.entries) else draft.count


def _snapshot_room(bench: PinnedContext, rest: Sequence[DraftEntry]) -> int:
    """Tokens of the snapshot: its share of the target, or what the rest leaves of that."""
    taken = sum(bench.tokens(entry.message) for entry in rest)
    return min(MOST_SNAPSHOT, max(int(bench.target * SNAPSHOT), bench.target - taken))


def _written(
    bench: PinnedContext, facts: Facts, gone: Sequence[DraftEntry], rest: Sequence[DraftEntry], most: int
) -> verbatim_summarizer.VerbatimSummary:
    """The ledger of what goes, with the rules and names of the whole history that stand nowhere else."""
    context = bench.context
    originals = [context.history[index] for entry in gone for index in entry.origins]
    kept = [entry.message for entry in rest]
    return verbatim_summarizer.write_summary(
        verbatim_summarizer.VerbatimSummaryInput(
            facts,
            read(originals, known=bench.memory.gone),
            bench.text_tokens,
            most,
            "\n".join(plain_text(one) for one in kept if one.speaker in (Speaker.HUMAN, Speaker.SYSTEM)),
            "\n".join(map(all_text, kept)),
            context.todos or active_todos(context.history),
            context.focus,
            context.transcript,
        )
    )


def _acknowledged(bench: PinnedContext, rest: Sequence[DraftEntry]) -> list[DraftEntry]:
    """An answer of the model where a message of the person would follow the snapshot."""
    if not rest or rest[0].message.speaker is not Speaker.HUMAN:
        return []
    answer = continuation_text(bench.context.todos or active_todos(bench.context.history))
    return [DraftEntry(Message(Speaker.AI, (Text(answer),)), (), True)]


def _reason(bench: PinnedContext, origins: Sequence[int]) -> str:
    span = bench.context.span(origins[0], origins[-1] + 1)
    return f"In the middle, {span}: the snapshot stands for it."
