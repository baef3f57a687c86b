"""The three tiers as ion runs them, faults included (ion spec sections 1.2 to 1.6)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace

from core.settings.keys import KEEP_OUTPUT, MAX_OUTPUT, PROTECTED
from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, begin_draft, finish_compaction, with_edited, with_replaced
from core.strategies.helpers import single_fate
from core.strategies.tiered.ion_texts import REMOVED, removed_placeholder, truncated_output, wrapped_summary
from core.strategies.tiered.summary_call import ask_for_summary, request_for
from core.strategies.tiered.tool_outputs import (
    OutputSizes,
    output_text,
    protected_start,
    with_blocks,
    with_content,
)
from core.transcript.boundaries import CutRequest, snap_cut
from core.transcript.compaction import Compaction, FateKind, FateStep, Split, Summary, TierOutcome
from core.transcript.model import Block, Message, Speaker, Text, ToolResponse
from core.transcript.tool_pairs import find_pairs

TRUNCATE, REMOVE, SUMMARISE = "truncate", "remove", "summarise"
"""The names of the tiers."""

_Change = Callable[[Message, ToolResponse], str | None]
"""The new text of an output; None where the tier does not look at it."""


def reference_share(room: int, fraction: float) -> int:
    """A share of the room in tokens, with the 32-bit floats of the reference."""
    return int(_single(_single(room) * _single(fraction)))


def _single(number: float) -> float:
    return float(struct.unpack("f", struct.pack("f", number))[0])


@dataclass(frozen=True, slots=True)
class PrunedDraft:
    """What the first two tiers made of a history; ``tokens`` after them."""

    draft: HistoryDraft
    tiers: tuple[TierOutcome, ...]
    tokens: int


def prune_tiers(context: StrategyContext, target: int) -> PrunedDraft:
    """Tiers 1 and 2; neither runs at or under the target. A tier lists also what it left as it was."""
    draft = begin_draft(context.history)
    before = context.estimate_tokens(context.history)
    if before <= target:
        return PrunedDraft(draft, (), before)
    draft, first = _truncate(context, draft)
    if first.tokens <= target:
        return PrunedDraft(draft, (first,), first.tokens)
    draft, second = _remove(context, draft)
    return PrunedDraft(draft, (first, second), second.tokens)


def compress(context: StrategyContext, strategy: str, target: int) -> Compaction:
    """The whole pipeline for a history above the target; what fails leaves what the tiers before it made."""
    pruned = prune_tiers(context, target)
    history = context.history
    end = protected_start(history, context.values.whole(PROTECTED))
    draft, tiers = pruned.draft, pruned.tiers
    run, budgets = None, {}
    if pruned.tokens > target and end:
        request = request_for(context, draft.messages[:end], end)
        run = ask_for_summary(context, strategy, request, strict=False)
        if run.answer is not None:
            step = FateStep(
                SUMMARISE, FateKind.SUMMARISED, "Before the protected messages: the summary stands."
            )
            stands = Message(Speaker.HUMAN, (Text(wrapped_summary(run.answer.text)),))
            draft, budgets = with_replaced(draft, 0, end, (stands,), step), {0: request.max_tokens}
        tokens = context.estimate_tokens(draft.messages)
        done = tuple(range(end)) if run.answer is not None else ()
        tiers = (*tiers, TierOutcome(3, SUMMARISE, tokens, done, run.fault))
    kept = single_fate(FateKind.KEPT, "kept", "No tier changed it.")
    called = run is not None and run.call is not None
    made = finish_compaction(context, draft, strategy, {}, kept, llm_call_made=called)
    if run is None:
        return replace(made, split=_split(context, end), target=target, tiers=tiers)
    answer = run.answer
    return replace(
        made,
        split=_split(context, end),
        target=target,
        tiers=tiers,
        summary=None if answer is None else Summary(answer.text, run.profile, run.model, answer.sections),
        calls=() if run.call is None else (run.call,),
        warnings=(run.fault,) if run.fault else () if answer is None else answer.warnings,
        budgets=budgets,
        protected=tuple(range(end, len(history))),
    )


def _split(context: StrategyContext, end: int) -> Split:
    count = len(context.history)
    keep = context.values.whole(PROTECTED)
    wish = CutRequest("cut", end, f"keep the newest {keep}", end, True, (0, count))
    cut = snap_cut(wish, find_pairs(context.history), safe=False, place=context.source_of)
    assert cut is not None
    return Split(0, end, count - end, (cut,))


def _truncate(context: StrategyContext, draft: HistoryDraft) -> tuple[HistoryDraft, TierOutcome]:
    most, keep = context.values.whole(MAX_OUTPUT), context.values.whole(KEEP_OUTPUT)
    sizes = OutputSizes(context.estimate_tokens)

    def change(message: Message, block: ToolResponse) -> str | None:
        return truncated_output(output_text(block), keep) if sizes.block(message, block) > most else None

    step = FateStep(TRUNCATE, FateKind.EDITED, f"An output of more than {most:,} tokens.")
    return _edit(context, draft, len(draft.entries), (1, step), change)


def _remove(context: StrategyContext, draft: HistoryDraft) -> tuple[HistoryDraft, TierOutcome]:
    def change(message: Message, block: ToolResponse) -> str | None:
        text = output_text(block)
        return None if text.startswith(REMOVED) else removed_placeholder(text)

    end = protected_start(context.history, context.values.whole(PROTECTED))
    step = FateStep(REMOVE, FateKind.EDITED, "An output before the protected messages.")
    return _edit(context, draft, end, (2, step), change)


def _edit(
    context: StrategyContext, draft: HistoryDraft, end: int, tier: tuple[int, FateStep], change: _Change
) -> tuple[HistoryDraft, TierOutcome]:
    """A tier over the tool messages before ``end``; what it looked at counts even where it stays the same."""
    number, step = tier
    changes: dict[int, tuple[Message, FateStep]] = {}
    looked: list[int] = []
    for place in range(end):
        message = draft.entries[place].message
        new = _outputs(message, change)
        if new:
            looked.append(place)
            made = with_blocks(message, new)
            if made != message:
                changes[place] = (made, step)
    draft = with_edited(draft, changes)
    return draft, TierOutcome(number, step.rule, context.estimate_tokens(draft.messages), tuple(looked))


def _outputs(message: Message, change: _Change) -> dict[int, Block]:
    """The outputs of a tool message that a change looks at, with their new texts."""
    if message.speaker is not Speaker.TOOL:
        return {}
    found: dict[int, Block] = {}
    for place, block in enumerate(message.blocks):
        text = change(message, block) if isinstance(block, ToolResponse) else None
        if isinstance(block, ToolResponse) and text is not None:
            found[place] = with_content(block, text)
    return found
