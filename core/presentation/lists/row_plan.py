"""The rows of a message list in order: messages, cuts, folds and recorded compactions."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from itertools import accumulate, chain, compress

from core.presentation.filter.row_filter import all_mask
from core.presentation.lists.row_wording import fold_text
from core.presentation.model import FATES, CutRow, RecordedRow

LONGEST_UNFOLDED = 24
"""Longest run of one fate, in messages, that is not folded (ui.md section 5)."""
FOLD_HEAD_MESSAGES = 12
"""Messages shown before a fold."""
FOLD_TAIL_MESSAGES = 4
"""Messages shown after a fold."""

_KEPT = FATES.index("kept")
_LONG_RUN = re.compile(rb"([^\x%02x])\1{%d,}" % (_KEPT, LONGEST_UNFOLDED), re.DOTALL)


class RowKind(IntEnum):
    MESSAGE = 0
    FOLD = 1  # closed
    OPEN_FOLD = 2  # its messages follow
    CUT = 3
    COMPACTED = 4  # "— context compacted (148k → 64k tokens) —"
    RECORDED = 5  # a recorded compaction
    SUMMARY = 6  # the text of a recorded compaction, opened


OpenedKey = tuple[RowKind, int]
"""(FOLD, first message of its run) or (RECORDED, position in the recorded rows)."""


@dataclass(frozen=True, slots=True)
class FoldedRun:
    """The messages [start, end) behind one row, of the run that begins at ``run_start``."""

    run_start: int
    start: int
    end: int
    fate: int
    text: str  # "229 more summarised · #96–#324 · ≈75,727"

    @property
    def opened_key(self) -> OpenedKey:
        """The entry in ``opened`` that shows the messages."""
        return (RowKind.FOLD, self.run_start)


@dataclass(frozen=True, slots=True)
class RowPlan:
    """The rows of a list; rows and messages count from 0. ``kinds[row]`` is a RowKind; ``indices[row]``
    indexes the messages, ``folded_runs``, cuts or recorded rows. ``rows[message]`` is the row of a message or
    of its closed fold, for a filtered one the next row; ``rows[count]`` is ``len(plan)``."""

    kinds: bytes = b""
    indices: array[int] = field(default_factory=lambda: array("i"))
    rows: array[int] = field(default_factory=lambda: array("i", (0,)))
    folded_runs: tuple[FoldedRun, ...] = ()

    def __len__(self) -> int:
        return len(self.kinds)

    def kind_and_index(self, row: int) -> tuple[int, int]:
        """Return the (kind, index) of a row."""
        return self.kinds[row], self.indices[row]

    def row_of(self, message: int) -> int:
        """Return the row of a message or of its fold; -1 if it is filtered out."""
        return self.rows[message] if self.shows(message) else -1

    def shows(self, message: int) -> bool:
        """Return whether a row shows or folds this message."""
        if not 0 <= message < len(self.rows) - 1 or self.rows[message] >= len(self.kinds):
            return False
        kind, index = self.kind_and_index(self.rows[message])
        if kind == RowKind.FOLD:
            return self.folded_runs[index].start <= message < self.folded_runs[index].end
        return kind == RowKind.MESSAGE and index == message

    def message_near(self, row: int) -> int:
        """Return the message of a row, else the nearest below, else above; -1 without any."""
        for near_row in chain(range(row, len(self.kinds)), range(row - 1, -1, -1)):
            kind, index = self.kind_and_index(near_row)
            if kind == RowKind.MESSAGE:
                return index
            if kind == RowKind.FOLD:
                return self.folded_runs[index].start
        return -1

    def fold_of(self, message: int) -> int:
        """Return the index in ``folded_runs`` of a message's fold, open or closed; -1 for none."""
        for number, fold in enumerate(self.folded_runs):
            if fold.start <= message < fold.end:
                return number
        return -1


@dataclass(slots=True)
class _RowPlanBuilder:
    fates: bytes
    tokens: Sequence[int]
    mark: str
    opened: frozenset[OpenedKey]
    hidden: frozenset[int]
    mask: bytes
    numbers: array[int]  # from _numbers, for slices
    kinds: bytearray = field(default_factory=bytearray)
    indices: array[int] = field(default_factory=lambda: array("i"))
    rows: array[int] = field(default_factory=lambda: array("i"))
    folds: list[FoldedRun] = field(default_factory=list)


