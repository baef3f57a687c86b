"""Plans the rows of the message list: either one side, with fates and separators, or each message
beside its result."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

from core.common.number_format import plural
from core.presentation.filter_query import all_mask, carried_mask
from core.presentation.lists.aligned_rows import HAS_MESSAGE, AlignedPlan, Block
from core.presentation.lists.row_plan import (
    COLLAPSED_HEAD_MESSAGES,
    COLLAPSED_TAIL_MESSAGES,
    LONGEST_EXPANDED,
    CollapsedRun,
    ExpandedKey,
    RowFlag,
    RowKind,
    collapsed_text,
    counterpart_message,
    separators,
    total_mark,
)
from core.presentation.model import (
    EDITED,
    FATES,
    INSERTED_CODE,
    KEPT,
    SUMMARISED,
    CutRow,
    FateRun,
    MessageRows,
    RecordedRow,
)
from core.presentation.screen_model import Screen, ScreenResult, ScreenSource

_ALIGNED = re.compile(rb"[\x%02x\x%02x]+" % (KEPT, EDITED), re.DOTALL)
_SAME_FATE = re.compile(rb"(.)\1*", re.DOTALL)
_LONGEST_INSIDE = 6  # removed messages inside a summarised run that do not divide it

Piece = tuple[int, int, int]
"""Source messages [start, end) that stand one to one in the result, from the message ``at`` on."""


def aligned_pieces(fates: bytes, results: array[int]) -> list[Piece]:
    """Return the pieces of kept and edited messages, ascending on both sides: those of most
    messages."""
    pieces: list[Piece] = []
    for found in _ALIGNED.finditer(fates):
        start, end = found.span()
        at = results[start]
        if at >= 0 and results[start:end] == array(
            results.typecode, range(at, at + end - start)
        ):
            pieces.append((start, end, at))
        else:
            pieces += _pieces_one_by_one(results, start, end)
    is_ascending = all(
        first[2] + first[1] - first[0] <= second[2]
        for first, second in pairwise(pieces)
    )
    if is_ascending:
        return pieces
    return _ascending(pieces)


def _pieces_one_by_one(results: array[int], start: int, end: int) -> Iterator[Piece]:
    first = start
    for index in range(start, end):
        if index > first and results[index] != results[index - 1] + 1:
            if results[first] >= 0:
                yield first, index, results[first]
            first = index
    if results[first] >= 0:
        yield first, end, results[first]


def _ascending(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the ascending pieces that have the most messages together."""
    # Of the best chains, by their end.
    ends, weights, numbers = (
        list[int](),
        list[int](),
        list[int](),
    )
    previous = [-1] * len(pieces)
    for number, (start, end, at) in enumerate(pieces):
        index = bisect_right(ends, at) - 1
        previous[number] = numbers[index] if index >= 0 else -1
        weight = end - start + (weights[index] if index >= 0 else 0)
        after = at + end - start
        index = bisect_left(ends, after)
        if index < len(ends) and ends[index] == after and weights[index] >= weight:
            continue
        if index > 0 and weights[index - 1] >= weight:
            continue
        last = index
        while last < len(ends) and weights[last] <= weight:
            last += 1
        ends[index:last], weights[index:last], numbers[index:last] = (
            [after],
            [weight],
            [number],
        )
    chain = list[Piece]()
    number = numbers[-1] if numbers else -1
    while number >= 0:
        chain.append(pieces[number])
        number = previous[number]
    return chain[::-1]


@dataclass(frozen=True, slots=True)
class Segment:
    """Source messages [start, end) of one fate that went to the message ``target`` of the result,
    -1 for nowhere. A summarised one may hold a few removed messages."""

    start: int
    end: int
    target: int
    fate: int

    @property
    def is_removed(self) -> bool:
        return self.target < 0

    @property
    def is_moved(self) -> bool:
        """Kept or edited, but at another place in the result."""
        return self.fate in (KEPT, EDITED)


def gap_segments(
    fates: bytes, results: array[int], breaks: Sequence[int], span: tuple[int, int]
) -> list[Segment]:
    """Return the segments of the source messages of ``span``; none reaches over one of the
    ``breaks``."""
    segments: list[Segment] = []
    for segment in _split_at(_by_fate(fates, results, *span), breaks):
        before = segments[-2:]
        if segment.fate == SUMMARISED and before and segment.start not in breaks:
            if before[-1].is_removed:
                host = before[0]
            else:
                host = before[-1]
            inside = segment.start - host.end
            is_joined = (
                host.target == segment.target
                and host.fate == SUMMARISED
                and inside <= _LONGEST_INSIDE
            )
            if is_joined and not _has_break(breaks, host.end, segment.start):
                segments[segments.index(host) :] = [replace(host, end=segment.end)]
                continue
        segments.append(segment)
    return segments


