"""Uses the room that the other steps leave below the target: names in masks, then the newest output."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.facts.sentences import tool_row
from core.strategies.draft import DraftEntry, HistoryDraft
from core.strategies.pinned.context import PinnedContext
from core.strategies.pinned.message_names import all_text, names_in
from core.strategies.pinned.output_masking import (
    CLIPPED,
    MASK_RULE,
    MIN_CLIP,
    SHORT_ARGUMENTS_RULE,
    clip_text,
    is_marked,
)
from core.strategies.presets.tool_results import find_results, result_text_at, with_text
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Message

_NAMES_PER_MASK = 8
_NAMES_SHARE = 0.5  # of the room


def fill_room(run: PinnedContext, draft: HistoryDraft) -> HistoryDraft:
    """Add the names that recur to masks, and give back newest output that was masked or cut, and long
    arguments, as far as the target has room."""
    draft = _with_names_in_masks(run, draft)
    room = run.target - run.total(draft)
    entries, steps = list(draft.entries), dict(draft.steps)
    for position, entry, rules in _changed_entries(draft):
        index = entry.origins[0]
        whole = run.context.history[index]
        gain = run.tokens(whole) - run.tokens(entry.message)
        if 0 < gain <= room:
            entries[position] = replace(entry, message=whole)
            del steps[index]
            room -= gain
        elif MASK_RULE in rules and room >= MIN_CLIP:
            clipped = _clipped_to(run, whole, run.tokens(entry.message) + room)
            if 0 < (gain := run.tokens(clipped) - run.tokens(entry.message)) <= room:
                entries[position] = replace(entry, message=clipped)
                steps[index] = (FateStep(MASK_RULE, FateKind.EDITED, CLIPPED),)
                room -= gain
    return replace(draft, entries=tuple(entries), steps=steps)


def _changed_entries(draft: HistoryDraft) -> Iterator[tuple[int, DraftEntry, set[str]]]:
    """Yield the entries that masks and short arguments alone changed, newest first, with their rules."""
    for position in range(len(draft.entries) - 1, -1, -1):
        entry = draft.entries[position]
        rules = {step.rule for index in entry.origins for step in draft.steps.get(index, ())}
        if rules and not entry.inserted and rules <= {MASK_RULE, SHORT_ARGUMENTS_RULE}:
            yield position, entry, rules


def _with_names_in_masks(run: PinnedContext, draft: HistoryDraft) -> HistoryDraft:
    """Let masks carry the names of their results that recur, and that nothing else has."""
    room = int((run.target - run.total(draft)) * _NAMES_SHARE)
    present = {name for message in draft.messages for name in names_in(all_text(message))}
    rank = {name: place for place, name in enumerate(run.recurring) if name not in present}
    entries = list(draft.entries)
    for position, entry, rules in _changed_entries(draft):
        if not rank or MASK_RULE not in rules:
            continue
        named = _named(run, run.context.history[entry.origins[0]], entry.message, rank)
        gain = run.tokens(named) - run.tokens(entry.message)
        if gain <= room:
            entries[position] = replace(entry, message=named)
            room -= gain
    return replace(draft, entries=tuple(entries))


def _named(run: PinnedContext, whole: Message, masked: Message, rank: dict[str, int]) -> Message:
    blocks = [result.block for result in find_results(run.context, (whole,))]
    for block in [-1] if not blocks and tool_row(whole)[0] else blocks:
        line = result_text_at(masked, block)
        if not is_marked(line) or not line.endswith("]"):
            continue
        found = {name for name in names_in(result_text_at(whole, block)) if name in rank}
        names = sorted(found, key=rank.__getitem__)[:_NAMES_PER_MASK]
        if names:
            masked = with_text(masked, block, f"{line[:-1]}; names: {', '.join(names)}]")
        for name in names:
            del rank[name]
    return masked


def _clipped_to(run: PinnedContext, message: Message, tokens: int) -> Message:
    """Return a message whose only result keeps its beginning and its end; unchanged with several."""
    [*results] = find_results(run.context, (message,))
    if len(results) != 1:
        return message
    [result] = results
    share = tokens - (run.tokens(message) - result.tokens)
    text = clip_text(result_text_at(message, result.block), result.tokens, share)
    return with_text(message, result.block, text) if share >= MIN_CLIP else message
