"""Parts of the report of ``foldline inspect``: recorded compactions, branches, conversations, repairs."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.output.table import aligned_table
from core.common import number_format
from core.common.excerpts import one_line_text
from core.presentation.opened_file import branch_hint, conversation_hint, note_texts
from core.preview.options import Preview
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth
from core.transcript.model import Conversation, RecordedCompaction

_MAX_KIND, _MAX_TITLE, _MAX_ROWS = 40, 60, 12


def recorded_lines(preview: Preview, measured: Sequence[MeasuredCompaction]) -> list[str]:
    """Return the recorded compactions: reported sizes beside counted ones, and files read again."""
    rows = [
        (
            str(measured_compaction.number),
            f"before {number_format.message_number(compaction.position)}",
            one_line_text(" ".join(filter(None, (compaction.kind, compaction.trigger))), _MAX_KIND),
            _size(preview, compaction.tokens_before, measured_compaction.tokens_before),
            _size(preview, compaction.tokens_after, measured_compaction.tokens_after),
            f"{number_format.tokens('', measured_compaction.messages_before)} → "
            f"{number_format.count(measured_compaction.messages_after)}",
            _change(compaction, measured_compaction),
            number_format.UNKNOWN
            if measured_compaction.reread_share is None
            else f"{measured_compaction.repeated_reads} of {measured_compaction.reads}",
        )
        for compaction, measured_compaction in zip(preview.conversation.recorded, measured, strict=True)
    ]
    head = ("", "where", "kind", "before", "after", "messages", "change", "read again")
    return aligned_table(rows, (0, 3, 4, 5, 6, 7), head=head) if rows else []


def _size(preview: Preview, reported: int | None, measured: int | None) -> str:
    """Return the reported and the counted size: "=167,174 ≈99,006"."""
    counted_text = number_format.tokens(preview.count_method.mark, measured)
    return counted_text if reported is None else f"={number_format.count(reported)} {counted_text}"


def _change(recorded: RecordedCompaction, measured: MeasuredCompaction) -> str:
    growth = context_growth(recorded, measured)
    if growth is None:
        return number_format.UNKNOWN
    return f"{number_format.signed(growth)}{' not smaller' if growth >= 0 else ''}"


def branch_lines(conversation: Conversation) -> list[str]:
    rows = [
        (str(branch.number), one_line_text(branch.title, _MAX_TITLE), branch_hint(branch))
        for branch in conversation.branches[:_MAX_ROWS]
    ]
    return _more(aligned_table(rows, (0,)), len(conversation.branches))


def conversation_lines(conversation: Conversation) -> list[str]:
    rows = [
        (str(listed.number), one_line_text(listed.title, _MAX_TITLE), conversation_hint(listed))
        for listed in conversation.listed[:_MAX_ROWS]
    ]
    return _more(aligned_table(rows, (0,)), len(conversation.listed))


def repair_lines(conversation: Conversation) -> list[str]:
    texts = note_texts(conversation.report.repaired)
    return _more([f"  {text}" for text in texts[:_MAX_ROWS]], len(texts))


def _more(rows: list[str], count: int) -> list[str]:
    unlisted_count = count - _MAX_ROWS
    return (
        [*rows, f"  and {number_format.count(unlisted_count)} more; --json lists all"]
        if unlisted_count > 0
        else rows
    )
