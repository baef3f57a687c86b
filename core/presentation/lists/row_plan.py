"""The rows of a message list in order, with their words: messages, cuts, collapsed runs and
recorded compactions."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from itertools import accumulate, compress

from core.common import number_format
from core.common.excerpts import as_json, one_line_text
from core.presentation.filter_query import all_mask
from core.presentation.model import (
    FATES,
    INSERTED,
    KEPT,
    SPEAKERS,
    UNREPORTED,
    CutRow,
    FateRun,
    MessageRows,
    RecordedRow,
)
from core.transcript.images import media_size
from core.transcript.model import Media, Opaque


def _before_start(run: FateRun) -> int:
    return run.before[0]


def _after_start(run: FateRun) -> int:
    return run.after[0]


def span_of(run: FateRun, side: str) -> tuple[int, int]:
    """Return the messages [start, end) of a run on ``side`` "before" or "after"."""
    return run.before if side == "before" else run.after


def run_at(runs: Sequence[FateRun], side: str, message: int) -> int:
    """Return the index of the run that holds a message of a side, -1 if none."""
    key = _before_start if side == "before" else _after_start
    index = bisect_right(runs, message, key=key) - 1
    while index >= 0:
        start, end = span_of(runs[index], side)
        if start <= message < end:
            return index
        if end > start:
            return -1
        index -= 1
    return -1


def counterpart_message(runs: Sequence[FateRun], message: int) -> int:
    """Return the message of the result in the place of one before it, -1 for none. Runs of equal
    length map one to one, others to their first message."""
    index = run_at(runs, "before", message)
    if index < 0:
        return -1
    start, end = runs[index].before
    goal_start, goal_end = runs[index].after
    if goal_end == goal_start:
        return -1
    if goal_end - goal_start == end - start:
        return goal_start + message - start
    return goal_start


def merged_runs(runs: Sequence[FateRun]) -> tuple[FateRun, ...]:
    """Join runs that became one result, over a removed run between them."""
    merged: list[FateRun] = []
    for run in runs:
        first = len(merged) - 1
        if first > 0 and merged[first].after[0] == merged[first].after[1]:
            first -= 1
        if first >= 0 and run.results:
            before = merged[first]
        else:
            before = None
        if before is not None and (before.fate, before.after) == (run.fate, run.after):
            merged[first:] = [before._replace(before=(before.before[0], run.before[1]))]
        else:
            merged.append(run)
    return tuple(merged)


@dataclass(frozen=True, slots=True)
class ChangedRun:
    """A run with a fate other than kept, the ``number``-th (from 1) of ``total``."""

    run: FateRun
    number: int
    total: int


def adjacent_change(
    runs: Sequence[FateRun], side: str, message: int, step: int
) -> ChangedRun | None:
    """Return the next (``step`` 1) or previous (-1) change from a message, or None. Inside a
    change, its own start counts as the previous one."""
    changed = [run for run in runs if run.fate != KEPT]
    key = _before_start if side == "before" else _after_start
    if step > 0:
        index = bisect_right(changed, message, key=key)
    else:
        index = bisect_left(changed, message, key=key) - 1
    if 0 <= index < len(changed):
        return ChangedRun(changed[index], index + 1, len(changed))
    return None


LARGE_MESSAGE_TOKENS = 2000
"""Tokens from which a message's figure is bold."""

MARKS = ("≈", "=", number_format.UNKNOWN)


def fate_word(code: int) -> str:
    """Return the word of a fate code or of inserted."""
    if code < len(FATES):
        return FATES[code]
    return INSERTED


def token_figure(tokens: int) -> str:
    """Return tokens with thousands commas, a dash if unreported, nothing if uncounted."""
    if tokens >= 0:
        return number_format.count(tokens)
    return number_format.UNKNOWN if tokens == UNREPORTED else ""


def speaker_word(code: int) -> str:
    """Return "human", "AI", "tool" …"""
    return SPEAKERS[code].replace("ai", "AI")


def speaker_letter(code: int) -> str:
    """Return H, A, T, S or U, for narrow lists."""
    return SPEAKERS[code][0].upper()


def total_mark(total: str) -> str:
    """Return the mark of a total (one of MARKS), or nothing."""
    if total[:1] in MARKS:
        return total[0]
    return ""


def origin_text(origin: int, index: int) -> str:
    """Return the source number of result message ``index``, "#329"; empty if none or equal."""
    if origin >= 0 and origin != index:
        return number_format.message_number(origin)
    return ""


def collapsed_text(
    start: int, end: int, fates: bytes, tokens: Sequence[int], *, has_more: bool
) -> str:
    """Return "229 more summarised · #96–#324 · 75,727 tokens", with several fates "70 more ·
    #49–#118 · 64 edited, 6 pruned · …". ``tokens`` are those of the messages [start, end); the sum
    is left out if one is unknown."""
    counts = Counter(fates).most_common()
    if len(counts) == 1:
        one_fate = fate_word(counts[0][0])
    else:
        one_fate = ""
    words = ", ".join(
        f"{number_format.count(number)} {fate_word(code)}" for code, number in counts
    )
    head = (number_format.count(end - start), "more" if has_more else "", one_fate)
    if tokens and min(tokens) >= 0:
        total = number_format.plural(sum(tokens), "token")
    else:
        total = ""
    parts = (
        " ".join(filter(None, head)),
        number_format.span(start, end),
        "" if one_fate else words,
        total,
    )
    return " · ".join(filter(None, parts))


def chip_words(fate: int, count: int) -> tuple[str, str]:
    """Return (figure, word) of a fate chip: ("245", "summarised")."""
    return number_format.count(count), fate_word(fate)


