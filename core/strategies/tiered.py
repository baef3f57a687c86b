"""The tiered strategy: cut long outputs, remove old ones, summarise the rest (ION)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from core.common.errors import UNCHANGED
from core.common.number_format import share_of
from core.llm.protocol import human_text
from core.settings import schema
from core.settings.schema import KEEP_OUTPUT, MAX_OUTPUT, PROTECTED, Mode, share_of_aim
from core.strategies import names
from core.strategies.base import (
    CheckPoint,
    Strategy,
    StrategyContext,
    Trigger,
    TriggerMode,
)
from core.strategies.draft import (
    HistoryDraft,
    begin_draft,
    finish_compaction,
    with_edited,
    with_replaced,
)
from core.strategies.helpers import (
    empty_history_no_op,
    no_op_compaction,
    require_limit,
    single_fate,
    target_fraction,
    usable_limit,
)
from core.strategies.tiered_outputs import (
    REMOVE,
    REMOVED,
    TRUNCATE,
    OutputSizes,
    message_starts,
    output_text,
    protected_start,
    remove_outputs,
    removed_placeholder,
    truncate_outputs,
    truncated_output,
    with_changed_blocks,
    with_content,
    wrapped_summary,
)
from core.strategies.tiered_summary import (
    SUMMARISE,
    TierSummaryResult,
    ask_for_summary,
    request_for,
    summarise_draft,
)
from core.transcript.compaction import (
    Compaction,
    Cut,
    Fate,
    FateKind,
    FateStep,
    NoOpCode,
    Split,
    StrategyFigures,
    TierOutcome,
)
from core.transcript.model import Block, Message, Speaker, ToolResponse
from core.transcript.tool_pairs import CutRequest, Pairs, snap_cut

# The three tiers exactly as in ion, faults included.


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
    values = context.values
    sizes = OutputSizes(context.estimate_tokens)
    max_tokens = values.integer(MAX_OUTPUT)
    keep = values.integer(KEEP_OUTPUT)

    def truncate(message: Message, block: ToolResponse) -> str | None:
        is_large = sizes.block_tokens(message, block) > max_tokens
        if is_large:
            return truncated_output(output_text(block), keep)
        return None

    def remove(message: Message, block: ToolResponse) -> str | None:
        text = output_text(block)
        # A placeholder of an earlier run is no output any more.
        if text.startswith(REMOVED):
            return None
        return removed_placeholder(text)

    draft = begin_draft(context.history)
    outcomes = []
    tokens = context.estimate_tokens(context.history)
    count = len(context.history)
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


def reference_compress(
    context: StrategyContext, strategy: str, target: int
) -> Compaction:
    """Run all tiers on a history above the target; after a failed summary the first two tiers
    remain."""
    draft, tiers, tokens = prune_tiers(context, target)
    count = len(context.history)
    keep = context.values.integer(PROTECTED)
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


NAME = names.TIERED
DECLARED_TARGET = 0.60  # the target that belongs to the declared trigger of 0.80
_NOT_AFFECTED = single_fate(
    FateKind.KEPT, "before the cut", "No tier that ran had anything to take from it."
)


def compress(context: StrategyContext) -> Compaction:
    """Run tiers 1 to 3, each only while the target is missed; raises InputError without a limit."""
    if not context.history:
        return empty_history_no_op(context, NAME)
    target, warnings = target_tokens(context)
    before = context.estimate_tokens(context.history) + context.hidden
    if before <= target:
        unchanged = no_op_compaction(
            context,
            NAME,
            NoOpCode.UNDER_TARGET,
            f"{before:,} tokens, the target is {target:,}.",
            lead="No compaction needed",
        )
        return replace(unchanged, target=target, warnings=warnings)
    if context.mode is Mode.REFERENCE:
        compaction = reference_compress(context, NAME, target)
        return replace(compaction, warnings=(*warnings, *compaction.warnings))
    return _assemble(context, _run(context, target - context.hidden), target, warnings)


def target_tokens(context: StrategyContext) -> tuple[int, tuple[str, ...]]:
    """Return the target in tokens, and warnings about it."""
    limit = require_limit(context, NAME)
    values = context.values
    room = usable_limit(STRATEGY.trigger, values, limit, context.mode)
    configured = share_of_aim(values.number(schema.TARGET), room)
    if context.mode is Mode.REFERENCE:
        return reference_share(room, configured), ()
    fraction, lowered = target_fraction(STRATEGY, values, configured, DECLARED_TARGET)
    reserve = values.integer(schema.OUTPUT_RESERVE)
    no_room = (
        f"The output reserve of {reserve:,} tokens is not below the limit of {limit:,}: the "
        f"target is 0."
    )
    return share_of(room, fraction), tuple(
        filter(None, (lowered, "" if room else no_room))
    )


@dataclass(frozen=True, slots=True)
class _TieredRun:
    """The draft, the tiers that ran, the cut, and why messages stayed."""

    draft: HistoryDraft
    tiers: tuple[TierOutcome, ...]
    cut: Cut | None
    kept_fates: Mapping[int, Fate]
    summary_result: TierSummaryResult | None = None

    @property
    def end(self) -> int:
        """The first message after the cut."""
        if self.cut is None:
            return 0
        return self.cut.index


def _run(context: StrategyContext, target: int) -> _TieredRun:
    pairs = context.pairs
    cut = _cut(context, pairs)
    draft, first, kept_fates = truncate_outputs(context, begin_draft(context.history))
    run = _TieredRun(draft, (first,), cut, kept_fates)
    if first.tokens <= target:
        return run
    draft, second, kept_outputs = remove_outputs(context, draft, run.end, target, pairs)
    run = _TieredRun(draft, (first, second), cut, {**kept_fates, **kept_outputs})
    if second.tokens <= target or not run.end:
        return run
    result = summarise_draft(context, NAME, draft, run.end)
    return replace(
        run, draft=result.draft, tiers=(*run.tiers, result.tier), summary_result=result
    )


def _cut(context: StrategyContext, pairs: Pairs) -> Cut | None:
    """Cut before the newest protected messages, at a boundary that keeps all pairs whole."""
    history = context.history
    keep = context.values.integer(schema.PROTECTED)
    start = protected_start(history, keep)
    count = len(history)
    total = len(message_starts(history))
    detail = f"keep the newest {keep:,} of {total:,}, results of one turn as one"
    allowed = 1 if start else 0, count - 1 if keep else count
    request = CutRequest(
        name="cut",
        requested=start,
        requested_detail=detail,
        reference=start,
        keep_low=True,
        allowed=allowed,
    )
    return snap_cut(request, pairs, safe=True, display_index=context.source_index)


def _assemble(
    context: StrategyContext, run: _TieredRun, target: int, warnings: tuple[str, ...]
) -> Compaction:
    """Return the run with its sizes, its warnings and why messages stayed."""
    result = run.summary_result
    count = len(context.history)
    cut_fixes = (
        ("TI-02",) if run.cut is not None and run.cut.index != run.cut.reference else ()
    )
    return replace(
        _compaction(context, run) if run.draft.steps else _no_op_run(context, run),
        target=target,
        figures=StrategyFigures(tiers=run.tiers),
        calls=() if result is None or result.call is None else (result.call,),
        split=None
        if run.cut is None
        else Split(0, run.end, count - run.end, (run.cut,)),
        protected=tuple(range(run.end, count)),
        fixes=(*(result.fixes if result is not None else ()), *cut_fixes),
        warnings=(*warnings, *_warnings(run)),
    )


def _compaction(context: StrategyContext, run: _TieredRun) -> Compaction:
    result = run.summary_result
    count = len(context.history)
    end = run.end
    keep = context.values.integer(schema.PROTECTED)
    reason = (
        f"Protected: among the newest {keep:,} messages, {context.span(end, count)}."
    )
    protected = dict.fromkeys(
        range(end, count), single_fate(FateKind.KEPT, "protected", reason)
    )
    llm_call_made = result is not None and result.call is not None
    compaction = finish_compaction(
        context,
        run.draft,
        NAME,
        {**protected, **run.kept_fates},
        _NOT_AFFECTED,
        llm_call_made=llm_call_made,
    )
    if result is None or result.summary is None:
        return compaction
    metadata = replace(
        compaction.metadata,
        top_preserved=0,
        middle_compressed=end,
        bottom_preserved=count - end,
    )
    return replace(
        compaction,
        metadata=metadata,
        summary=result.summary,
        budgets={0: result.budget},
    )


def _no_op_run(context: StrategyContext, run: _TieredRun) -> Compaction:
    keep = context.values.integer(schema.PROTECTED)
    result = run.summary_result
    hint = f"{schema.PROTECTED}={max(1, keep // 2)}"
    nothing_saved = "The first two tiers found nothing to save"
    if result is not None and result.saves_nothing:
        code, reason = NoOpCode.NOT_SMALLER, f"{nothing_saved}. {result.tier.note}"
    elif result is not None:
        code = NoOpCode.SUMMARY_FAILED
        reason = f"{nothing_saved}, and there is no summary. {result.fault}"
        hint = ""
    elif run.cut is None:
        code = NoOpCode.NO_VALID_BOUNDARY
        reason = (
            "Tier 1 had nothing to cut, and one turn of calls and results reaches over the "
            "whole history."
        )
    else:
        code = NoOpCode.TAIL_COVERS_ALL
        reason = f"Tier 1 had nothing to cut, and all messages are among the {keep:,} protected ones."
    return no_op_compaction(context, NAME, code, reason, hint, parts=None)


def _warnings(run: _TieredRun) -> tuple[str, ...]:
    """Return the warnings of a summary, or that there is none."""
    result = run.summary_result
    if result is None:
        return ()
    if not result.fault:
        return result.warnings
    if run.draft.steps:
        consequence = "The result of tier 2 is kept."
    else:
        consequence = UNCHANGED
    return (f"{result.fault} {consequence}",)


STRATEGY = Strategy(
    name=NAME,
    about="Trims long tool output, then removes old output, then summarises.",
    requires_llm=True,
    trigger=Trigger(
        mode=TriggerMode.THRESHOLD,
        threshold=0.80,
        check=CheckPoint.AFTER_TOOLS,
        reserve=schema.OUTPUT_RESERVE,
    ),
    options=(
        *(
            schema.TARGET,
            schema.PROTECTED,
            schema.MAX_OUTPUT,
            schema.KEEP_OUTPUT,
            schema.OUTPUT_RESERVE,
        ),
        *(schema.SUMMARY_ROLE, schema.COMPACTION_MODEL, schema.SUMMARY_TOKENS),
        *(schema.PROFILE, schema.THRESHOLD, schema.LIMIT),
    ),
    compress=compress,
    needs_limit=True,
    prompts=(NAME,),
    reference="ion",
)
