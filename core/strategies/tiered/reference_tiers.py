"""The three tiers exactly as in ion, faults included (ion spec sections 1.2 to 1.6)."""

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


_Change = Callable[[Message, ToolResponse], str | None]
"""Returns the new text of an output, None where the tier skips it."""


def reference_share(room: int, fraction: float) -> int:
    """Return a share of the room in tokens, computed with the reference's 32-bit floats."""
    return int(_float32(_float32(room) * _float32(fraction)))


def _float32(number: float) -> float:
    return float(struct.unpack("f", struct.pack("f", number))[0])


@dataclass(frozen=True, slots=True)
class PrunedDraft:
    """The draft after the first two tiers, with its ``tokens``."""

    draft: HistoryDraft
    tiers: tuple[TierOutcome, ...]
    tokens: int


def prune_tiers(context: StrategyContext, target: int) -> PrunedDraft:
    """Run tiers 1 and 2 while above the target; a tier also lists the messages that it left unchanged."""
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
    """Run all tiers on a history above the target; after a failed summary the first two tiers remain."""
    pruned = prune_tiers(context, target)
    history = context.history
    end = protected_start(history, context.values.integer(PROTECTED))
    draft, tiers = pruned.draft, pruned.tiers
    attempt, budgets = None, {}
    if pruned.tokens > target and end:
        request = request_for(context, draft.messages[:end], end)
        attempt = ask_for_summary(context, strategy, request, strict=False)
        if attempt.answer is not None:
            step = FateStep(
                SUMMARISE, FateKind.SUMMARISED, "Before the protected messages: the summary stands."
            )
            summary_message = Message(Speaker.HUMAN, (Text(wrapped_summary(attempt.answer.text)),))
            draft, budgets = with_replaced(draft, 0, end, (summary_message,), step), {0: request.max_tokens}
        tokens = context.estimate_tokens(draft.messages)
        summarised = tuple(range(end)) if attempt.answer is not None else ()
        tiers = (*tiers, TierOutcome(3, SUMMARISE, tokens, summarised, attempt.fault))
    default_fate = single_fate(FateKind.KEPT, "kept", "No tier changed it.")
    llm_call_made = attempt is not None and attempt.call is not None
    compaction = finish_compaction(context, draft, strategy, {}, default_fate, llm_call_made=llm_call_made)
    if attempt is None:
        return replace(compaction, split=_split(context, end), target=target, tiers=tiers)
    answer = attempt.answer
    return replace(
        compaction,
        split=_split(context, end),
        target=target,
        tiers=tiers,
        summary=None
        if answer is None
        else Summary(answer.text, attempt.profile, attempt.model, answer.sections),
        calls=() if attempt.call is None else (attempt.call,),
        warnings=(attempt.fault,) if attempt.fault else () if answer is None else answer.warnings,
        budgets=budgets,
        protected=tuple(range(end, len(history))),
    )


def _split(context: StrategyContext, end: int) -> Split:
    count = len(context.history)
    keep = context.values.integer(PROTECTED)
    request = CutRequest("cut", end, f"keep the newest {keep}", end, True, (0, count))
    cut = snap_cut(request, find_pairs(context.history), safe=False, display_index=context.source_index)
    assert cut is not None
    return Split(0, end, count - end, (cut,))


def _truncate(context: StrategyContext, draft: HistoryDraft) -> tuple[HistoryDraft, TierOutcome]:
    max_tokens, keep = context.values.integer(MAX_OUTPUT), context.values.integer(KEEP_OUTPUT)
    sizes = OutputSizes(context.estimate_tokens)

    def change(message: Message, block: ToolResponse) -> str | None:
        return (
            truncated_output(output_text(block), keep)
            if sizes.block_tokens(message, block) > max_tokens
            else None
        )

    step = FateStep(TRUNCATE, FateKind.EDITED, f"An output of more than {max_tokens:,} tokens.")
    return _edit(context, draft, len(draft.entries), (1, step), change)


def _remove(context: StrategyContext, draft: HistoryDraft) -> tuple[HistoryDraft, TierOutcome]:
    def change(message: Message, block: ToolResponse) -> str | None:
        text = output_text(block)
        return None if text.startswith(REMOVED) else removed_placeholder(text)

    end = protected_start(context.history, context.values.integer(PROTECTED))
    step = FateStep(REMOVE, FateKind.EDITED, "An output before the protected messages.")
    return _edit(context, draft, end, (2, step), change)


def _edit(
    context: StrategyContext, draft: HistoryDraft, end: int, tier: tuple[int, FateStep], change: _Change
) -> tuple[HistoryDraft, TierOutcome]:
    """Apply a tier to the tool messages before ``end``; every message that it read counts as touched."""
    number, step = tier
    changes: dict[int, tuple[Message, FateStep]] = {}
    touched: list[int] = []
    for place in range(end):
        message = draft.entries[place].message
        new = _changed_outputs(message, change)
        if new:
            touched.append(place)
            edited = with_blocks(message, new)
            if edited != message:
                changes[place] = (edited, step)
    draft = with_edited(draft, changes)
    return draft, TierOutcome(number, step.rule, context.estimate_tokens(draft.messages), tuple(touched))


def _changed_outputs(message: Message, change: _Change) -> dict[int, Block]:
    """Return the new outputs of a tool message by block, without those that the tier skips."""
    if message.speaker is not Speaker.TOOL:
        return {}
    outputs: dict[int, Block] = {}
    for place, block in enumerate(message.blocks):
        text = change(message, block) if isinstance(block, ToolResponse) else None
        if isinstance(block, ToolResponse) and text is not None:
            outputs[place] = with_content(block, text)
    return outputs
