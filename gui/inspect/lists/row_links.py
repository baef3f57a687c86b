"""Links within rows: to another place of a message, to a recorded compaction, to the reason of a cut."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.lists.row_plan import RowKind
from gui.inspect.lists.delegate import MessageRowPainter
from gui.inspect.lists.table_model import MessageListModel


@dataclass(frozen=True, slots=True)
class RowLink:
    """A message to which a row leads."""

    side: str
    index: int


def row_link(rows: MessageRowPainter, model: MessageListModel, row: int, x: int) -> RowLink | None:
    """Return the link of a row at ``x`` pixels from its left."""
    if model.plan.kinds[row] != RowKind.SPLIT:
        return None
    found = rows.half_words(row)
    if found is None or found[0].index < 0:
        return None
    words, is_right = found
    advance = rows.fonts.small.metrics.horizontalAdvance
    start = rows.columns.after if is_right else rows.columns.message
    left = start + advance(words.text[: words.start])
    right = start + advance(words.text[: words.end])
    return RowLink(words.side, words.index) if left <= x <= right else None
