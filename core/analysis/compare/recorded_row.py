"""Rows of an agent's own compactions, evaluated like those of the strategies."""

from __future__ import annotations

from dataclasses import replace

from core.analysis.compare.model import CompareRow
from core.analysis.compare.row_computation import (
    RECORDED,
    CompareContext,
    baseline_preview,
    failed_row,
    row_of,
)
from core.analysis.compare.side_by_side import SideBySide, of_file, of_recorded, preview_of
from core.analysis.fidelity.evaluate import fidelity_of
from core.common import number_format
from core.preview.options import Preview
from core.tokens.counter import counter_for
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth, measure_compactions
from core.transcript.model import Conversation, Opaque, RecordedCompaction
from core.transcript.scopes import BEFORE, CURRENT, history_of_scope

NOT_THERE = "What it removed is not in the file."
NOTHING_BEFORE = "The file holds no message before it."
ENCRYPTED = "what stands for the rest is encrypted: neither its tokens nor its facts are known"


def recorded_row(context: CompareContext, number: int) -> CompareRow:
    """Return the row of recorded compaction ``number`` (from 1) over the history before it. An encrypted one
    is ``hidden``: no fidelity, no cost, and only the tokens of the readable part."""
    conversation = context.conversation
    recorded = conversation.recorded[number - 1]
    name, scope = f"{RECORDED} {number}", f"{BEFORE}{number}"
    source = baseline_preview(context, scope)
    measured = _measured(context, source)[number - 1]
    if recorded.is_source_lost:
        return failed_row(source, name, RECORDED, NOT_THERE, note=_note(recorded, measured, None))
    if not source.messages:
        return failed_row(source, name, RECORDED, NOTHING_BEFORE, note=_note(recorded, measured, None))
    preview = recorded_preview(context, number)
    return replace(_evaluated(context, preview), name=name, note=_note(recorded, measured, preview))


def recorded_preview(context: CompareContext, number: int) -> Preview:
    source = baseline_preview(context, f"{BEFORE}{number}")
    return _preview(context, source, of_recorded(context.conversation, number))


def file_row(context: CompareContext, other: Conversation) -> CompareRow:
    """Return the row of a compaction whose result is stored in a separate file."""
    preview = file_preview(context, other)
    row = _evaluated(context, preview)
    note = "the agent's own, in another file"
    hidden = f"; {ENCRYPTED}" if is_hidden(preview) else ""
    return replace(row, name=f"{RECORDED} in {other.document.name}", note=note + hidden)


def file_preview(context: CompareContext, other: Conversation) -> Preview:
    """Return the other file's current context as a preview of the comparison's scope."""
    source = baseline_preview(context)
    continued = replace(other, messages=history_of_scope(other, CURRENT).messages, recorded=())
    return _preview(context, source, of_file(source.history, continued))


def _preview(context: CompareContext, source: Preview, sides: SideBySide) -> Preview:
    model = source.window.model
    counter = context.stages.once("counter", model, lambda: counter_for(model))
    return preview_of(source, sides, source.sizing.counter(counter))


def is_hidden(preview: Preview) -> bool:
    """Return whether an inserted part cannot be read."""
    messages = preview.compaction.messages
    inserted = (messages[place] for place in sorted(preview.compaction.inserted))
    return any(isinstance(block, Opaque) for message in inserted for block in message.blocks)


def _evaluated(context: CompareContext, preview: Preview) -> CompareRow:
    """Return the figures without the price of the agent's call, which no file records."""
    fidelity = fidelity_of(preview, context.stages, parsed=context.read)
    row = replace(row_of(preview, fidelity, context.provider), kind=RECORDED)
    if is_hidden(preview):
        unknown = replace(row, fidelity=None, scores=(), demand=None, invented=0, cost=None)
        return replace(unknown, statuses=b"", hidden=True)
    return replace(row, cost=replace(row.cost, summary=None) if row.cost else None)


def _measured(context: CompareContext, source: Preview) -> tuple[MeasuredCompaction, ...]:
    model = source.window.model
    counter = context.stages.once("counter", model, lambda: counter_for(model))
    sized_counter = source.sizing.counter(counter)
    return context.stages.once(
        "measured", (model, source.mode), lambda: measure_compactions(context.conversation, sized_counter)
    )


def _note(recorded: RecordedCompaction, measured: MeasuredCompaction, preview: Preview | None) -> str:
    """Return trigger, reported and measured growth, repeated reads and encryption as a note."""
    notes = [recorded.trigger] if recorded.trigger else []
    if recorded.tokens_before is not None and recorded.tokens_after is not None:
        reported = number_format.count(recorded.tokens_before), number_format.count(recorded.tokens_after)
        notes.append(f"{reported[0]} → {reported[1]} tokens as the agent reported them")
    hidden = preview is not None and is_hidden(preview)
    growth = context_growth(recorded, measured)
    if growth is None and preview is not None and not hidden:
        growth = preview.after_tokens - preview.before_tokens
    if growth is not None and growth >= 0:
        notes.append(f"net-negative: the context grew by {number_format.count(growth)} tokens")
    if measured.tax is not None:
        tax = number_format.percent(measured.tax, 0)
        notes.append(
            f"{measured.again} of {measured.reads} later file reads ({tax}) read again what was read before"
        )
    if hidden:
        notes.append(ENCRYPTED)
    return "; ".join(notes)
