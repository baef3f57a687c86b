"""The rows of a message list in order: messages, cuts, collapsed runs and recorded compactions."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from itertools import accumulate, compress

from core.presentation.lists.row_wording import collapsed_text
from core.presentation.model import FATES, CutRow, RecordedRow
from core.presentation.row_filter import all_mask


class RowFlag(IntFlag):
    """The user's marks on a source message, as the row's gutter shows them."""

    NONE = 0
    MARK = 1
    KEEP = 2  # pinned to be kept
    DROP = 4  # pinned to go first
    NOTE = 8  # a note with words


@dataclass(frozen=True, slots=True)
class MessageCopy:
    """A message as text for the clipboard, and a sentence that says so."""

    text: str
    description: str


LONGEST_EXPANDED = 24
"""Longest run of changed messages that is not collapsed."""
COLLAPSED_HEAD_MESSAGES = 12
"""Messages shown before a collapsed run."""
COLLAPSED_TAIL_MESSAGES = 4
"""Messages shown after a collapsed run."""

RECORDED_ROWS = 8
"""Rows of the summary of a recorded compaction, opened."""

_KEPT = FATES.index("kept")
_LONG_RUN = re.compile(rb"[^\x%02x]{%d,}" % (_KEPT, LONGEST_EXPANDED + 1), re.DOTALL)


class RowKind(IntEnum):
    MESSAGE = 0
    COLLAPSED = 1  # closed
    EXPANDED = 2  # its messages follow
    CUT = 3
    COMPACTED = 4  # "— context compacted (148k → 64k tokens) —"
    RECORDED = 5  # a recorded compaction
    SUMMARY = 6  # one of the rows of a recorded compaction's summary, opened
    SPLIT = 7  # a message and what became of it, or one of them
    CELL = 8  # a message, or none, beside the cell of a run
    SYSTEM = 9  # tokens of the request that are in no message


ExpandedKey = tuple[RowKind, int]
"""(COLLAPSED, first message of its run) or (RECORDED, index of the recorded row)."""


@dataclass(frozen=True, slots=True)
class CollapsedRun:
    """The messages [start, end) behind one row, of the run that begins at ``run_start``."""

    run_start: int
    start: int
    end: int
    fate: int  # of most of its messages
    text: str  # "229 more summarised · #96–#324 · 75,727 tokens"

    @property
    def expanded_key(self) -> ExpandedKey:
        return (RowKind.COLLAPSED, self.run_start)


@dataclass(frozen=True, slots=True)
class RowPlan:
    """The rows of a list; rows and messages count from 0. ``kinds[row]`` is a RowKind;
    ``indices[row]`` indexes the messages, ``collapsed``, cuts or recorded rows. ``rows[message]``
    is the row of a message or of its collapsed run, for a filtered one the next row;
    ``rows[count]`` is ``len(plan)``."""

    kinds: bytes = b""
    indices: array[int] = field(default_factory=lambda: array("i"))
    rows: array[int] = field(default_factory=lambda: array("i", (0,)))
    collapsed: tuple[CollapsedRun, ...] = ()

    def __len__(self) -> int:
        return len(self.kinds)

    def kind_and_index(self, row: int) -> tuple[int, int]:
        return self.kinds[row], self.indices[row]

    def row_of(self, message: int) -> int:
        """Return the row that shows a message or its collapsed run; -1 if it is filtered out."""
        if not 0 <= message < len(self.rows) - 1 or self.rows[message] >= len(self.kinds):
            return -1
        row = self.rows[message]
        kind, index = self.kind_and_index(row)
        if kind == RowKind.COLLAPSED:
            return row if self.collapsed[index].start <= message < self.collapsed[index].end else -1
        return row if kind == RowKind.MESSAGE and index == message else -1


@dataclass(slots=True, kw_only=True)
class _RowPlanBuilder:
    fates: bytes
    tokens: Sequence[int]
    expanded: frozenset[ExpandedKey]
    hidden: frozenset[int]
    mask: bytes
    kinds: bytearray = field(default_factory=bytearray)
    indices: array[int] = field(default_factory=lambda: array("i"))
    rows: array[int] = field(default_factory=lambda: array("i"))
    collapsed: list[CollapsedRun] = field(default_factory=list)

    def add_row(self, kind: int, index: int) -> None:
        self.kinds.append(kind)
        self.indices.append(index)

    def add_messages(self, start: int, end: int) -> None:
        """Add the messages [start, end): all before a preview, those that pass a filter, or with
        collapsed runs."""
        if end <= start:
            return
        if not self.fates:
            self._show(start, end)
        elif self.hidden or self.mask:
            self._show_filtered(start, end)
        else:
            for run in _LONG_RUN.finditer(self.fates, start, end):
                collapsed_start, collapsed_end = (
                    run.start() + COLLAPSED_HEAD_MESSAGES,
                    run.end() - COLLAPSED_TAIL_MESSAGES,
                )
                self._show(start, collapsed_start)
                self._add_collapsed(run.start(), collapsed_start, collapsed_end)
                start = collapsed_end
            self._show(start, end)

    def _show(self, start: int, end: int) -> None:
        row = len(self.kinds)
        self.kinds.extend(bytes(end - start))
        self.indices.extend(range(start, end))
        self.rows.extend(range(row, row + end - start))

    def _add_collapsed(self, run: int, start: int, end: int) -> None:
        fates, is_open = self.fates[start:end], (RowKind.COLLAPSED, run) in self.expanded
        fate = max(set(fates), key=fates.count)
        text = collapsed_text(start, end, fates, self.tokens[start:end], has_more=not is_open)
        self.add_row(RowKind.EXPANDED if is_open else RowKind.COLLAPSED, len(self.collapsed))
        self.collapsed.append(CollapsedRun(run, start, end, fate, text))
        if is_open:
            self._show(start, end)
        else:
            self.rows.extend(array("i", (len(self.kinds) - 1,)) * (end - start))

    def _show_filtered(self, start: int, end: int) -> None:
        """Add messages that pass fates and mask; the others point at the next row."""
        mask = self.fates[start:end].translate(
            bytes(code not in self.hidden for code in range(256))
        )
        if self.mask:
            mask = all_mask((mask, self.mask[start:end]), end - start)
        row = len(self.kinds)
        self.kinds.extend(bytes(sum(mask)))
        self.indices.extend(compress(range(start, end), mask))
        self.rows.extend(accumulate(mask[:-1], initial=row))


def row_plan(
    count: int,
    fates: bytes = b"",
    cuts: Sequence[CutRow] = (),
    recorded: Sequence[RecordedRow] = (),
    expanded: frozenset[ExpandedKey] = frozenset(),
    hidden: frozenset[int] = frozenset(),
    tokens: Sequence[int] = (),
    mask: bytes = b"",
    *,
    has_system: bool = False,
) -> RowPlan:
    """Return the rows of a list of ``count`` messages, in linear time.

    ``fates`` is empty without a preview. Runs of changed messages longer than LONGEST_EXPANDED
    collapse to some messages, one row and some messages; kept messages never do. A cut or recorded
    compaction ends a run, so that none hides it. With a ``hidden`` fate or a ``mask`` (one byte per
    message, 0 hides it) nothing is collapsed. ``has_system`` puts the row of the system prompt
    first.
    """
    builder = _RowPlanBuilder(
        fates=fates, tokens=tokens, expanded=expanded, hidden=hidden, mask=mask
    )
    added = 0
    for boundary, kind, index in separators(count, cuts, recorded, expanded, has_system=has_system):
        builder.add_messages(added, boundary)
        added = max(added, boundary)
        builder.add_row(kind, index)
    builder.add_messages(added, count)
    builder.rows.append(len(builder.kinds))
    return RowPlan(bytes(builder.kinds), builder.indices, builder.rows, tuple(builder.collapsed))


def separators(
    count: int,
    cuts: Sequence[CutRow],
    recorded: Sequence[RecordedRow],
    expanded: frozenset[ExpandedKey],
    *,
    has_system: bool = False,
) -> list[tuple[int, int, int]]:
    """Return (boundary, kind, index) of rows between messages, recorded ones before cuts."""
    separators: list[tuple[int, int, int]] = [(0, RowKind.SYSTEM, 0)] if has_system else []
    for index, row in enumerate(recorded):
        separators.append((row.boundary, RowKind.RECORDED, index))
        if (RowKind.RECORDED, index) in expanded and row.summary:
            separators += [(row.boundary, RowKind.SUMMARY, index)] * RECORDED_ROWS
    for index, cut in enumerate(cuts):
        separators.append(
            (cut.boundary, RowKind.COMPACTED if cut.is_compaction else RowKind.CUT, index)
        )
    separators.sort(key=lambda separator: separator[0])
    return [(min(max(boundary, 0), count), kind, index) for boundary, kind, index in separators]
