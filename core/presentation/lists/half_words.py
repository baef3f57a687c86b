"""What stands in a half row that holds no message: where the message is, or why it is gone."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass

from core.common.number_format import message_number
from core.presentation.lists.aligned_model import AlignedColumns
from core.presentation.lists.aligned_rows import HAS_MESSAGE, AlignedPlan
from core.presentation.lists.row_plan import RowKind
from core.presentation.model import FATES

_NUMBER = re.compile(r"#(\d[\d,]*)")
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
        return _linked(columns.reason(source) or "removed", "before")
    there = plan.row_of("after", result)
    arrow = ""
    if there >= 0:
        arrow = " ↓" if there > row else " ↑"
    if fates[source] == _SUMMARISED:
        block = plan.block_at(there)
        if block is None:
            text = f"in the summary, {message_number(result)} of After"
            return HalfWords(text, text.index("#"), text.index(" of After"), "after", result)
        return _at(f"in the summary {_after(block.sources[0])}{arrow}", "after", result)
    if fates[source] == _EXCERPTED:
        text = f"lines in the excerpts, {message_number(result)} of After"
        return HalfWords(text, text.index("#"), text.index(" of After"), "after", result)
    if there >= 0 and plan.left[there] >= 0:
        return _at(f"together with {message_number(plan.left[there])}{arrow}", "after", result)
    before = origin[result - 1] if result else -1
    return _at(f"moved to {_after(before + 1)}{arrow}", "after", result)


def left_words(plan: AlignedPlan, row: int, origin: array[int]) -> HalfWords:
    """Return what stands beside a message of the result that has no source message beside it."""
    source = origin[plan.right[row]]
    if source >= 0:
        return _at(f"from {message_number(source)}", "before", source)
    for above in range(row - 1, -1, -1):
        if plan.kinds[above] == RowKind.COLLAPSED:
            return HalfWords(_after(plan.collapsed[plan.left[above]].end))
        if plan.kinds[above] in HAS_MESSAGE and plan.left[above] >= 0:
            return HalfWords(_after(plan.left[above] + 1))
    return HalfWords("at the start")


def _after(boundary: int) -> str:
    return f"after {message_number(boundary - 1)}" if boundary > 0 else "at the start"


def _at(text: str, side: str, index: int) -> HalfWords:
    start = max(text.find("#"), 0)
    end = text.find(" ", start)
    return HalfWords(text, start, end if end > 0 else len(text), side, index)


def _linked(text: str, side: str) -> HalfWords:
    found = _NUMBER.search(text)
    if found is None:
        return HalfWords(text)
    return HalfWords(text, found.start(), found.end(), side, int(found[1].replace(",", "")) - 1)
