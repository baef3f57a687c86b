"""What stands in a half row that holds no message: where the message is, or why it is gone."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from core.common.number_format import message_number
from core.presentation.lists.aligned_model import AlignedColumns
from core.presentation.lists.aligned_rows import HAS_MESSAGE, AlignedPlan
from core.presentation.lists.row_plan import RowKind
from core.presentation.model import FATES

_SUMMARISED = FATES.index("summarised")
_EXCERPTED = FATES.index("excerpted")


@dataclass(frozen=True, slots=True)
class HalfWords:
    """A text, and the message to which the part ``text[start:end]`` of it leads."""

    text: str
    start: int = 0
    end: int = 0
    side: str = ""
    index: int = -1


def right_words(
    plan: AlignedPlan, row: int, fates: bytes, columns: AlignedColumns, origin: array[int]
) -> HalfWords:
    """Return what stands beside a source message that has no message of the result beside it."""
    source = plan.left[row]
    result = columns.results[source] if source < len(columns.results) else -1
    if result < 0:
        return _reason(columns.reason(source) or "removed", columns.reason_link(source))
    there = plan.row_of("after", result)
    arrow = ""
    if there >= 0:
        arrow = " ↓" if there > row else " ↑"
    number = message_number(result)
    if fates[source] == _SUMMARISED:
        block = plan.block_at(there)
        if block is None:
            return _leading("in the summary, ", number, " of After", "after", result)
        return _after_words("in the summary ", block.sources[0], arrow, result)
    if fates[source] == _EXCERPTED:
        return _leading("lines in the excerpts, ", number, " of After", "after", result)
    if there >= 0 and plan.left[there] >= 0:
        beside = message_number(plan.left[there])
        return _leading("together with ", beside, arrow, "after", result)
    before = origin[result - 1] if result else -1
    return _after_words("moved to ", before + 1, arrow, result)


def left_words(plan: AlignedPlan, row: int, origin: array[int]) -> HalfWords:
    """Return what stands beside a message of the result that has no source message beside it."""
    source = origin[plan.right[row]]
    if source >= 0:
        return _leading("from ", message_number(source), "", "before", source)
    for above in range(row - 1, -1, -1):
        if plan.kinds[above] == RowKind.COLLAPSED:
            return HalfWords(_after(plan.collapsed[plan.left[above]].end))
        if plan.kinds[above] in HAS_MESSAGE and plan.left[above] >= 0:
            return HalfWords(_after(plan.left[above] + 1))
    return HalfWords("at the start")


def _after(boundary: int) -> str:
    return f"after {message_number(boundary - 1)}" if boundary > 0 else "at the start"


def _reason(text: str, named: int) -> HalfWords:
    """Return a reason that leads to the message ``named`` where its number stands in it."""
    if named < 0:
        return HalfWords(text)
    number = message_number(named)
    head, found, tail = text.partition(number)
    return _leading(head, number, tail, "before", named) if found else HalfWords(text)


def _after_words(head: str, boundary: int, arrow: str, result: int) -> HalfWords:
    """Return "moved to after #12 ↓"; at the start there is no number, so its first word leads."""
    if boundary > 0:
        head, number = f"{head}after ", message_number(boundary - 1)
        return _leading(head, number, arrow, "after", result)
    first, rest = head[: head.index(" ")], head[head.index(" ") :]
    return _leading("", first, f"{rest}at the start{arrow}", "after", result)


def _leading(head: str, link: str, tail: str, side: str, index: int) -> HalfWords:
    """Join a text of which the part ``link`` leads to a message."""
    return HalfWords(f"{head}{link}{tail}", len(head), len(head) + len(link), side, index)
