"""Parts of the report of ``foldline inspect``: recorded compactions, branches, conversations, repairs."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.output.table import aligned_table
from core.common import number_format
from core.common.excerpts import one_line_text
from core.presentation.opened_file import branch_hint, listed_hint, note_texts
from core.preview.options import Preview
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth
from core.transcript.model import Conversation, RecordedCompaction

_KIND, _TITLE, _MOST = 40, 60, 12


def recorded_lines(preview: Preview, measured: Sequence[MeasuredCompaction]) -> list[str]:
    """Return the recorded compactions: reported sizes beside counted ones, and files read again."""
    rows = [
        (
            str(own.number),
            f"before {number_format.message(one.position)}",
            one_line_text(" ".join(filter(None, (one.kind, one.trigger))), _KIND),
            _size(preview, one.tokens_before, own.tokens_before),
            _size(preview, one.tokens_after, own.tokens_after),
            f"{number_format.tokens('', own.messages_before)} → {number_format.count(own.messages_after)}",
            _change(one, own),
            number_format.UNKNOWN if own.tax is None else f"{own.again} of {own.reads}",
        )
        for one, own in zip(preview.conversation.recorded, measured, strict=True)
    ]
    head = ("", "where", "kind", "before", "after", "messages", "change", "read again")
    return aligned_table(rows, (0, 3, 4, 5, 6, 7), head=head) if rows else []


def _size(preview: Preview, reported: int | None, own: int | None) -> str:
    """Return the reported and the counted size: "=167,174 ≈99,006"."""
    counted = number_format.tokens(preview.method.mark, own)
    return counted if reported is None else f"={number_format.count(reported)} {counted}"


def _change(one: RecordedCompaction, own: MeasuredCompaction) -> str:
    growth = context_growth(one, own)
    if growth is None:
        return number_format.UNKNOWN
    return f"{number_format.signed(growth)}{' not smaller' if growth >= 0 else ''}"


def branch_lines(conversation: Conversation) -> list[str]:
    rows = [
        (str(one.number), one_line_text(one.title, _TITLE), branch_hint(one))
        for one in conversation.branches[:_MOST]
    ]
    return _more(aligned_table(rows, (0,)), len(conversation.branches))


def conversation_lines(conversation: Conversation) -> list[str]:
    rows = [
        (str(one.number), one_line_text(one.title, _TITLE), listed_hint(one))
        for one in conversation.listed[:_MOST]
    ]
    return _more(aligned_table(rows, (0,)), len(conversation.listed))


def repair_lines(conversation: Conversation) -> list[str]:
    texts = note_texts(conversation.report.repaired)
    return _more([f"  {text}" for text in texts[:_MOST]], len(texts))


def _more(rows: list[str], count: int) -> list[str]:
    left = count - _MOST
    return [*rows, f"  and {number_format.count(left)} more; --json lists all"] if left > 0 else rows