def _has_break(breaks: Sequence[int], start: int, end: int) -> bool:
    at = bisect_left(breaks, start)
    return at < len(breaks) and breaks[at] <= end


def _by_fate(
    fates: bytes, results: array[int], start: int, end: int
) -> Iterator[Segment]:
    for run in _SAME_FATE.finditer(fates, start, end):
        first, last = run.span()
        target = results[first]
        if results[last - 1] == target and (
            last - first < 3 or results[first:last].count(target) == last - first
        ):
            yield Segment(first, last, target, fates[first])
            continue
        for value, group in groupby(range(first, last), results.__getitem__):
            members = [*group]
            yield Segment(members[0], members[-1] + 1, value, fates[first])


def _split_at(segments: Iterator[Segment], breaks: Sequence[int]) -> Iterator[Segment]:
    for segment in segments:
        start = segment.start
        for boundary in breaks[
            bisect_right(breaks, start) : bisect_left(breaks, segment.end)
        ]:
            yield replace(segment, start=start, end=boundary)
            start = boundary
        yield replace(segment, start=start)


@dataclass(frozen=True, slots=True)
class Gap:
    """Which segment has which message of the result beside it, and which of the others follow a
    segment; -1: those before the first."""

    hosts: dict[int, int]
    extra: dict[int, list[int]]

    @staticmethod
    def of(
        segments: Sequence[Segment], results: tuple[int, int], *, has_cells: bool
    ) -> Gap:
        """Place the messages ``results`` of the result: a summary beside its longest segment."""
        hosts = dict[int, int]()
        extra = dict[int, list[int]]()
        for number, segment in enumerate(segments):
            if results[0] <= segment.target < results[1]:
                former = segments[hosts.get(segment.target, number)]
                if segment.end - segment.start >= former.end - former.start:
                    hosts[segment.target] = number
        removed = (
            number
            for number, segment in enumerate(segments)
            if segment.is_removed and segment.end - segment.start > _LONGEST_INSIDE
        )
        if has_cells:
            host = next(removed, -1)
        else:
            host = len(segments) - 1
        for result in range(*results):
            if result in hosts:
                host = hosts[result]
            else:
                extra.setdefault(host, []).append(result)
        return Gap(hosts, extra)


