"""The row of what the agent itself did: its own compaction, judged like those of the strategies."""

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


def recorded_row(contest: CompareContext, number: int) -> CompareRow:
    """The row of recorded compaction ``number`` (from 1), over the history that it had before it.

    An encrypted one is ``hidden``: no fidelity, no cost, and only the tokens of what can be read.
    """
    conversation = contest.conversation
    found = conversation.recorded[number - 1]
    name, scope = f"{RECORDED} {number}", f"{BEFORE}{number}"
    source = baseline_preview(contest, scope)
    own = _measured(contest, source)[number - 1]
    if found.lost:
        return failed_row(source, name, RECORDED, NOT_THERE, note=_note(found, own, None))
    if not source.messages:
        return failed_row(source, name, RECORDED, NOTHING_BEFORE, note=_note(found, own, None))
    made = recorded_preview(contest, number)
    return replace(_judged(contest, made), name=name, note=_note(found, own, made))


def recorded_preview(contest: CompareContext, number: int) -> Preview:
    """What recorded compaction ``number`` left, as a preview of what it had before."""
    source = baseline_preview(contest, f"{BEFORE}{number}")
    return _preview(contest, source, of_recorded(contest.conversation, number))


def file_row(contest: CompareContext, other: Conversation) -> CompareRow:
    """The row of a compaction that lies in a file of its own: what that file says the agent went on with."""
    made = file_preview(contest, other)
    found = _judged(contest, made)
    text = "the agent's own, in another file"
    hidden = f"; {ENCRYPTED}" if is_hidden(made) else ""
    return replace(found, name=f"{RECORDED} in {other.document.name}", note=text + hidden)


def file_preview(contest: CompareContext, other: Conversation) -> Preview:
    """What another file holds of this session, as a preview of the scope of the comparison."""
    source = baseline_preview(contest)
    left = replace(other, messages=history_of_scope(other, CURRENT).messages, recorded=())
    return _preview(contest, source, of_file(source.history, left))


def _preview(contest: CompareContext, source: Preview, beside: SideBySide) -> Preview:
    model = source.window.model
    counter = contest.stages.once("counter", model, lambda: counter_for(model))
    return preview_of(source, beside, source.sizing.counter(counter))


def is_hidden(made: Preview) -> bool:
    """True where what stands for the rest cannot be read."""
    messages = made.compaction.messages
    new = (messages[place] for place in sorted(made.compaction.inserted))
    return any(isinstance(block, Opaque) for message in new for block in message.blocks)


def _judged(contest: CompareContext, made: Preview) -> CompareRow:
    """The figures of what the agent did; the price of its call is in no file."""
    judged = fidelity_of(made, contest.stages, read=contest.read)
    found = replace(row_of(made, judged, contest.provider), kind=RECORDED)
    if is_hidden(made):
        unknown = replace(found, fidelity=None, scores=(), demand=None, invented=0, cost=None)
        return replace(unknown, statuses=b"", hidden=True)
    return replace(found, cost=replace(found.cost, summary=None) if found.cost else None)


def _measured(contest: CompareContext, source: Preview) -> tuple[MeasuredCompaction, ...]:
    model = source.window.model
    counter = contest.stages.once("counter", model, lambda: counter_for(model))
    figures = source.sizing.counter(counter)
    return contest.stages.once(
        "measured", (model, source.mode), lambda: measure_compactions(contest.conversation, figures)
    )


def _note(found: RecordedCompaction, own: MeasuredCompaction, made: Preview | None) -> str:
    """Who asked for it, whether it made the context smaller, what was read again, what is encrypted."""
    notes = [found.trigger] if found.trigger else []
    if found.tokens_before is not None and found.tokens_after is not None:
        reported = number_format.count(found.tokens_before), number_format.count(found.tokens_after)
        notes.append(f"{reported[0]} → {reported[1]} tokens as the agent reported them")
    hidden = made is not None and is_hidden(made)
    grew = context_growth(found, own)
    if grew is None and made is not None and not hidden:
        grew = made.after_tokens - made.before_tokens
    if grew is not None and grew >= 0:
        notes.append(f"net-negative: the context grew by {number_format.count(grew)} tokens")
    if own.tax is not None:
        tax = number_format.percent(own.tax, 0)
        notes.append(f"{own.again} of {own.reads} later file reads ({tax}) read again what was read before")
    if hidden:
        notes.append(ENCRYPTED)
    return "; ".join(notes)
