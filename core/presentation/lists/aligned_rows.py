"""The rows of the aligned list as columns, and those of a part of them."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import accumulate, compress
from typing import NamedTuple

from core.presentation.lists.row_plan import CollapsedRun, RowKind, RowPlan

HAS_MESSAGE = (RowKind.MESSAGE, RowKind.SPLIT, RowKind.CELL)
"""Kinds of rows with a message at the left, at the right, or at both."""


@dataclass(frozen=True, slots=True)
class Block:
    """The rows [first, first + rows) whose right half is one cell: the message ``result`` of the
    result, or with -1 a removed run. ``sources`` are the messages [start, end) beside it, none for
    an inserted cell."""

    first: int
    rows: int
    result: int
    sources: tuple[int, int]
    fate: int


@dataclass(frozen=True, slots=True)
class AlignedPlan:
    """The rows of a list; rows and messages count from 0.

    ``kinds[row]`` is a RowKind. ``left[row]`` is a source message, ``right[row]`` a message of the
    result, -1 for none; of a collapsed run, cut or recorded row ``left`` is its index. ``rows`` are
    the rows of all messages, of each side; a collapsed one is at the row of its run, a summary at
    the top of its cell, a filtered one at the next."""

    kinds: bytes = b""
    left: array[int] = field(default_factory=lambda: array("i"))
    right: array[int] = field(default_factory=lambda: array("i"))
    blocks: tuple[Block, ...] = ()
    collapsed: tuple[CollapsedRun, ...] = ()
    rows: Mapping[str, array[int]] = field(
        default_factory=lambda: {"before": array("i"), "after": array("i")}
    )

    def __len__(self) -> int:
        return len(self.kinds)

    def block_at(self, row: int) -> Block | None:
        """Return the cell beside a row."""
        at = bisect_right(self.blocks, row, key=lambda block: block.first) - 1
        if at < 0 or row >= self.blocks[at].first + self.blocks[at].rows:
            return None
        return self.blocks[at]

    def message_at(self, row: int) -> tuple[str, int]:
        """Return side and index of the message of a row, the source first; ("", -1) for none."""
        if not 0 <= row < len(self.kinds) or self.kinds[row] not in HAS_MESSAGE:
            return "", -1
        if self.left[row] >= 0:
            return "before", self.left[row]
        if self.kinds[row] == RowKind.CELL:
            block = self.block_at(row)
        else:
            block = None
        if block is not None:
            result = block.result
        else:
            result = self.right[row]
        if result >= 0:
            return ("after", result)
        return ("", -1)

    def row_of(self, side: str, message: int) -> int:
        """Return the row that shows a message or its collapsed run; -1 if it is filtered out."""
        rows = self.rows[side]
        if not 0 <= message < len(rows):
            return -1
        row = rows[message]
        if not 0 <= row < len(self.kinds):
            return -1
        return row if self._shows(row, side, message) else -1

    def _shows(self, row: int, side: str, message: int) -> bool:
        if self.kinds[row] == RowKind.COLLAPSED:
            run = self.collapsed[self.left[row]]
            return side == "after" or run.start <= message < run.end
        if side == "after":
            block = self.block_at(row)
        else:
            block = None
        if block is not None and block.first == row and block.result == message:
            return True
        column = self.left if side == "before" else self.right
        return self.kinds[row] in HAS_MESSAGE and column[row] == message

    def collapsed_at(self, message: int) -> CollapsedRun | None:
        return next(
            (run for run in self.collapsed if run.start <= message < run.end), None
        )

    def near(self, row: int) -> tuple[str, int]:
        """Return side and index of the message of a row, else of the nearest below, else above."""
        for number in (
            *range(row, min(row + 100, len(self.kinds))),
            *range(row - 1, max(row - 100, -1), -1),
        ):
            if self.kinds[number] == RowKind.COLLAPSED:
                return "before", self.collapsed[self.left[number]].start
            side, message = self.message_at(number)
            if message >= 0:
                return side, message
        return "", -1


def side_plan(plan: RowPlan, side: str) -> AlignedPlan:
    """Return the rows of one side alone: messages are in its column, collapsed runs and cuts at the
    left."""
    nothing = array("i", (-1,)) * len(plan)
    rows = {"before": array("i"), "after": array("i"), side: plan.rows[:-1]}
    if side == "before":
        return AlignedPlan(plan.kinds, plan.indices, nothing, (), plan.collapsed, rows)
    left = array("i", plan.indices)
    for row in compress(range(len(plan)), map(RowKind.MESSAGE.__eq__, plan.kinds)):
        left[row] = -1
    return AlignedPlan(plan.kinds, left, plan.indices, (), plan.collapsed, rows)


def with_cut_at(plan: AlignedPlan, cut: int, message: int) -> AlignedPlan:
    """Return rows of the source alone, with all messages, with the cut of an index before another
    message: a step of a drag, in the time of a copy."""
    at = plan.kinds.find(RowKind.CUT)
    while at >= 0 and plan.left[at] != cut:
        at = plan.kinds.find(RowKind.CUT, at + 1)
    rows = plan.rows["before"]
    if message < len(rows):
        goal = rows[message]
    else:
        goal = len(plan)
    if at < 0 or at <= goal <= at + 1:
        return plan
    first, last = sorted((bisect_left(rows, at), message))
    goal, shift = (goal - 1, -1) if goal > at else (goal, 1)
    kinds = bytearray(plan.kinds)
    left = plan.left[:]
    rows = rows[:]
    kinds.insert(goal, kinds.pop(at))
    left.insert(goal, left.pop(at))
    rows[first:last] = array("i", [row + shift for row in rows[first:last]])
    return replace(
        plan, kinds=bytes(kinds), left=left, rows={**plan.rows, "before": rows}
    )


def filtered_plan(plan: AlignedPlan, before: bytes, after: bytes) -> AlignedPlan:
    """Return the rows of a plan without cells that a filter lets pass: one byte per message of each
    side, 0 hides it."""

    def passes(kind: int, left: int, right: int) -> bool:
        if kind not in HAS_MESSAGE:
            return True
        if left >= 0:
            return bool(before[left])
        return bool(after[right])

    mask = bytes(map(passes, plan.kinds, plan.left, plan.right))
    numbers = array("i", accumulate(mask, initial=0))
    rows = {
        side: array("i", map(numbers.__getitem__, rows))
        for side, rows in plan.rows.items()
    }
    left, right = (
        array("i", compress(column, mask)) for column in (plan.left, plan.right)
    )
    return AlignedPlan(bytes(compress(plan.kinds, mask)), left, right, (), (), rows)


PUT_BACK = "put back by you"
"""What the row of a message says that the user put back."""


class CellSizes(NamedTuple):
    """Tokens before and after as a cell shows them: "40,052 → ≤1,359 tokens"."""

    before: str
    after: str

    @property
    def lead(self) -> str:
        """What stands before the new size."""
        return f"{self.before} → " if self.before else ""

    @property
    def text(self) -> str:
        return f"{self.lead}{self.after} tokens"


@dataclass(frozen=True, slots=True)
class CellText:
    """A message of the result that stands for several of the source. While it is not written,
    ``state`` says so; ``text`` is then empty, or what was written for other settings."""

    title: str  # "88 messages → 1"
    sizes: CellSizes
    text: str
    note: str  # "offline, no model", "haiku, $0.05, 18 s"
    state: str = ""  # "haiku writes the summary when you press Compact"
    subject: str = ""  # what it stands for: "88 messages"


class EditedLines(NamedTuple):
    """Both lines of an edited message from a little before they first differ, which is further on
    than its row reaches."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class AlignedColumns:
    """``results[i]`` is the message of the result that source message i went to, -1 for none;
    ``reason_codes[i]`` indexes ``reasons``, why it is no longer there, -1 for none, and
    ``reason_links``, the message that the reason names, -1 for none. ``cells`` and ``edits`` are by
    result message. ``put_back`` are source messages that the user put back."""

    results: array[int] = field(default_factory=lambda: array("q"))
    reasons: tuple[str, ...] = ()
    reason_codes: array[int] = field(default_factory=lambda: array("i"))
    cells: Mapping[int, CellText] = field(default_factory=dict)
    edits: Mapping[int, EditedLines] = field(default_factory=dict)
    _: KW_ONLY
    put_back: frozenset[int] = frozenset()
    reason_links: tuple[int, ...] = ()

    def reason(self, source: int) -> str:
        """Return why a message was removed, "superseded by the write in #137"; "" where nothing
        says it."""
        code = self._reason_code(source)
        if code >= 0:
            return self.reasons[code]
        return ""

    def reason_link(self, source: int) -> int:
        """Return the source message that the reason names, 136; -1 for none."""
        code = self._reason_code(source)
        if 0 <= code < len(self.reason_links):
            return self.reason_links[code]
        return -1

    def _reason_code(self, source: int) -> int:
        if source < len(self.reason_codes):
            return self.reason_codes[source]
        return -1