def run_text(run: FateRun) -> str:
    """Return a run in words: "#84–#328 · 245 summarised → #84–#85"."""
    start, end = run.before
    text = fate_word(run.fate)
    if end > start:
        text = collapsed_text(start, end, bytes((run.fate,)), (), has_more=False)
    if run.after[1] > run.after[0]:
        return f"{text} → {number_format.span(*run.after)}"
    return text


def change_words(change: ChangedRun) -> str:
    """Return "#84–#328 · 245 summarised → #84–#85 · change 3 of 17"."""
    number = number_format.count(change.number)
    total = number_format.count(change.total)
    return f"{run_text(change.run)} · change {number} of {total}"


def stretch_words(rows: MessageRows, first: int, end: int) -> str:
    """Return "20,439 tokens · 2 of yours · 1 error" of the messages [first, end)."""
    tokens = sum(max(0, count) for count in rows.tokens[first:end])
    yours = rows.speakers[first:end].count(_HUMAN)
    errors = sum(map(bool, rows.errors[first:end]))
    parts = [f"{number_format.count(tokens)} tokens"]
    if yours:
        parts.append(f"{number_format.count(yours)} of yours")
    if errors:
        parts.append(number_format.plural(errors, "error"))
    return " · ".join(parts)


def stretch_query(query: str, first: int, end: int) -> str:
    """Return a query for the messages [first, end) of the source alone."""
    place = f"#{first + 1}-{end}"
    return " OR ".join(f"{place} {one}".strip() for one in query.split(" OR "))


def matches_words(before: bytes, after: bytes, needle: str = "") -> str:
    """Return "12 of 412 before, 5 of 169 after"; of a text "12 hold “retry”"."""
    if needle:
        count = before.count(1)
        if not count:
            return f"no message holds “{needle}”"
        verb = "holds" if count == 1 else "hold"
        return f"{number_format.count(count)} {verb} “{needle}”"
    return (
        f"{number_format.count(before.count(1))} of {number_format.count(len(before))} before, "
        f"{number_format.count(after.count(1))} of {number_format.count(len(after))} after"
    )


_HUMAN = SPEAKERS.index("human")
COUNTING = "counting"
"""Shown until a total is known."""


def rows_so_far(rows: MessageRows) -> str:
    """Return "1,204 messages so far"."""
    return f"{number_format.plural(len(rows), 'message')} so far"


def expected_tokens(rows: MessageRows, tokens: int) -> int:
    """Extrapolate the total from the counted rows, which have ``tokens``."""
    counted_rows = len(rows) - rows.tokens.count(-1)
    if counted_rows:
        return tokens * len(rows) // counted_rows
    return 0


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

_LONG_RUN = re.compile(rb"[^\x%02x]{%d,}" % (KEPT, LONGEST_EXPANDED + 1), re.DOTALL)


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
                collapsed_start = run.start() + COLLAPSED_HEAD_MESSAGES
                collapsed_end = run.end() - COLLAPSED_TAIL_MESSAGES
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
        fates = self.fates[start:end]
        is_open = (RowKind.COLLAPSED, run) in self.expanded
        fate = max(set(fates), key=fates.count)
        text = collapsed_text(
            start, end, fates, self.tokens[start:end], has_more=not is_open
        )
        self.add_row(
            RowKind.EXPANDED if is_open else RowKind.COLLAPSED, len(self.collapsed)
        )
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
    for boundary, kind, index in separators(
        count, cuts, recorded, expanded, has_system=has_system
    ):
        builder.add_messages(added, boundary)
        added = max(added, boundary)
        builder.add_row(kind, index)
    builder.add_messages(added, count)
    builder.rows.append(len(builder.kinds))
    return RowPlan(
        bytes(builder.kinds), builder.indices, builder.rows, tuple(builder.collapsed)
    )


def separators(
    count: int,
    cuts: Sequence[CutRow],
    recorded: Sequence[RecordedRow],
    expanded: frozenset[ExpandedKey],
    *,
    has_system: bool = False,
) -> list[tuple[int, int, int]]:
    """Return (boundary, kind, index) of rows between messages, recorded ones before cuts."""
    separators: list[tuple[int, int, int]] = (
        [(0, RowKind.SYSTEM, 0)] if has_system else []
    )
    for index, row in enumerate(recorded):
        separators.append((row.boundary, RowKind.RECORDED, index))
        if (RowKind.RECORDED, index) in expanded and row.summary:
            separators += [(row.boundary, RowKind.SUMMARY, index)] * RECORDED_ROWS
    for index, cut in enumerate(cuts):
        separators.append(
            (
                cut.boundary,
                RowKind.COMPACTED if cut.is_compaction else RowKind.CUT,
                index,
            )
        )
    separators.sort(key=lambda separator: separator[0])
    return [
        (min(max(boundary, 0), count), kind, index)
        for boundary, kind, index in separators
    ]


def media_text(media: Media) -> str:
    """Return "image 1,024 × 768" if the size is readable, else the type."""
    if media.mime.startswith("image"):
        measures = media_size(media.data)
    else:
        measures = None
    if measures:
        return f"image {number_format.count(measures[0])} × {number_format.count(measures[1])}"
    label = one_line_text(media.mime, 60) or "media"
    caption = one_line_text(media.caption, 80)
    if caption:
        return f"{label} · {caption}"
    return label


ENCRYPTED = "encrypted"


def opaque_text(opaque: Opaque, encrypted: str = ENCRYPTED) -> str:
    """Return a description of unreadable content: "encrypted, 41 kB"."""
    hidden = any(
        word in opaque.kind.lower() for word in ("encrypt", "redact", "compaction")
    )
    if hidden:
        label = encrypted
    else:
        label = one_line_text(opaque.kind, 60) or "unknown"
    return f"{label}, {number_format.size(len(as_json(opaque.raw)))}"
