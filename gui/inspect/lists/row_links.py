"""Links within rows: to another place of a message, and those of a recorded compaction."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.lists.row_plan import RowKind
from gui.inspect.lists.delegate import MessageRowPainter
from gui.inspect.lists.separators import recorded_links
from gui.inspect.lists.table_model import MessageListModel


@dataclass(frozen=True, slots=True)
class RowLink:
    """A message to which a row leads."""

    side: str
    index: int


@dataclass(frozen=True, slots=True)
class RecordedLink:
    """A link of the recorded compaction in a row."""

    row: int
    action: str


def row_link(
    rows: MessageRowPainter, model: MessageListModel, row: int, x: int
) -> RowLink | RecordedLink | None:
    """Return the link of a row at ``x`` pixels from its left."""
    if model.plan.kinds[row] == RowKind.RECORDED:
        return _recorded_link(rows, model, row, x)
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


def _recorded_link(
    rows: MessageRowPainter, model: MessageListModel, row: int, x: int
) -> RecordedLink | None:
    shown, rect = model.main.recorded[model.plan.left[row]], rows.rect_of(row)
    links = recorded_links(rows, rect, shown, model.is_open(row))
    return next(
        (RecordedLink(row, link.action) for link in links if link.left <= x <= link.right), None
    )
