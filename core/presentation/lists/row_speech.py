"""A row of the list as one sentence, for screen readers and tooltips."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from core.common import number_format
from core.common.number_format import message_number
from core.presentation.lists.aligned_rows import (
    HAS_MESSAGE,
    PUT_BACK,
    AlignedColumns,
    AlignedPlan,
)
from core.presentation.lists.row_plan import (
    RowKind,
    fate_word,
    origin_text,
    speaker_word,
)
from core.presentation.lists.side_rows import ListContent
from core.presentation.model import FATES, UNREPORTED, RecordedRow

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
    plan: AlignedPlan,
    row: int,
    fates: bytes,
    columns: AlignedColumns,
    origin: array[int],
) -> HalfWords:
    """Return what stands beside a source message that has no message of the result beside it."""
    source = plan.left[row]
    if source < len(columns.results):
        result = columns.results[source]
    else:
        result = -1
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
    if result:
        before = origin[result - 1]
    else:
        before = -1
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
    if boundary > 0:
        return f"after {message_number(boundary - 1)}"
    return "at the start"


def _reason(text: str, named: int) -> HalfWords:
    """Return a reason that leads to the message ``named`` where its number stands in it."""
    if named < 0:
        return HalfWords(text)
    number = message_number(named)
    head, found, tail = text.partition(number)
    if found:
        return _leading(head, number, tail, "before", named)
    return HalfWords(text)


def _after_words(head: str, boundary: int, arrow: str, result: int) -> HalfWords:
    """Return "moved to after #12 ↓"; at the start there is no number, so its first word leads."""
    if boundary > 0:
        head, number = f"{head}after ", message_number(boundary - 1)
        return _leading(head, number, arrow, "after", result)
    first, rest = head[: head.index(" ")], head[head.index(" ") :]
    return _leading("", first, f"{rest}at the start{arrow}", "after", result)


def _leading(head: str, link: str, tail: str, side: str, index: int) -> HalfWords:
    """Join a text of which the part ``link`` leads to a message."""
    return HalfWords(
        f"{head}{link}{tail}", len(head), len(head) + len(link), side, index
    )


SPOKEN_CHARS = 1200
"""The most characters of a summary that are read with its cell."""


def row_speech(
    plan: AlignedPlan,
    row: int,
    sides: tuple[ListContent, ListContent],
    columns: AlignedColumns,
) -> str:
    """Return "33, summarised, AI, 85 tokens, Edit src/a.py; in the summary of 88 messages"."""
    kind, index = plan.kinds[row], plan.left[row]
    before, after = sides
    if kind in HAS_MESSAGE:
        return _message_row_speech(plan, row, sides, columns)
    if kind in (RowKind.COLLAPSED, RowKind.EXPANDED):
        return plan.collapsed[index].text
    if kind == RowKind.SYSTEM:
        tokens = number_format.plural(before.hidden, "token")
        return f"{tokens} of {before.hidden_name}, in no message"
    content = before if plan.rows["before"] or not plan.rows["after"] else after
    if kind in (RowKind.CUT, RowKind.COMPACTED):
        cut = content.cuts[index]
        return ", ".join(filter(None, (cut.text, cut.detail)))
    recorded = content.recorded[index]
    if kind == RowKind.SUMMARY:
        is_first = plan.kinds[row - 1] == RowKind.RECORDED
        if is_first:
            return recorded.summary
        return f"summary of recorded compaction {recorded.number}"
    return _recorded_speech(recorded)


def _message_row_speech(
    plan: AlignedPlan,
    row: int,
    sides: tuple[ListContent, ListContent],
    columns: AlignedColumns,
) -> str:
    side, message = plan.message_at(row)
    if side == "before":
        content = sides[0]
    else:
        content = sides[1]
    if message >= 0:
        said = message_speech(content, message)
    else:
        said = ""
    return "; ".join(filter(None, (said, *_other_half(plan, row, sides, columns))))


def _recorded_speech(recorded: RecordedRow) -> str:
    parts = [f"{recorded.text} {recorded.detail}"]
    if recorded.summary:
        parts.append("Enter shows its summary")
    if recorded.scope:
        parts.append("O shows the session as it was before it")
    return "; ".join(parts)


def message_speech(content: ListContent, index: int) -> str:
    """Return "33, summarised, AI, 85 tokens, Edit src/a.py"."""
    rows, fate = content.rows, content.fate(index)
    parts = [number_format.message_number(index).removeprefix("#")]
    if fate >= 0:
        parts.append(fate_word(fate))
    parts.append(speaker_word(rows.speakers[index]))
    if content.side == "after" and (was := origin_text(content.source(index), index)):
        parts.append(f"was {was}")
    if rows.tokens[index] >= 0:
        parts.append(number_format.plural(rows.tokens[index], "token"))
    elif rows.tokens[index] == UNREPORTED:
        parts.append("tokens not reported")
    if rows.errors[index]:
        parts.append("error")
    return ", ".join(
        filter(None, (*parts, f"{rows.lead[index]} {rows.text[index]}".strip()))
    )


def _cell_speech(
    plan: AlignedPlan, row: int, columns: AlignedColumns, *, is_outdated: bool
) -> tuple[str, ...]:
    """Return what the cell beside a message says: the whole of it at its first row."""
    left, block = plan.left[row], plan.block_at(row)
    if block is not None:
        cell = columns.cells.get(block.result)
    else:
        cell = None
    if block is None or cell is None:
        if left >= 0:
            return (columns.reason(left),)
        return ()
    if row == block.first:
        outdated = "out of date" if is_outdated else ""
        return (
            cell.title,
            cell.state,
            outdated,
            cell.sizes.text,
            cell.text[:SPOKEN_CHARS],
        )
    return (f"in the summary of {cell.subject}",)


def _other_half(
    plan: AlignedPlan,
    row: int,
    sides: tuple[ListContent, ListContent],
    columns: AlignedColumns,
) -> tuple[str, ...]:
    """Return what stands beside the message of a row."""
    before, after = sides
    left, right = plan.left[row], plan.right[row]
    if plan.kinds[row] == RowKind.CELL:
        return _cell_speech(plan, row, columns, is_outdated=after.stale)
    if plan.kinds[row] == RowKind.MESSAGE:
        if left in columns.put_back:
            return (PUT_BACK,)
        return ()
    if left < 0:
        return (left_words(plan, row, after.origins).text,)
    if right < 0:
        return (right_words(plan, row, before.fates, columns, after.origins).text,)
    return (f"now {message_speech(after, right).partition(', ')[2]}",)
