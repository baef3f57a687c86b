"""The three tiers exactly as in ion, faults included."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace

from core.llm.chat_messages import human_text
from core.settings.keys import KEEP_OUTPUT, MAX_OUTPUT, PROTECTED
from core.strategies.base import StrategyContext
from core.strategies.draft import (
    HistoryDraft,
    begin_draft,
    finish_compaction,
    with_edited,
    with_replaced,
)
from core.strategies.helpers import single_fate
from core.strategies.tiered.prune_outputs import (
    REMOVE,
    REMOVED,
    TRUNCATE,
    OutputSizes,
    output_text,
    protected_start,
    removed_placeholder,
    truncated_output,
    with_changed_blocks,
    with_content,
    wrapped_summary,
)
from core.strategies.tiered.summary import SUMMARISE, ask_for_summary, request_for
from core.transcript.boundaries import CutRequest, snap_cut
from core.transcript.compaction import (
    Compaction,
    FateKind,
    FateStep,
    Split,
    StrategyFigures,
)
from core.transcript.model import Block, Message, Speaker, ToolResponse
from core.transcript.run_details import TierOutcome

_Change = Callable[[Message, ToolResponse], str | None]
"""Returns the new text of an output, None where the tier skips it."""


def reference_share(room: int, fraction: float) -> int:
    """Return a share of the room in tokens, computed with the reference's 32-bit floats."""
    return int(_float32(_float32(room) * _float32(fraction)))


def _float32(number: float) -> float:
    return float(struct.unpack("f", struct.pack("f", number))[0])


def prune_tiers(
    context: StrategyContext, target: int
) -> tuple[HistoryDraft, tuple[TierOutcome, ...], int]:
    """Run tiers 1 and 2 while above the target; return the draft, the tiers that ran, and the
    tokens."""
    values, sizes = context.values, OutputSizes(context.estimate_tokens)
    max_tokens, keep = values.integer(MAX_OUTPUT), values.integer(KEEP_OUTPUT)

    def truncate(message: Message, block: ToolResponse) -> str | None:
        is_large = sizes.block_tokens(message, block) > max_tokens
        if is_large:
            return truncated_output(output_text(block), keep)
        return None

    def remove(message: Message, block: ToolResponse) -> str | None:
        text = output_text(block)
        if text.startswith(REMOVED):
            return None
        return removed_placeholder(text)

    draft, outcomes = begin_draft(context.history), []
    tokens, count = context.estimate_tokens(context.history), len(context.history)
    end = protected_start(context.history, values.integer(PROTECTED))
    long = FateStep(
        TRUNCATE, FateKind.EDITED, f"An output of more than {max_tokens:,} tokens."
    )
    old = FateStep(REMOVE, FateKind.EDITED, "An output before the protected messages.")
    for number, step, last, change in (
        (1, long, count, truncate),
        (2, old, end, remove),
    ):
        if tokens <= target:
            break
        draft, touched = _edit(draft, last, step, change)
        tokens = context.estimate_tokens(draft.messages)
        outcomes.append(TierOutcome(number, step.rule, tokens, touched))
    return draft, tuple(outcomes), tokens


def compress(context: StrategyContext, strategy: str, target: int) -> Compaction:
    """Run all tiers on a history above the target; after a failed summary the first two tiers
    remain."""
    draft, tiers, tokens = prune_tiers(context, target)
    count, keep = len(context.history), context.values.integer(PROTECTED)
    end = protected_start(context.history, keep)
    cut_request = CutRequest(
        name="cut",
        requested=end,
        requested_detail=f"keep the newest {keep}",
        reference=end,
        keep_low=True,
        allowed=(0, count),
    )
    cut = snap_cut(
        cut_request, context.pairs, safe=False, display_index=context.source_index
    )
    assert cut is not None
    split = Split(0, end, count - end, (cut,))
    default_fate = single_fate(FateKind.KEPT, "kept", "No tier changed it.")
    if tokens <= target or not end:
        compaction = finish_compaction(
            context, draft, strategy, {}, default_fate, llm_call_made=False
        )
        return replace(
            compaction, split=split, target=target, figures=StrategyFigures(tiers=tiers)
        )
    request = request_for(context, draft.messages[:end], end)
    attempt = ask_for_summary(context, strategy, request, strict=False)
    answer = attempt.answer
    if answer is not None:
        step = FateStep(
            SUMMARISE,
            FateKind.SUMMARISED,
            "Before the protected messages: the summary stands.",
        )
        summary_message = human_text(wrapped_summary(answer.text))
        draft = with_replaced(draft, 0, end, (summary_message,), step)
    summarised = () if answer is None else tuple(range(end))
    last_tier = TierOutcome(
        3, SUMMARISE, context.estimate_tokens(draft.messages), summarised, attempt.fault
    )
    warnings = () if answer is None else answer.warnings
    if attempt.fault:
        warnings = (attempt.fault,)
    called = attempt.call is not None
    return replace(
        finish_compaction(
            context, draft, strategy, {}, default_fate, llm_call_made=called
        ),
        split=split,
        target=target,
        figures=StrategyFigures(tiers=(*tiers, last_tier)),
        summary=None
        if answer is None
        else attempt.summary(answer.text, answer.sections),
        calls=() if attempt.call is None else (attempt.call,),
        warnings=warnings,
        budgets={} if answer is None else {0: request.max_tokens},
        protected=tuple(range(end, count)),
    )


def _edit(
    draft: HistoryDraft, end: int, step: FateStep, change: _Change
) -> tuple[HistoryDraft, tuple[int, ...]]:
    """Apply a tier to the tool messages before ``end``; every message that it read counts as
    touched."""
    changes: dict[int, tuple[Message, FateStep]] = {}
    touched: list[int] = []
    for index, message in enumerate(draft.messages[:end]):
        outputs: dict[int, Block] = {}
        for number, block in enumerate(
            message.blocks if message.speaker is Speaker.TOOL else ()
        ):
            if (
                isinstance(block, ToolResponse)
                and (text := change(message, block)) is not None
            ):
                outputs[number] = with_content(block, text)
        if outputs:
            touched.append(index)
            edited = with_changed_blocks(message, outputs)
            if edited != message:
                changes[index] = edited, step
    return with_edited(draft, changes), tuple(touched)
