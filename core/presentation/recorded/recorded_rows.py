"""Rows of recorded compactions in the source list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.common import excerpts, number_format
from core.engine.events import context_compacted, short_tokens
from core.presentation import media_wording
from core.presentation.model import RecordedRow
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth
from core.transcript.model import Conversation, Opaque, RecordedCompaction, Text
from core.transcript.scopes import ALL, BEFORE, History, replaces_messages, scopes

_SUMMARY_TEXT = 4_000
COUNTED_MARK = "≈"
"""Mark of our own counts beside reported ones."""


def recorded_rows(
    conversation: Conversation, history: History, measured: Sequence[MeasuredCompaction] = ()
) -> tuple[RecordedRow, ...]:
    """Return rows of a history's recorded compactions, numbered over the whole session. The one that begins a
    scope is first, the one that ends ``before:N`` last."""
    if history.scope not in scopes(conversation):  # a result shown as a history
        return ()
    recorded = conversation.recorded
    is_all, is_before = history.scope == ALL, history.scope.startswith(BEFORE)
    last_number = int(history.scope.removeprefix(BEFORE)) if is_before else len(recorded)
    end = recorded[last_number - 1].position if is_before else len(conversation.messages)
    earlier = recorded[: last_number - 1] if is_before else recorded
    first_number = max(
        (
            number
            for number, compaction_before in enumerate(earlier, 1)
            if replaces_messages(compaction_before)
        ),
        default=1,
    )
    rows: list[RecordedRow] = []
    for number in range(1 if is_all else first_number, last_number + 1):
        compaction = recorded[number - 1]
        is_scope_start = (
            not is_all and number == first_number and number <= len(earlier) and replaces_messages(compaction)
        )
        position = 0 if is_scope_start else len(history.messages) - (end - compaction.position)
        rows.append(_row(compaction, measured[number - 1] if measured else None, number, position))
    return tuple(rows)


def _row(
    compaction: RecordedCompaction, measured: MeasuredCompaction | None, number: int, position: int
) -> RecordedRow:
    text = context_compacted(recorded_size(compaction, measured))
    kind = "" if compaction.kind == "summary" else compaction.kind
    location = f"before {number_format.message_number(compaction.position)}"
    description = (
        [hidden_text(compaction)] if compaction.kind == "opaque" else [kind, compaction.trigger, location]
    )
    parts = [f"recorded {number}", *description, tax_text(measured)]
    tone, growth = "opaque" if compaction.kind == "opaque" else "", context_growth(compaction, measured)
    if growth is not None and growth >= 0:
        parts.insert(0, f"grew by {number_format.abbreviated(growth)}" if growth else "saved nothing")
        tone = "error"
    detail = " · ".join(part for part in parts if part)
    summary = excerpts.ellipsize(summary_text(compaction), _SUMMARY_TEXT)
    return RecordedRow(position, number, text, detail, tone, summary, compaction.kind == "opaque")


def recorded_size(compaction: RecordedCompaction, measured: MeasuredCompaction | None) -> str:
    """Return "168k → 38k" as reported, else marked as our own count."""
    before, after = (measured.tokens_before, measured.tokens_after) if measured else (None, None)
    return f"{_figure(compaction.tokens_before, before)} → {_figure(compaction.tokens_after, after)}"


def _figure(reported: int | None, measured: int | None) -> str:
    if reported is not None or measured is None:
        return number_format.UNKNOWN if reported is None else short_tokens(reported)
    return COUNTED_MARK + short_tokens(measured)


def tax_text(measured: MeasuredCompaction | None) -> str:
    """Return "6 of 7 later reads read again", or nothing without reads."""
    if measured is None or not measured.reads:
        return ""
    return f"{measured.repeated_reads} of {number_format.plural(measured.reads, 'later read')} read again"


def hidden_text(compaction: RecordedCompaction) -> str:
    """Return "encrypted by the provider, 41 kB, not inspectable"."""
    blocks = [
        block for message in compaction.summary for block in message.blocks if isinstance(block, Opaque)
    ]
    description = media_wording.opaque_text(blocks[0]) if blocks else "encrypted"
    return description.replace("encrypted", "encrypted by the provider", 1) + ", not inspectable"


def summary_text(compaction: RecordedCompaction) -> str:
    """Return the readable text of a recorded summary."""
    return "\n\n".join(_texts(compaction))


def _texts(compaction: RecordedCompaction) -> Iterator[str]:
    for message in compaction.summary:
        for block in message.blocks:
            if isinstance(block, Text):
                yield block.text
