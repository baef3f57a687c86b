"""Replaces the oldest messages by a verbatim summary of their facts, up to a clean boundary; a
model may add decisions and the next step in its own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from core.facts.sentences import DIGEST_TITLE, plain_text
from core.llm.chat_messages import human_text
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.settings.keys import PINNED_PROSE
from core.settings.profile import OFFLINE
from core.settings.prompts.placeholders import fill_placeholders
from core.strategies.base import StrategyContext
from core.strategies.draft import DraftEntry, HistoryDraft
from core.strategies.helpers import ask_summariser, call_record, no_op_if_larger
from core.strategies.pinned.message_names import absent_names
from core.strategies.pinned.pinned_input import PinnedInput, is_request
from core.summarize.earlier_summary import read_snapshot
from core.summarize.offline_summariser import OfflineSummariser
from core.summarize.summary_lines import (
    INSTRUCTION_RANK,
    CandidateLine,
    Snapshot,
    name_lines,
    slot_lines,
)
from core.summarize.summary_request import CLOSING_REQUEST, continuation_text
from core.summarize.summary_sections import SnapshotSlot
from core.transcript.boundaries import CutRequest, snap_cut
from core.transcript.compaction import Compaction, Cut, FateKind, FateStep, Split, Summary
from core.transcript.model import Message, Speaker, Text
from core.transcript.todos import active_todos
from core.transcript.tool_pairs import find_pairs

MIDDLE = "middle"
SNAPSHOT_SHARE = 0.45  # of the target for the snapshot, more where the person said more
MAX_SNAPSHOT_SHARE = 0.9
MAX_SNAPSHOT_TOKENS = 8000  # tokens
MIN_CLEAN_TAIL_SHARE = (
    0.75  # share of the tail that must remain if it begins at a user message instead
)
_SHARES = {
    SnapshotSlot.RULES: 0.6,
    SnapshotSlot.REQUESTS: 0.9,
    SnapshotSlot.CURRENT: 0.15,
    SnapshotSlot.TODOS: 0.15,
    SnapshotSlot.NAMES: 0.3,
    SnapshotSlot.ERRORS: 0.1,
    SnapshotSlot.FILES: 0.2,
    SnapshotSlot.GOAL: 0.1,
    SnapshotSlot.READS: 0.1,
    SnapshotSlot.COMMANDS: 0.1,
    SnapshotSlot.QUESTIONS: 0.05,
}
"""Shares of the snapshot, in the order in which it is filled: the words of the person come
first."""


@dataclass(frozen=True, slots=True)
class PinnedSummaryResult:
    """The draft, unchanged with ``split`` None. ``prose_tokens``: tokens reserved for the model's
    text."""

    draft: HistoryDraft
    split: Split | None = None
    summary: Summary | None = None
    prose_tokens: int = 0


def summarise_oldest(run: PinnedInput, draft: HistoryDraft) -> PinnedSummaryResult:
    """Summarise the oldest messages, so that snapshot, pinned messages and tail meet the target.
    The tail gets what the snapshot of a first cut leaves, and the snapshot what the tail leaves."""
    most = _snapshot_tokens(run)
    boundaries = _boundaries(run, draft)
    first = _older_part(run, draft, _cut(run, draft, boundaries, run.target - most))
    found = _summarised(run, draft, first, most)
    if found.summary is None or found.split is None or run.total(found.draft) >= run.target:
        return found
    size = run.text_tokens(found.summary.text) + found.prose_tokens
    second_cut = _cut(run, draft, boundaries, run.target - size)
    is_same = second_cut.index == first.cut.index
    second = replace(first, cut=second_cut) if is_same else _older_part(run, draft, second_cut)
    fuller, chosen = _summarised(run, draft, second, size), first
    if fuller.split is not None and run.total(fuller.draft) <= run.target:
        found, chosen = fuller, second
    room = run.target - run.total(found.draft)
    filled = _summarised(run, draft, chosen, size + room, with_instructions=True)
    return filled if run.total(filled.draft) <= run.target else found


def _snapshot_tokens(run: PinnedInput) -> int:
    """Return the most tokens of a snapshot: what the person said comes before the tail, what files
    instruct does not."""
    if int(run.target * SNAPSHOT_SHARE) >= MAX_SNAPSHOT_TOKENS:
        return MAX_SNAPSHOT_TOKENS  # whatever the person said
    lines = slot_lines(
        read_snapshot(run.context.history, run.context.progress, with_names=False), ""
    )
    both = (*lines[SnapshotSlot.RULES], *lines[SnapshotSlot.REQUESTS])
    said = [line.text for line in both if line.rank < INSTRUCTION_RANK]
    titles = [f"{slot.title}:" for slot in SnapshotSlot if lines[slot]]
    needed = run.text_tokens("\n".join((DIGEST_TITLE, *titles, *said)))
    most = max(run.target * SNAPSHOT_SHARE, min(needed, run.target * MAX_SNAPSHOT_SHARE))
    return min(int(most), MAX_SNAPSHOT_TOKENS)


@dataclass(frozen=True, slots=True)
class _OlderPart:
    """What is before a cut without the pinned messages, and what is left. ``said``: the words of
    the person that are left; ``names``: the names that recur and are not."""

    cut: Cut
    summarised: Sequence[DraftEntry]
    remaining: Sequence[DraftEntry]
    snapshot: Snapshot
    said: str
    names: Sequence[str]


def _older_part(run: PinnedInput, draft: HistoryDraft, cut: Cut) -> _OlderPart:
    before = [entry for entry in draft.entries if entry.origins[0] < cut.index]
    summarised = [entry for entry in before if entry.origins[0] not in run.unchangeable]
    pinned = [entry for entry in before if entry.origins[0] in run.unchangeable]
    remaining = [*pinned, *draft.entries[len(before) :]]
    messages = [entry.message for entry in remaining]
    removed = [run.context.history[index] for entry in summarised for index in entry.origins]
    # names that recur are chosen from the whole history
    snapshot = read_snapshot(removed, run.context.progress, with_names=False)
    spoken = (message for message in messages if message.speaker in (Speaker.HUMAN, Speaker.SYSTEM))
    said = "\n".join(map(plain_text, spoken))
    names = absent_names(run, remaining)
    return _OlderPart(cut, summarised, remaining, snapshot, said, names)


def _summarised(
    run: PinnedInput,
    draft: HistoryDraft,
    part: _OlderPart,
    max_tokens: int,
    *,
    with_instructions: bool = False,
) -> PinnedSummaryResult:
    """Summarise what is before a cut in at most ``max_tokens`` tokens."""
    summarised, remaining = part.summarised, part.remaining
    if not summarised:
        return PinnedSummaryResult(draft)
    prose = prose_budget(run.context, max_tokens)
    todos = run.context.todos or active_todos(run.context.history)
    summary = _write_summary(
        run, part, max_tokens - prose, todos, with_instructions=with_instructions
    )
    origins = tuple(sorted(index for entry in summarised for index in entry.origins))
    top = [DraftEntry(human_text(summary.text), origins, True)]
    if remaining and remaining[0].message.speaker is Speaker.HUMAN:
        top.append(
            DraftEntry(
                Message(speaker=Speaker.AI, blocks=(Text(continuation_text(todos)),)), (), True
            )
        )
    span = run.context.span(origins[0], origins[-1] + 1)
    reason = f"In the middle, {span}: the snapshot stands for it."
    step = FateStep(MIDDLE, FateKind.SUMMARISED, reason)
    steps = {**draft.steps, **{index: (*draft.steps.get(index, ()), step) for index in origins}}
    return PinnedSummaryResult(
        replace(draft, entries=(*top, *remaining), steps=steps),
        Split(0, len(summarised), len(remaining), (part.cut,)),
        Summary(summary.text, OFFLINE, OfflineSummariser.model, summary.sections),
        prose,
    )


@dataclass(frozen=True, slots=True)
class _Boundaries:
    """Of each boundary of a draft: whether it is valid, the tokens after it, those of pinned
    messages before it."""

    valid: bytes
    after: Sequence[int]
    pinned_before: Sequence[int]


def _boundaries(run: PinnedInput, draft: HistoryDraft) -> _Boundaries:
    sizes = [run.tokens(entry.message) for entry in draft.entries]
    after = [*accumulate(reversed(sizes), initial=0)][::-1]
    pinned = (
        size if entry.origins[0] in run.unchangeable else 0
        for entry, size in zip(draft.entries, sizes, strict=True)
    )
    return _Boundaries(find_pairs(draft.messages).valid, after, [*accumulate(pinned, initial=0)])


def _cut(run: PinnedInput, draft: HistoryDraft, boundaries: _Boundaries, max_tokens: int) -> Cut:
    """Return the cut at the first valid boundary after which the rest fits. It moves on to a user
    message where one is near. Pinned messages before it count as part of the rest; the newest turn
    stays however large it is. Its numbers are indices of the history."""
    entries, count, valid, sums = (
        draft.entries,
        len(draft.entries),
        boundaries.valid,
        boundaries.after,
    )
    fits = (at for at in range(count) if sums[at] + boundaries.pinned_before[at] <= max_tokens)
    start = next(fits, count)
    last = next((at for at in range(count - 1, 0, -1) if valid[at]), 0)
    index = next((at for at in range(min(start, last), last + 1) if valid[at]), last)
    requests = (
        at for at in range(index, last + 1) if valid[at] and is_request(entries[at].message)
    )
    request_start = next(requests, index)
    if sums[request_start] < MIN_CLEAN_TAIL_SHARE * sums[index]:
        request_start = index
    sources = [*(entry.origins[0] for entry in entries), draft.count]
    request = CutRequest(
        name="tail",
        requested=sources[start],
        requested_detail=f"newest {max_tokens:,} tokens",
        reference=sources[request_start],
        keep_low=True,
        allowed=(0, draft.count),
        moved_reason="the message of the person that is near, or the calls that results answer, move it",
        rule="Its own rule",
    )
    cut = snap_cut(request, run.pairs, safe=True, display_index=run.context.source_index)
    assert cut is not None  # 0 and n are always valid
    return cut


def _write_summary(
    run: PinnedInput, part: _OlderPart, max_tokens: int, todos: str, *, with_instructions: bool
) -> SummaryResponse:
    """Write the removed entries: what the person said and the names that recur, where nothing that
    is left says them; what files instruct only in the room that all this leaves."""
    context = run.context
    lines = slot_lines(part.snapshot, "", todos=todos, focus=context.focus, budget=max_tokens)
    for slot in (SnapshotSlot.RULES, SnapshotSlot.REQUESTS, SnapshotSlot.GOAL):
        lines[slot] = [line for line in lines[slot] if _words(line) not in part.said]
    lines[SnapshotSlot.NAMES] = list(name_lines(part.names))
    rules = lines[SnapshotSlot.RULES]
    lines[SnapshotSlot.RULES] = [line for line in rules if line.rank < INSTRUCTION_RANK]
    summariser = OfflineSummariser(run.text_tokens)
    written = summariser.digest(lines, context.transcript, max_tokens, _SHARES)
    if not with_instructions:
        return written
    instructions = [line for line in rules if line.rank >= INSTRUCTION_RANK]
    sizes = accumulate(run.text_tokens(f"{line.text}\n") for line in instructions)
    room = max_tokens - run.text_tokens(written.text)
    fitting = [line for line, size in zip(instructions, sizes, strict=True) if size <= room]
    lines[SnapshotSlot.RULES] = [*lines[SnapshotSlot.RULES], *fitting]
    return summariser.digest(lines, context.transcript, max_tokens, _SHARES) if fitting else written


def _words(line: CandidateLine) -> str:
    return line.text.removeprefix("- ")


PROMPT = "pinned-prose"
SECTION = "Decisions and next step"
MAX_PROSE_TOKENS = (
    400  # largest budget in tokens of the model's text; at most SHARE of a small snapshot
)
PROSE_SHARE = 0.2
_PURPOSE = "decisions and next step"


def prose_budget(context: StrategyContext, snapshot: int) -> int:
    """Return the model's tokens in a snapshot; 0 if off or offline. Raises InputError."""
    if (
        not context.values.flag(PINNED_PROSE)
        or context.summariser(context.profile).profile == OFFLINE
    ):
        return 0
    return max(1, min(MAX_PROSE_TOKENS, int(snapshot * PROSE_SHARE)))


