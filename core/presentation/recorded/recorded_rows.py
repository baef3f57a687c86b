"""Compactions that the agent itself made, as rows of the before list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.common import excerpts, number_format
from core.engine.notices import context_compacted, short_tokens
from core.presentation import media_wording
from core.presentation.model import RecordedRow
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth
from core.transcript.model import Conversation, Opaque, RecordedCompaction, Text
from core.transcript.scopes import ALL, BEFORE, History, replaces_messages, scopes

_SUMMARY_TEXT = 4_000
OWN = "≈"
"""The mark of our own count beside a reported one."""


def recorded_rows(
    conversation: Conversation, history: History, measured: Sequence[MeasuredCompaction] = ()
) -> tuple[RecordedRow, ...]:
    """Rows for the recorded compactions of a history, numbered from 1 over the whole session.

    The one that a scope begins with stands in front, the one that ``before:N`` ends with at the end.
    """
    if history.scope not in scopes(conversation):  # a result that stands as the history of another
        return ()
    recorded = conversation.recorded
    is_all, ends = history.scope == ALL, history.scope.startswith(BEFORE)
    last = int(history.scope.removeprefix(BEFORE)) if ends else len(recorded)
    end = recorded[last - 1].position if ends else len(conversation.messages)
    earlier = recorded[: last - 1] if ends else recorded
    first = max((number for number, one in enumerate(earlier, 1) if replaces_messages(one)), default=1)
    rows: list[RecordedRow] = []
    for number in range(1 if is_all else first, last + 1):
        found = recorded[number - 1]
        begins = not is_all and number == first and number <= len(earlier) and replaces_messages(found)
        place = 0 if begins else len(history.messages) - (end - found.position)
        rows.append(_row(found, measured[number - 1] if measured else None, number, place))
    return tuple(rows)


def _row(found: RecordedCompaction, own: MeasuredCompaction | None, number: int, place: int) -> RecordedRow:
    text = context_compacted(recorded_size(found, own))
    kind = "" if found.kind == "summary" else found.kind
    where = f"before {number_format.message(found.position)}"
    what = [hidden_text(found)] if found.kind == "opaque" else [kind, found.trigger, where]
    parts = [f"recorded {number}", *what, tax_text(own)]
    tone, grew = "opaque" if found.kind == "opaque" else "", context_growth(found, own)
    if grew is not None and grew >= 0:
        parts.insert(0, f"grew by {number_format.short(grew)}" if grew else "saved nothing")
        tone = "error"
    detail = " · ".join(part for part in parts if part)
    summary = excerpts.ellipsize(summary_text(found), _SUMMARY_TEXT)
    return RecordedRow(place, number, text, detail, tone, summary, found.kind == "opaque")


def recorded_size(found: RecordedCompaction, own: MeasuredCompaction | None) -> str:
    """ "168k → 38k" as reported; what is not reported is by our count, marked as such."""
    before, after = (own.tokens_before, own.tokens_after) if own else (None, None)
    return f"{_figure(found.tokens_before, before)} → {_figure(found.tokens_after, after)}"


def _figure(reported: int | None, own: int | None) -> str:
    if reported is not None or own is None:
        return number_format.UNKNOWN if reported is None else short_tokens(reported)
    return OWN + short_tokens(own)


def tax_text(own: MeasuredCompaction | None) -> str:
    """ "6 of 7 later reads read again"; empty where no file was read."""
    if own is None or not own.reads:
        return ""
    return f"{own.again} of {number_format.plural(own.reads, 'later read')} read again"


def hidden_text(found: RecordedCompaction) -> str:
    """What cannot be read of a compaction: "encrypted by the provider, 41 kB, not inspectable"."""
    blocks = [block for message in found.summary for block in message.blocks if isinstance(block, Opaque)]
    what = media_wording.opaque_text(blocks[0]) if blocks else "encrypted"
    return what.replace("encrypted", "encrypted by the provider", 1) + ", not inspectable"


def summary_text(found: RecordedCompaction) -> str:
    """The text that a compaction wrote; empty where it wrote none that can be read."""
    return "\n\n".join(_texts(found))


def _texts(found: RecordedCompaction) -> Iterator[str]:
    for message in found.summary:
        for block in message.blocks:
            if isinstance(block, Text):
                yield block.text
