"""Names that a history uses again and again, or used last, and the masks that carry them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.facts.name_patterns import names_in
from core.facts.searched_text import searchable_text
from core.facts.sentences import tool_row
from core.strategies.draft import DraftEntry, HistoryDraft
from core.strategies.pinned.output_masking import MASK_RULE, is_marked
from core.strategies.pinned.pinned_input import PinnedInput
from core.strategies.presets.tool_results import find_results, result_text_at, with_text
from core.transcript.model import Message, Progress, no_progress

MAX_NAMES = 800  # of a history
_MAX_SEARCHED = 20_000  # characters of one message
_MIN_LENGTH, _MAX_LENGTH = 4, 120  # characters
_MIN_MESSAGES = 3  # that use a name, or one of the newest
_NEWEST_SHARE = 0.1  # of the messages
_NAMES_PER_MASK = 8


def message_names(text: str) -> Iterator[str]:
    """Yield the names of a text that are worth a place in a mask."""
    for name in names_in(text[:_MAX_SEARCHED]):
        if _MIN_LENGTH <= len(name.text) <= _MAX_LENGTH:
            yield name.text


def recurring_names(
    messages: Sequence[Message], progress: Progress = no_progress
) -> dict[str, Sequence[int]]:
    """Return the names that several messages use, or that the newest use, most used and newest
    first, with the messages that use them."""
    used: dict[str, array[int]] = {}
    for index, message in enumerate(messages):
        progress(0.0, "Looking for names")
        for name in set(message_names(searchable_text(message))):
            used.setdefault(name, array("L")).append(index)
    newest = len(messages) * (1 - _NEWEST_SHARE)
    chosen = (
        name for name, users in used.items() if len(users) >= _MIN_MESSAGES or users[-1] >= newest
    )
    ranked = sorted(
        chosen, key=lambda name: (-len(used[name]) * (0.3 + used[name][-1] / len(messages)), name)
    )
    return {name: used[name] for name in ranked[:MAX_NAMES]}


def with_names_in_masks(run: PinnedInput, draft: HistoryDraft) -> HistoryDraft:
    """Let masks carry the names of their results that recur and that nothing else has, as far as
    the target has room; the newest masks first."""
    room = run.target - run.total(draft)
    if room <= 0:
        return draft
    present = _present_names(run, draft)
    rank = {name: number for number, name in enumerate(run.recurring) if name not in present}
    entries = list(draft.entries)
    for index in range(len(entries) - 1, -1, -1):
        if not rank or room <= 0:
            break
        entry = entries[index]
        if not _is_masked(draft, entry):
            continue
        named = _named(run, run.context.history[entry.origins[0]], entry.message, rank)
        gain = run.tokens(named) - run.tokens(entry.message)
        if 0 < gain <= room:
            entries[index] = replace(entry, message=named)
            room -= gain
    return replace(draft, entries=tuple(entries))


def _present_names(run: PinnedInput, draft: HistoryDraft) -> set[str]:
    """Return the recurring names that messages of the draft use, and others; only those that a
    stage changed or wrote are searched again."""
    whole = _whole_messages(run, draft.entries)
    present = {name for name, users in run.recurring.items() if not whole.isdisjoint(users)}
    for entry in draft.entries:
        if not _is_whole(run, entry):
            present.update(message_names(searchable_text(entry.message)))
    return present


def _is_whole(run: PinnedInput, entry: DraftEntry) -> bool:
    return len(entry.origins) == 1 and entry.message is run.context.history[entry.origins[0]]


def _whole_messages(run: PinnedInput, entries: Sequence[DraftEntry]) -> set[int]:
    """Return the messages of the history that entries hold as they were."""
    return {entry.origins[0] for entry in entries if _is_whole(run, entry)}


def absent_names(run: PinnedInput, entries: Sequence[DraftEntry]) -> list[str]:
    """Return the recurring names that stand nowhere in the entries."""
    whole = _whole_messages(run, entries)
    unused = [name for name, users in run.recurring.items() if whole.isdisjoint(users)]
    texts = "\n".join(searchable_text(entry.message) for entry in entries) if unused else ""
    return [name for name in unused if name not in texts]


def _is_masked(draft: HistoryDraft, entry: DraftEntry) -> bool:
    rules = {step.rule for index in entry.origins for step in draft.steps.get(index, ())}
    return not entry.inserted and MASK_RULE in rules


def _named(run: PinnedInput, whole: Message, masked: Message, rank: dict[str, int]) -> Message:
    blocks = [result.block for result in find_results(run.context, (whole,))]
    for block in [-1] if not blocks and tool_row(whole)[0] else blocks:
        line = result_text_at(masked, block)
        if not is_marked(line) or not line.endswith("]"):
            continue
        found = {name for name in message_names(result_text_at(whole, block)) if name in rank}
        names = sorted(found, key=rank.__getitem__)[:_NAMES_PER_MASK]
        if names:
            masked = with_text(masked, block, f"{line[:-1]}; names: {', '.join(names)}]")
        for name in names:
            del rank[name]
    return masked