def row_plan(
    count: int,
    fates: bytes = b"",
    cuts: Sequence[CutRow] = (),
    recorded: Sequence[RecordedRow] = (),
    opened: frozenset[OpenedKey] = frozenset(),
    hidden: frozenset[int] = frozenset(),
    tokens: Sequence[int] = (),
    mark: str = "≈",
    mask: bytes = b"",
) -> RowPlan:
    """Return the rows of a list of ``count`` messages, in linear time.

    ``fates`` is empty without a preview. Runs of one fate longer than LONGEST fold to HEAD messages, one row
    and TAIL messages; kept messages never fold. A cut or recorded compaction ends a run, so that no fold
    hides it. With a ``hidden`` fate or a ``mask`` (one byte per message, 0 hides it) nothing folds.
    """
    marks = _marks(count, cuts, recorded, opened)
    max_rows = count + len(marks) + count // LONGEST_UNFOLDED + 1
    builder = _RowPlanBuilder(fates, tokens, mark, opened, hidden, mask, _numbers(max_rows))
    added = 0
    for position, kind, index in marks:
        _add_messages(builder, added, position)
        added = max(added, position)
        builder.kinds.append(kind)
        builder.indices.append(index)
    _add_messages(builder, added, count)
    builder.rows.append(len(builder.kinds))
    return RowPlan(bytes(builder.kinds), builder.indices, builder.rows, tuple(builder.folds))


def _numbers(count: int) -> array[int]:
    """Return 0, 1, 2, … up to ``count`` or more; slicing it is ten times faster than a range."""
    numbers = _all_numbers()
    numbers.extend(range(len(numbers), count))
    return numbers


@cache
def _all_numbers() -> array[int]:
    """Numbers for the longest list so far."""
    return array("i")


def _marks(
    count: int,
    cuts: Sequence[CutRow],
    recorded: Sequence[RecordedRow],
    opened: frozenset[OpenedKey],
) -> list[tuple[int, int, int]]:
    """Return (position, kind, index) of rows between messages, recorded ones before cuts."""
    marks: list[tuple[int, int, int]] = []
    for index, row in enumerate(recorded):
        marks.append((row.position, RowKind.RECORDED, index))
        if (RowKind.RECORDED, index) in opened and row.summary:
            marks.append((row.position, RowKind.SUMMARY, index))
    for index, cut in enumerate(cuts):
        marks.append((cut.position, RowKind.COMPACTED if cut.is_compaction else RowKind.CUT, index))
    marks.sort(key=lambda mark: mark[0])
    return [(min(max(position, 0), count), kind, index) for position, kind, index in marks]


def _add_messages(builder: _RowPlanBuilder, start: int, end: int) -> None:
    """Add the consecutive messages [start, end)."""
    if end <= start:
        return
    if not builder.fates:
        _show(builder, start, end)
    elif builder.hidden or builder.mask:
        _show_filtered(builder, start, end)
    else:
        _show_folded(builder, start, end)


def _show(builder: _RowPlanBuilder, start: int, end: int) -> None:
    row = len(builder.kinds)
    builder.kinds.extend(bytes(end - start))
    builder.indices.extend(builder.numbers[start:end])
    builder.rows.extend(builder.numbers[row : row + end - start])


def _show_folded(builder: _RowPlanBuilder, start: int, end: int) -> None:
    for run in _LONG_RUN.finditer(builder.fates, start, end):
        fold_start, fold_end = run.start() + FOLD_HEAD_MESSAGES, run.end() - FOLD_TAIL_MESSAGES
        _show(builder, start, fold_start)
        _add_fold(builder, run.start(), fold_start, fold_end)
        start = fold_end
    _show(builder, start, end)


def _add_fold(builder: _RowPlanBuilder, run: int, start: int, end: int) -> None:
    fate = builder.fates[run]
    is_open = (RowKind.FOLD, run) in builder.opened
    text = fold_text(start, end, fate, builder.tokens[start:end], builder.mark, has_more=not is_open)
    builder.indices.append(len(builder.folds))
    builder.kinds.append(RowKind.OPEN_FOLD if is_open else RowKind.FOLD)
    builder.folds.append(FoldedRun(run, start, end, fate, text))
    if is_open:
        _show(builder, start, end)
    else:
        builder.rows.extend(array("i", (len(builder.kinds) - 1,)) * (end - start))


def _show_filtered(builder: _RowPlanBuilder, start: int, end: int) -> None:
    """Add messages that pass fates and mask; the others point at the next row."""
    table = bytes(code not in builder.hidden for code in range(256))
    mask = builder.fates[start:end].translate(table)
    if builder.mask:
        mask = all_mask((mask, builder.mask[start:end]), end - start)
    row = len(builder.kinds)
    builder.kinds.extend(bytes(sum(mask)))
    builder.indices.extend(compress(builder.numbers[start:end], mask))
    builder.rows.extend(accumulate(mask[:-1], initial=row))