CELL_ROWS, INSERTED_CELL_ROWS, STACKED_CELL_ROWS = 5, 8, 6
"""Least rows of a cell, of one without messages beside it, and of one below its messages."""
LONGEST_EXPANDED_REMOVAL = 6
"""Longest run of removed messages that has a row and a reason each."""
_SUMMARISED_COLLAPSED = (
    COLLAPSED_HEAD_MESSAGES,
    COLLAPSED_TAIL_MESSAGES,
    LONGEST_EXPANDED,
)
_REMOVED_COLLAPSED = (3, 2, LONGEST_EXPANDED_REMOVAL)
_STACKED_COLLAPSED = (3, 1, LONGEST_EXPANDED_REMOVAL)
_KEPT_COLLAPSED = (2, 2)
_LONG_KEPT = re.compile(
    rb"\x%02x{%d,}" % (KEPT, LONGEST_EXPANDED_REMOVAL + 1), re.DOTALL
)
_AddRows = Callable[[int, int, int], None]
_KINDS = bytes(
    RowKind.MESSAGE if code == KEPT else RowKind.SPLIT for code in range(256)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedInput:
    """Fates of the source messages; where each is in the result (-1: nowhere); the first source of
    each message of the result (-1: none), and its fate, INSERTED for a new one."""

    fates: bytes
    results: array[int]
    origin: array[int]
    after_fates: bytes
    tokens: Sequence[int] = ()
    cuts: Sequence[CutRow] = ()
    recorded: Sequence[RecordedRow] = ()
    has_system: bool = False  # the first row is that of the system prompt


@dataclass(frozen=True, slots=True)
class AlignedState:
    """What the user opened: collapsed runs, and the least rows of cells by their message of the
    result.

    With ``kept_collapsed`` kept runs collapse, too; with ``is_stacked`` what became of a row stands
    below it. ``has_cells`` is off for a filter: nothing is collapsed, and a summary is a row.
    """

    expanded: frozenset[ExpandedKey] = frozenset()
    least_rows: Mapping[int, int] = field(default_factory=dict)
    is_stacked: bool = False
    has_cells: bool = True
    kept_collapsed: bool = False


class _Builder:
    def __init__(self, inputs: AlignedInput, state: AlignedState) -> None:
        self._inputs, self._state = inputs, state
        self.kinds = bytearray()
        self.left = array("i")
        self.right = array("i")
        self.blocks: list[Block] = []
        self.collapsed: list[CollapsedRun] = []
        self.before = array("i")
        self.after = array("i", (-1,)) * len(inputs.origin)
        self._separators = separators(
            len(inputs.fates),
            inputs.cuts,
            inputs.recorded,
            state.expanded,
            has_system=inputs.has_system,
        )
        self._next_separator = 0
        breaks = (
            boundary for boundary, kind, _ in self._separators if kind == RowKind.CUT
        )
        self._breaks = sorted(set(breaks))

    def build(self) -> AlignedPlan:
        inputs = self._inputs
        source = result = 0
        last = (len(inputs.fates), len(inputs.fates), len(inputs.origin))
        for start, end, at in (*aligned_pieces(inputs.fates, inputs.results), last):
            first = at  # the first result of the piece's first message, which may have several
            while first > result and inputs.origin[first - 1] == start:
                first -= 1
            if start > source or first > result:
                segments = gap_segments(
                    inputs.fates, inputs.results, self._breaks, (source, start)
                )
                self._add_gap(segments, (result, first))
            source = end
            result = at + end - start
            if first < at:
                self._add_several(start, first, at + 1)
                start = start + 1
                at = at + 1
            self._add_aligned(start, end, at)
        self._flush(len(inputs.fates))
        rows = {"before": self.before, "after": self.after}
        return AlignedPlan(
            bytes(self.kinds),
            self.left,
            self.right,
            tuple(self.blocks),
            tuple(self.collapsed),
            rows,
        )

    def _add_several(self, source: int, first: int, end: int) -> None:
        """Add a message that became several of the result, a row each."""
        self._flush(source)
        is_stacked = self._state.is_stacked
        self._add(
            RowKind.MESSAGE if is_stacked else RowKind.SPLIT,
            source,
            -1 if is_stacked else first,
        )
        for result in range(first + (not is_stacked), end):
            self._add(RowKind.SPLIT, -1, result)

    # Rows

    def _add(self, kind: int, left: int, right: int) -> None:
        if kind in HAS_MESSAGE and left >= 0:
            self.before.append(len(self.kinds))
        if right >= 0:
            self.after[right] = len(self.kinds)
        self.kinds.append(kind)
        self.left.append(left)
        self.right.append(right)

    def _add_sources(self, start: int, end: int, kind: int) -> None:
        """Add messages without a result beside them."""
        row = len(self.kinds)
        count = end - start
        self.kinds += bytes((kind,)) * count
        self.left.extend(range(start, end))
        self.right.extend(array("i", (-1,)) * count)
        self.before.extend(range(row, row + count))

    def _flush(self, boundary: int) -> None:
        """Add the rows between messages that come before a boundary."""
        while self._next_separator < len(self._separators):
            where, kind, index = self._separators[self._next_separator]
            if where > boundary:
                return
            self._next_separator += 1
            self._add(kind, index, -1)

    def _parts(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield [start, end) in parts with no row between their messages, each after the rows
        before it."""
        while start < end:
            self._flush(start)
            at = self._next_separator
            if at < len(self._separators):
                following = self._separators[at][0]
            else:
                following = end
            stop = min(end, following)
            yield start, stop
            start = stop

    def _add_aligned(self, start: int, end: int, at: int) -> None:
        """Add messages that stand one to one in the result, from its message ``at`` on."""
        for first, last in self._parts(start, end):
            add = self._add_stacked if self._state.is_stacked else self._add_beside
            shift = at - start  # from a source message to its message of the result
            long_runs = (
                _LONG_KEPT.finditer(self._inputs.fates, first, last)
                if self._state.kept_collapsed
                else ()
            )
            for run in long_runs:
                hidden = (
                    run.start() + _KEPT_COLLAPSED[0],
                    run.end() - _KEPT_COLLAPSED[1],
                )
                add(first, hidden[0], first + shift)
                self._add_kept_collapsed(run.start(), hidden, shift, add)
                first = hidden[1]
            add(first, last, first + shift)

    def _add_kept_collapsed(
        self, run: int, hidden: tuple[int, int], shift: int, add: _AddRows
    ) -> None:
        self._add_collapsed(run, hidden, None)
        start, end = hidden
        if (RowKind.COLLAPSED, run) in self._state.expanded:
            add(start, end, start + shift)
        else:
            self.after[start + shift : end + shift] = array(
                "i", (len(self.kinds) - 1,)
            ) * (end - start)

    def _add_beside(self, start: int, end: int, at: int) -> None:
        row = len(self.kinds)
        count = end - start
        self.kinds += self._inputs.fates[start:end].translate(_KINDS)
        self.left.extend(range(start, end))
        self.right.extend(range(at, at + count))
        self.before.extend(range(row, row + count))
        self.after[at : at + count] = array("i", range(row, row + count))

    def _add_stacked(self, start: int, end: int, at: int) -> None:
        for first in range(start, end):
            is_kept = self._inputs.fates[first] == KEPT
            self._add(RowKind.MESSAGE, first, at + first - start if is_kept else -1)
            if not is_kept:
                self._add(RowKind.SPLIT, -1, at + first - start)

    # What is not one to one

    def _add_gap(self, segments: Sequence[Segment], results: tuple[int, int]) -> None:
        gap = Gap.of(segments, results, has_cells=self._state.has_cells)
        self._add_extra(gap.extra.get(-1, ()))
        for number, segment in enumerate(segments):
            hosted = segment.target if gap.hosts.get(segment.target) == number else -1
            self._add_segment(segment, hosted, gap.extra.get(number, ()))

    def _add_extra(self, results: Sequence[int]) -> None:
        """Add messages of the result without a source beside them; a summary has a cell."""
        inputs = self._inputs
        for result in results:
            is_summary = (
                inputs.origin[result] >= 0
                and inputs.after_fates[result] == INSERTED_CODE
            )
            if is_summary and self._state.has_cells:
                row = len(self.before)
                rows = max(INSERTED_CELL_ROWS, self._state.least_rows.get(result, 0))
                self._add_block(len(self.kinds), rows, result, (row, row))
            else:
                self._add(RowKind.SPLIT, -1, result)

    def _add_segment(self, segment: Segment, hosted: int, extra: Sequence[int]) -> None:
        length = segment.end - segment.start
        is_stacked = self._state.is_stacked
        is_long = segment.is_removed and length > LONGEST_EXPANDED_REMOVAL
        # A single message stands beside its summary; more of them share a cell.
        is_hosted_run = hosted >= 0 and length != 1
        if self._state.has_cells and (is_hosted_run or is_long):
            add_cell = self._add_stacked_cell if is_stacked else self._add_cell
            add_cell(segment, hosted, extra)
            return
        if hosted >= 0 and length == 1 and not is_stacked:
            self._flush(segment.start)
            self._add(RowKind.SPLIT, segment.start, hosted)
        else:
            kind = RowKind.MESSAGE if is_stacked else RowKind.SPLIT
            collapsed = None if segment.is_moved else _SUMMARISED_COLLAPSED
            self._add_run(segment, kind, collapsed)
            if hosted >= 0:
                self._add(RowKind.SPLIT, -1, hosted)
        self._add_extra(extra)

    def _add_cell(self, segment: Segment, hosted: int, extra: Sequence[int]) -> None:
        """Add a run beside one cell; ``extra`` stand below the cell, in the last rows."""
        self._flush(segment.start)
        first = len(self.kinds)
        self._add_run(
            segment,
            RowKind.CELL,
            _REMOVED_COLLAPSED if hosted < 0 else _SUMMARISED_COLLAPSED,
        )
        if hosted >= 0:
            least = max(CELL_ROWS, self._state.least_rows.get(hosted, 0))
        else:
            least = 2
        rows = self.kinds[first:]
        plain = len(rows) - len(rows.rstrip(bytes((RowKind.CELL,))))
        missing = max(least + len(extra) - len(rows), len(extra) - plain, 0)
        for _ in range(missing):
            self._add(RowKind.CELL, -1, -1)
        end = len(self.kinds) - len(extra)
        for row, result in enumerate(extra, end):
            self.kinds[row], self.right[row], self.after[result] = (
                RowKind.SPLIT,
                result,
                row,
            )
        self._note_block(first, end - first, hosted, segment)

    def _add_stacked_cell(
        self, segment: Segment, hosted: int, extra: Sequence[int]
    ) -> None:
        self._add_run(segment, RowKind.MESSAGE, _STACKED_COLLAPSED)
        if hosted >= 0:
            rows = max(STACKED_CELL_ROWS, self._state.least_rows.get(hosted, 0))
            self._add_block(len(self.kinds), rows, hosted, (segment.start, segment.end))
        self._add_extra(extra)

    def _add_block(
        self, first: int, rows: int, result: int, sources: tuple[int, int]
    ) -> None:
        for _ in range(rows):
            self._add(RowKind.CELL, -1, -1)
        self._note_block(first, rows, result, Segment(*sources, result, INSERTED_CODE))

    def _note_block(self, first: int, rows: int, result: int, segment: Segment) -> None:
        self.blocks.append(
            Block(first, rows, result, (segment.start, segment.end), segment.fate)
        )
        if result >= 0:
            self.after[result] = first

    def _add_run(
        self, segment: Segment, kind: int, lengths: tuple[int, int, int] | None
    ) -> None:
        for start, end in self._parts(segment.start, segment.end):
            if (
                lengths is None
                or end - start <= lengths[2]
                or not self._state.has_cells
            ):
                self._add_sources(start, end, kind)
                continue
            self._add_sources(start, start + lengths[0], kind)
            self._add_collapsed(start, (start + lengths[0], end - lengths[1]), kind)
            self._add_sources(end - lengths[1], end, kind)

    def _add_collapsed(
        self, run_start: int, hidden: tuple[int, int], kind: int | None
    ) -> None:
        """Add the row of a collapsed run; the messages of an expanded one follow as ``kind``, or by
        the caller."""
        (start, end), fates = hidden, self._inputs.fates[slice(*hidden)]
        is_open = (RowKind.COLLAPSED, run_start) in self._state.expanded
        text = collapsed_text(
            start, end, fates, self._inputs.tokens[start:end], has_more=not is_open
        )
        fate = max(set(fates), key=fates.count)
        self._add(
            RowKind.EXPANDED if is_open else RowKind.COLLAPSED, len(self.collapsed), -1
        )
        self.collapsed.append(CollapsedRun(run_start, start, end, fate, text))
        if is_open and kind is not None:
            self._add_sources(start, end, kind)
        elif not is_open:
            self.before.extend(array("i", (len(self.kinds) - 1,)) * (end - start))


def aligned_plan(
    inputs: AlignedInput, state: AlignedState = AlignedState()
) -> AlignedPlan:
    """Return the rows of source and result side by side, in linear time.

    Source order leads. Messages that are kept or edited are aligned where the result keeps their
    order. What lies between two of them on both sides stands beside each other: a summarised run
    beside the cell of its summary, a removed message beside its reason, new messages in rows of
    their own.
    """
    return _Builder(inputs, state).build()


_NO_ORIGINS = array("q")
MOST_PLANNED_IN_WINDOW = 50_000
"""Messages whose rows the window plans itself, in about 10 ms; the worker plans those of more."""


@dataclass(frozen=True, slots=True)
class ListContent:
    """The ``side`` of a screen ("before" or "after"): its rows and the separators between them."""

    side: str
    screen: Screen

    @property
    def _part(self) -> ScreenSource | ScreenResult:
        if self.side == "before":
            return self.screen.source
        return self.screen.result

    @property
    def rows(self) -> MessageRows:
        return self._part.rows

    @property
    def fates(self) -> bytes:
        """The fate of each row; empty before any preview."""
        return self._part.fates

    @property
    def origins(self) -> array[int]:
        """The source of each row; empty on the side before."""
        if self.side == "before":
            return _NO_ORIGINS
        return self.screen.result.origin

    @property
    def runs(self) -> tuple[FateRun, ...]:
        return self.screen.ruler.runs

    @property
    def cuts(self) -> tuple[CutRow, ...]:
        if self.side == "before" and self.screen.no_op:
            return ()
        return self._part.cuts

    @property
    def recorded(self) -> tuple[RecordedRow, ...]:
        if self.side == "before":
            return self.screen.recorded
        return ()

    @property
    def heading(self) -> str:
        """The messages: "169 messages · run 3, written by haiku"."""
        if self.side == "before":
            return plural(len(self.rows), "message")
        return self.screen.result.heading

    @property
    def hidden(self) -> int:
        """The tokens of the request that are in no message."""
        if self.side == "before":
            return self.screen.ruler.totals.hidden
        return 0

    @property
    def hidden_name(self) -> str:
        return self.screen.ruler.totals.hidden_name

    @property
    def stale(self) -> bool:
        """True where a summary in it was written for other settings."""
        return self.side == "after" and self.screen.request.stale

    @property
    def token_mark(self) -> str:
        """How tokens were counted: "=", "≈" or "–"."""
        totals = self.screen.ruler.totals
        return total_mark(
            totals.before_total if self.side == "before" else totals.after_total
        )

    def fate(self, index: int) -> int:
        """Return the fate code of a message, -1 before any preview."""
        if self.fates:
            return self.fates[index]
        return -1

    def source(self, index: int) -> int:
        """Return the source message of a row, -1 for none."""
        if self.side == "before":
            return index
        if 0 <= index < len(self.origins):
            return self.origins[index]
        return -1

    def row_flags(self, index: int, flags: Mapping[int, RowFlag]) -> RowFlag:
        """Return the flags of a row, given by source message; inserted rows have none."""
        is_inserted = self.side == "after" and self.fate(index) >= len(FATES)
        if is_inserted:
            return RowFlag.NONE
        return flags.get(self.source(index), RowFlag.NONE)

    def flag_mask(self, flags: Mapping[int, RowFlag]) -> bytes:
        """Return one byte per row: 1 if it has any flag."""
        if not any(flags.values()):
            return b""
        if self.side == "before":
            size = len(self.rows)
        else:
            size = max(self.origins, default=-1) + 1
        mask = bytearray(size)
        for message, flag in flags.items():
            if message < size:
                mask[message] = bool(flag)
        if self.side == "before":
            return bytes(mask)
        has_source = self.fates.translate(
            bytes(code < len(FATES) for code in range(256))
        )
        return all_mask(
            (carried_mask(bytes(mask), self.origins), has_source), len(self.rows)
        )

    def find_source(self, source: int) -> int:
        """Return the row of a source message, -1 for none."""
        if self.side == "before":
            return source if 0 <= source < len(self.rows) else -1
        candidate = counterpart_message(self.runs, source)
        if 0 <= candidate < len(self.origins) and self.origins[candidate] == source:
            return candidate  # found without searching all rows
        try:
            return self.origins.index(source)
        except ValueError:
            return -1

    def pair_messages(self, index: int) -> tuple[int, ...]:
        """Return a message, and those of this list that share a call and its results with it,
        ascending."""
        source = self.source(index)
        all_partners = self.screen.source.partners
        partners = all_partners.get(source)
        if not partners:
            return (index,)
        call = min(source, partners[0])
        found = {
            self.find_source(message) for message in (call, *all_partners.get(call, ()))
        }
        return tuple(sorted(found - {-1} | {index}))


def aligned_input(
    before: ListContent, after: ListContent, results: array[int]
) -> AlignedInput:
    """Return what the rows of the view Changes are planned from; ``results`` as in
    AlignedColumns."""
    return AlignedInput(
        fates=before.fates,
        results=results,
        origin=after.origins,
        after_fates=after.fates,
        tokens=before.rows.tokens,
        cuts=before.cuts,
        recorded=before.recorded,
        has_system=bool(before.hidden),
    )


def with_plan(screen: Screen) -> Screen:
    """Return a screen with the rows of its view Changes, if it has more than
    MOST_PLANNED_IN_WINDOW."""
    if len(screen.source.rows) <= MOST_PLANNED_IN_WINDOW or len(
        screen.aligned.results
    ) != len(screen.source.rows):
        return screen
    before = ListContent("before", screen)
    after = ListContent("after", screen)
    return replace(
        screen, plan=aligned_plan(aligned_input(before, after, screen.aligned.results))
    )


def find_same_message(previous: ListContent, current: ListContent, index: int) -> int:
    """Return the index of an old message in new content, by source or inserted message; -1 if it is
    gone."""
    if index < 0:
        return -1
    source = previous.source(index)
    if source >= 0:
        return current.find_source(source)
    return index if index < len(current.rows) and current.source(index) < 0 else -1
