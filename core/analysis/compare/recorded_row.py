"""Rows of an agent's own compactions, evaluated like those of the strategies."""

from __future__ import annotations

from dataclasses import replace

from core.analysis.compare.model import CompareRow
from core.analysis.compare.row_computation import (
    RECORDED,
    CompareContext,
    baseline_preview,
    failed_row,
    preview_row,
)
from core.analysis.compare.side_by_side import (
    SideBySide,
    file_side_by_side,
    recorded_side_by_side,
    side_by_side_preview,
)
from core.analysis.fidelity.evaluate import fidelity_of
from core.common import number_format
from core.preview.options import Preview
from core.tokens.counter import counter_for
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth, measure_compactions
from core.transcript.model import Conversation, Opaque, RecordedCompaction
from core.transcript.scopes import BEFORE, CURRENT, history_of_scope

SOURCE_LOST = "What it removed is not in the file."
NO_EARLIER_MESSAGES = "The file holds no message before it."
ENCRYPTED_NOTE = "what stands for the rest is encrypted: neither its tokens nor its facts are known"


def recorded_row(context: CompareContext, number: int) -> CompareRow:
    """Return the row of recorded compaction ``number`` (from 1) over the history before it. An encrypted one
    is ``hidden``: no fidelity, no cost, and only the tokens of the readable part."""
    conversation = context.conversation
    recorded = conversation.recorded[number - 1]
    name, scope = f"{RECORDED} {number}", f"{BEFORE}{number}"
    source = baseline_preview(context, scope)
    measured = _measured_compactions(context, source)[number - 1]
    if recorded.is_source_lost:
        return failed_row(source, name, RECORDED, SOURCE_LOST, note=_note(recorded, measured, None))
    if not source.messages:
        return failed_row(source, name, RECORDED, NO_EARLIER_MESSAGES, note=_note(recorded, measured, None))
    preview = recorded_preview(context, number)
    return replace(_evaluate_row(context, preview), name=name, note=_note(recorded, measured, preview))


def recorded_preview(context: CompareContext, number: int) -> Preview:
    source = baseline_preview(context, f"{BEFORE}{number}")
    return _preview(context, source, recorded_side_by_side(context.conversation, number))


def file_row(context: CompareContext, other: Conversation) -> CompareRow:
    """Return the row of a compaction whose result is stored in a separate file."""
    preview = file_preview(context, other)
    row = _evaluate_row(context, preview)
    note = "the agent's own, in another file"
    hidden_note = f"; {ENCRYPTED_NOTE}" if has_unreadable_part(preview) else ""
    return replace(row, name=f"{RECORDED} in {other.document.name}", note=note + hidden_note)


def file_preview(context: CompareContext, other: Conversation) -> Preview:
    """Return the other file's current context as a preview of the comparison's scope."""
    source = baseline_preview(context)
    current_conversation = replace(other, messages=history_of_scope(other, CURRENT).messages, recorded=())
    return _preview(context, source, file_side_by_side(source.history, current_conversation))


def _preview(context: CompareContext, source: Preview, side_by_side: SideBySide) -> Preview:
    model = source.window.model
    counter = context.stages.get_or_compute("counter", model, lambda: counter_for(model))
    return side_by_side_preview(source, side_by_side, source.sizing.counter(counter))


def has_unreadable_part(preview: Preview) -> bool:
    """Return whether an inserted part cannot be read."""
    messages = preview.compaction.messages
    inserted = (messages[place] for place in sorted(preview.compaction.inserted))
    return any(isinstance(block, Opaque) for message in inserted for block in message.blocks)


def _evaluate_row(context: CompareContext, preview: Preview) -> CompareRow:
    """Return the figures without the price of the agent's call, which no file records."""
    fidelity = fidelity_of(preview, context.stages, parsed=context.parsed)
    row = replace(preview_row(preview, fidelity, context.provider), kind=RECORDED)
    if has_unreadable_part(preview):
        unknown = replace(row, fidelity=None, scores=(), demand=None, invented=0, cost=None)
        return replace(unknown, statuses=b"", hidden=True)
    return replace(row, cost=replace(row.cost, summary=None) if row.cost else None)


def _measured_compactions(context: CompareContext, source: Preview) -> tuple[MeasuredCompaction, ...]:
    model = source.window.model
    counter = context.stages.get_or_compute("counter", model, lambda: counter_for(model))
    sized_counter = source.sizing.counter(counter)
    return context.stages.get_or_compute(
        "measured", (model, source.mode), lambda: measure_compactions(context.conversation, sized_counter)
    )


def _note(recorded: RecordedCompaction, measured: MeasuredCompaction, preview: Preview | None) -> str:
    """Return trigger, reported and measured growth, repeated reads and encryption as a note."""
    notes = [recorded.trigger] if recorded.trigger else []
    if recorded.tokens_before is not None and recorded.tokens_after is not None:
        reported = number_format.count(recorded.tokens_before), number_format.count(recorded.tokens_after)
        notes.append(f"{reported[0]} → {reported[1]} tokens as the agent reported them")
    is_unreadable = preview is not None and has_unreadable_part(preview)
    growth = context_growth(recorded, measured)
    if growth is None and preview is not None and not is_unreadable:
        growth = preview.after_tokens - preview.before_tokens
    if growth is not None and growth >= 0:
        notes.append(f"net-negative: the context grew by {number_format.count(growth)} tokens")
    if measured.reread_share is not None:
        tax = number_format.percent(measured.reread_share, 0)
        notes.append(
            f"{measured.repeated_reads} of {measured.reads} later file reads ({tax}) read again "
            f"what was read before"
        )
    if is_unreadable:
        notes.append(ENCRYPTED_NOTE)
    return "; ".join(notes)