def call_price(context: StrategyContext, compaction: Compaction, tokens: int) -> float:
    """Return the price of the call in units of one fresh input token of the conversation's
    model."""
    if not tokens:
        return 0.0
    summarised = [context.history[index] for index in _summarised_indices(compaction)]
    return context.estimate_tokens(summarised) + context.cache.output * tokens


def with_prose(context: StrategyContext, compaction: Compaction, tokens: int) -> Compaction:
    """Append the model's lines to the snapshot; unchanged without a budget or a snapshot."""
    if not tokens or compaction.no_op is not None or compaction.summary is None:
        return compaction
    indices, summary = _summarised_indices(compaction), compaction.summary
    request = SummaryRequest(
        prompt=fill_placeholders(
            context.prompt, {"max_tokens": str(tokens), "focus": context.focus}
        ),
        messages=tuple(context.history[index] for index in indices),
        indices=indices,
        trigger=CLOSING_REQUEST,
        max_tokens=tokens,
        todos=context.todos or active_todos(context.history),
        transcript="",
        focus=context.focus,
        purpose=_PURPOSE,
        is_addition=True,
        prompt_name=context.prompt_name,
    )
    summariser, response = ask_summariser(context, compaction.metadata.strategy_used, request)
    text = f"{summary.text}\n{SECTION}:\n{_lines(response.text)}"
    summary_index = min(compaction.inserted)
    snapshot = compaction.messages[summary_index]
    messages = list(compaction.messages)
    messages[summary_index] = replace(snapshot, blocks=(Text(text),))
    sections = (*summary.sections, SECTION)
    result = replace(
        compaction,
        messages=tuple(messages),
        metadata=replace(compaction.metadata, llm_call_made=True),
        summary=Summary(text, summariser.profile, summariser.model, sections),
        calls=(call_record(context, request, summariser, response, _PURPOSE),),
        warnings=(*compaction.warnings, *response.warnings),
        budgets={summary_index: context.estimate_tokens((snapshot,)) + tokens},
    )
    return no_op_if_larger(context, result)


def _summarised_indices(compaction: Compaction) -> tuple[int, ...]:
    return compaction.origins[min(compaction.inserted)] if compaction.inserted else ()


def _lines(text: str) -> str:
    """Return one point per line, so that no line can be read as a heading of the summary."""
    points = (line.strip().removeprefix("- ").strip() for line in text.splitlines())
    return "\n".join(f"- {line}" for line in points if line)
