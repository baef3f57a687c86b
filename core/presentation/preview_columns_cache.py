"""Columns of a screen that depend on the result only, cached for switches that are reverted."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.presentation.fate_runs import fate_runs
from core.presentation.lists.row_texts import after_rows
from core.presentation.model import FateRun, MessageRows
from core.presentation.preview_columns import PreviewColumns, preview_columns
from core.presentation.ruler.handles import cut_handles
from core.presentation.ruler.model import CutHandle
from core.preview.options import Preview


@dataclass(frozen=True, slots=True)
class ResultColumns:
    """The columns of a result over ``before``, the rows of its history; ``unwritten`` is the text of a
    summary that is not written."""

    before: MessageRows
    unwritten: str
    columns: PreviewColumns
    after: MessageRows
    runs: tuple[FateRun, ...]
    handles: tuple[CutHandle, ...]

    def fits(self, preview: Preview, before: MessageRows, unwritten: str) -> bool:
        """Return whether these are the columns of a preview, whatever else changed."""
        own = self.columns.preview
        same = own.compaction is preview.compaction and own.strategy is preview.strategy
        counted = own.counts == preview.counts and own.after_counts == preview.after_counts
        return same and counted and self.before is before and self.unwritten == unwritten

    def of(self, preview: Preview) -> ResultColumns:
        """Return the columns for a preview that they fit."""
        return replace(self, columns=replace(self.columns, preview=preview))


def result_columns(preview: Preview, before: MessageRows, unwritten: str) -> ResultColumns:
    columns = preview_columns(preview)
    after = after_rows(
        preview.compaction,
        preview.messages,
        before,
        preview.after_counts,
        preview.conversation.cwd,
        unwritten,
    )
    return ResultColumns(before, unwritten, columns, after, fate_runs(columns), cut_handles(columns))
