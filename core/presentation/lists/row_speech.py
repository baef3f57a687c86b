"""A row of the list as one sentence, for screen readers and tooltips."""

from __future__ import annotations

from core.common import number_format
from core.presentation.lists.aligned_model import PUT_BACK, AlignedColumns
from core.presentation.lists.aligned_rows import HAS_MESSAGE, AlignedPlan
from core.presentation.lists.half_words import left_words, right_words
from core.presentation.lists.row_plan import RowKind
from core.presentation.lists.row_wording import fate_word, origin_text, speaker_word
from core.presentation.lists.side_rows import ListContent
from core.presentation.model import UNREPORTED, RecordedRow

SPOKEN_CHARS = 1200
"""The most characters of a summary that are read with its cell."""


def row_speech(
    plan: AlignedPlan, row: int, sides: tuple[ListContent, ListContent], columns: AlignedColumns
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
        return recorded.summary if is_first else f"summary of recorded compaction {recorded.number}"
    return _recorded_speech(recorded)


def _message_row_speech(
    plan: AlignedPlan, row: int, sides: tuple[ListContent, ListContent], columns: AlignedColumns
) -> str:
    side, message = plan.message_at(row)
    content = sides[0] if side == "before" else sides[1]
    said = message_speech(content, message) if message >= 0 else ""
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
    return ", ".join(filter(None, (*parts, f"{rows.lead[index]} {rows.text[index]}".strip())))


def _cell_speech(
    plan: AlignedPlan, row: int, columns: AlignedColumns, *, is_outdated: bool
) -> tuple[str, ...]:
    """Return what the cell beside a message says: the whole of it at its first row."""
    left, block = plan.left[row], plan.block_at(row)
    cell = columns.cells.get(block.result) if block is not None else None
    if block is None or cell is None:
        return (columns.reason(left),) if left >= 0 else ()
    if row == block.first:
        outdated = "out of date" if is_outdated else ""
        return cell.title, cell.state, outdated, cell.sizes, cell.text[:SPOKEN_CHARS]
    return (f"in the summary of {cell.subject}",)


def _other_half(
    plan: AlignedPlan, row: int, sides: tuple[ListContent, ListContent], columns: AlignedColumns
) -> tuple[str, ...]:
    """Return what stands beside the message of a row."""
    before, after = sides
    left, right = plan.left[row], plan.right[row]
    if plan.kinds[row] == RowKind.CELL:
        return _cell_speech(plan, row, columns, is_outdated=after.stale)
    if plan.kinds[row] == RowKind.MESSAGE:
        return (PUT_BACK,) if left in columns.put_back else ()
    if left < 0:
        return (left_words(plan, row, after.origins).text,)
    if right < 0:
        return (right_words(plan, row, before.fates, columns, after.origins).text,)
    return (f"now {message_speech(after, right).partition(', ')[2]}",)
