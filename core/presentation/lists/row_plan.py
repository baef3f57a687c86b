"""Which rows stand in a message list, in order: messages, cuts, folds and recorded compactions."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from itertools import accumulate, chain, compress

from core.presentation.filter.row_filter import all_of
from core.presentation.lists.row_wording import fold_text
from core.presentation.model import FATES, CutRow, RecordedRow

LONGEST = 24
"""Messages: a run of one fate up to this long is never folded (ui.md section 5)."""
HEAD = 12
"""Messages that stay in sight before a fold."""
TAIL = 4
"""Messages that stay in sight after a fold."""

_KEPT = FATES.index("kept")
_LONG_RUN = re.compile(rb"([^\x%02x])\1{%d,}" % (_KEPT, LONGEST), re.DOTALL)


class RowKind(IntEnum):
    """What a row of a list is."""

    MESSAGE = 0
    FOLD = 1  # stands for messages that are out of sight
    OPEN_FOLD = 2  # the same, opened: its messages follow
    CUT = 3
    COMPACTED = 4  # "— context compacted (148k → 64k tokens) —"
    RECORDED = 5  # a compaction that the agent itself made
    SUMMARY = 6  # the text of a recorded compaction, opened


OpenedKey = tuple[RowKind, int]
"""(FOLD, first message of its run) or (RECORDED, position in the recorded rows)."""


@dataclass(frozen=True, slots=True)
class FoldedRun:
    """The messages [start, end) of the run that begins at ``run``, behind one row."""

    run: int
    start: int
    end: int
    fate: int
    text: str  # "229 more summarised · #96–#324 · ≈75,727"

    @property
    def key(self) -> OpenedKey:
        """What to add to ``opened`` to see the messages."""
        return (RowKind.FOLD, self.run)


@dataclass(frozen=True, slots=True)
class RowPlan:
    """The rows of a list. Row and message numbers count from 0.

    ``kinds[row]`` is a RowKind; ``indices[row]`` the message, or the position in ``folds``, in the
    cuts or in the recorded rows. ``rows[message]`` is the row that shows a message (its fold's row
    where it is folded away), for a filtered one the next row; ``rows[count]`` is ``len(plan)``.
    """

    kinds: bytes = b""
    indices: array[int] = field(default_factory=lambda: array("i"))
    rows: array[int] = field(default_factory=lambda: array("i", (0,)))
    folds: tuple[FoldedRun, ...] = ()

    def __len__(self) -> int:
        return len(self.kinds)

    def at(self, row: int) -> tuple[int, int]:
        """(kind, index) of a row."""
        return self.kinds[row], self.indices[row]

    def row_of(self, message: int) -> int:
        """The row that shows a message, itself or by its fold; -1 where a filter hides it."""
        return self.rows[message] if self.shows(message) else -1

    def shows(self, message: int) -> bool:
        """Whether a row stands for this message."""
        if not 0 <= message < len(self.rows) - 1 or self.rows[message] >= len(self.kinds):
            return False
        kind, index = self.at(self.rows[message])
        if kind == RowKind.FOLD:
            return self.folds[index].start <= message < self.folds[index].end
        return kind == RowKind.MESSAGE and index == message

    def message_near(self, row: int) -> int:
        """The message of a row; for other rows the nearest one below, else above; -1 without any."""
        for place in chain(range(row, len(self.kinds)), range(row - 1, -1, -1)):
            kind, index = self.at(place)
            if kind == RowKind.MESSAGE:
                return index
            if kind == RowKind.FOLD:
                return self.folds[index].start
        return -1

    def fold_of(self, message: int) -> int:
        """Position in ``folds`` of the fold, open or not, that a message belongs to; -1 for none."""
        for number, fold in enumerate(self.folds):
            if fold.start <= message < fold.end:
                return number
        return -1


@dataclass(slots=True)
class _RowPlanBuilder:
    """The plan as it grows."""

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
    """The rows of a list of ``count`` messages.

    ``fates`` may be empty (no preview yet). Runs of one fate longer than LONGEST fold to HEAD
    messages, one row and TAIL messages; kept messages are what a reader came for and stay. A cut
    or a recorded compaction ends a run, so that no fold hides it. While a fate is ``hidden``, or a
    ``mask`` (one byte per message, 0 hides it) is given, nothing folds: a filter looks inside folds.
    Linear in messages.
    """
    marks = _marks(count, cuts, recorded, opened)
    most = count + len(marks) + count // LONGEST + 1
    draft = _RowPlanBuilder(fates, tokens, mark, opened, hidden, mask, _numbers(most))
    done = 0
    for position, kind, index in marks:
        _add_messages(draft, done, position)
        done = max(done, position)
        draft.kinds.append(kind)
        draft.indices.append(index)
    _add_messages(draft, done, count)
    draft.rows.append(len(draft.kinds))
    return RowPlan(bytes(draft.kinds), draft.indices, draft.rows, tuple(draft.folds))


def _numbers(count: int) -> array[int]:
    """0, 1, 2, …, ``count`` of them or more: slices are copied, ten times faster than a range."""
    numbers = _all_numbers()
    numbers.extend(range(len(numbers), count))
    return numbers


@cache
def _all_numbers() -> array[int]:
    """As many as the longest list needed; one that grows adds those of the rows that came."""
    return array("i")


def _marks(
    count: int,
    cuts: Sequence[CutRow],
    recorded: Sequence[RecordedRow],
    opened: frozenset[OpenedKey],
) -> list[tuple[int, int, int]]:
    """(position, kind, index) of the rows between messages; recorded ones come before cuts."""
    marks: list[tuple[int, int, int]] = []
    for index, row in enumerate(recorded):
        marks.append((row.position, RowKind.RECORDED, index))
        if (RowKind.RECORDED, index) in opened and row.summary:
            marks.append((row.position, RowKind.SUMMARY, index))
    for index, cut in enumerate(cuts):
        marks.append((cut.position, RowKind.COMPACTED if cut.wide else RowKind.CUT, index))
    marks.sort(key=lambda mark: mark[0])
    return [(min(max(position, 0), count), kind, index) for position, kind, index in marks]


def _add_messages(draft: _RowPlanBuilder, start: int, end: int) -> None:
    """The messages [start, end), between which nothing else stands."""
    if end <= start:
        return
    if not draft.fates:
        _show(draft, start, end)
    elif draft.hidden or draft.mask:
        _show_filtered(draft, start, end)
    else:
        _show_folded(draft, start, end)


def _show(draft: _RowPlanBuilder, start: int, end: int) -> None:
    row = len(draft.kinds)
    draft.kinds.extend(bytes(end - start))
    draft.indices.extend(draft.numbers[start:end])
    draft.rows.extend(draft.numbers[row : row + end - start])


def _show_folded(draft: _RowPlanBuilder, start: int, end: int) -> None:
    for run in _LONG_RUN.finditer(draft.fates, start, end):
        first, last = run.start() + HEAD, run.end() - TAIL
        _show(draft, start, first)
        _add_fold(draft, run.start(), first, last)
        start = last
    _show(draft, start, end)


def _add_fold(draft: _RowPlanBuilder, run: int, start: int, end: int) -> None:
    fate = draft.fates[run]
    is_open = (RowKind.FOLD, run) in draft.opened
    text = fold_text(start, end, fate, draft.tokens[start:end], draft.mark, more=not is_open)
    draft.indices.append(len(draft.folds))
    draft.kinds.append(RowKind.OPEN_FOLD if is_open else RowKind.FOLD)
    draft.folds.append(FoldedRun(run, start, end, fate, text))
    if is_open:
        _show(draft, start, end)
    else:
        draft.rows.extend(array("i", (len(draft.kinds) - 1,)) * (end - start))


def _show_filtered(draft: _RowPlanBuilder, start: int, end: int) -> None:
    """Only messages of fates that are not hidden and that the mask lets through; the others point at
    the next row."""
    table = bytes(code not in draft.hidden for code in range(256))
    shown = draft.fates[start:end].translate(table)
    if draft.mask:
        shown = all_of((shown, draft.mask[start:end]), end - start)
    row = len(draft.kinds)
    draft.kinds.extend(bytes(sum(shown)))
    draft.indices.extend(compress(draft.numbers[start:end], shown))
    draft.rows.extend(accumulate(shown[:-1], initial=row))
