"""One side of a screen as the list shows it: rows, fates, and the separators between them."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.common.number_format import plural
from core.presentation.lists.aligned_plan import AlignedInput, aligned_plan
from core.presentation.lists.row_plan import RowFlag
from core.presentation.lists.row_wording import counterpart_message, total_mark
from core.presentation.model import FATES, NO_ROWS, CutRow, FateRun, MessageRows, RecordedRow
from core.presentation.row_filter import all_mask, carried_mask
from core.presentation.screen_model import Screen

MOST_PLANNED_IN_WINDOW = 50_000
"""Messages whose rows the window plans itself, in about 10 ms; the worker plans those of more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListContent:
    """Rows with their fates (empty before any preview) and the separators between them.

    ``origins[i]`` is the source of row i, empty on the side before. ``partners`` holds source messages.
    ``stale``: a summary in it was written for other settings.
    """

    side: str
    rows: MessageRows = NO_ROWS
    fates: bytes = b""
    origins: array[int] = field(default_factory=lambda: array("q"))
    partners: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    runs: tuple[FateRun, ...] = ()
    cuts: tuple[CutRow, ...] = ()
    recorded: tuple[RecordedRow, ...] = ()
    heading: str = ""  # "169 messages · run 3, written by haiku"
    total_text: str = ""
    provisional: bool = False
    stale: bool = False
    hidden: int = 0  # tokens of the request that are in no message

    @property
    def token_mark(self) -> str:
        """How tokens were counted: "=", "≈" or "–"."""
        return total_mark(self.total_text)

    def fate(self, index: int) -> int:
        """Return the fate code of a message, -1 before any preview."""
        return self.fates[index] if self.fates else -1

    def source(self, index: int) -> int:
        """Return the source message of a row, -1 for none."""
        if self.side == "before":
            return index
        return self.origins[index] if 0 <= index < len(self.origins) else -1

    def row_flags(self, index: int, flags: Mapping[int, RowFlag]) -> RowFlag:
        """Return the flags of a row, given by source message; inserted rows have none."""
        is_inserted = self.side == "after" and self.fate(index) >= len(FATES)
        return RowFlag.NONE if is_inserted else flags.get(self.source(index), RowFlag.NONE)

    def flag_mask(self, flags: Mapping[int, RowFlag]) -> bytes:
        """Return one byte per row: 1 if it has any flag."""
        if not any(flags.values()):
            return b""
        size = len(self.rows) if self.side == "before" else max(self.origins, default=-1) + 1
        mask = bytearray(size)
        for message, flag in flags.items():
            if message < size:
                mask[message] = bool(flag)
        if self.side == "before":
            return bytes(mask)
        has_source = self.fates.translate(bytes(code < len(FATES) for code in range(256)))
        return all_mask((carried_mask(bytes(mask), self.origins), has_source), len(self.rows))

    def find_source(self, source: int) -> int:
        """Return the row of a source message, -1 for none."""
        if self.side == "before":
            return source if 0 <= source < len(self.rows) else -1
        candidate = counterpart_message(self.runs, "before", source)
        if 0 <= candidate < len(self.origins) and self.origins[candidate] == source:
            return candidate  # found without searching all rows
        try:
            return self.origins.index(source)
        except ValueError:
            return -1

    def pair_messages(self, index: int) -> tuple[int, ...]:
        """Return a message, and those of this list that share a call and its results with it, ascending."""
        source = self.source(index)
        partners = self.partners.get(source)
        if not partners:
            return (index,)
        call = min(source, partners[0])
        found = {self.find_source(message) for message in (call, *self.partners.get(call, ()))}
        return tuple(sorted(found - {-1} | {index}))


def side_content(screen: Screen, side: str) -> ListContent:
    """Return the part of a screen for ``side`` ("before" or "after")."""
    if side == "before":
        return ListContent(
            side=side,
            rows=screen.source.rows,
            fates=screen.source.fates,
            origins=array("q"),
            partners=screen.source.partners,
            runs=screen.ruler.runs,
            cuts=() if screen.no_op else screen.source.cuts,
            recorded=screen.recorded,
            heading=plural(len(screen.source.rows), "message"),
            total_text=screen.ruler.totals.before_total,
            provisional=screen.provisional,
            hidden=screen.ruler.totals.hidden,
        )
    return ListContent(
        side=side,
        rows=screen.result.rows,
        fates=screen.result.fates,
        origins=screen.result.origin,
        partners=screen.source.partners,
        runs=screen.ruler.runs,
        cuts=screen.result.cuts,
        recorded=(),
        heading=screen.result.heading,
        total_text=screen.ruler.totals.after_total,
        provisional=screen.provisional,
        stale=screen.request.stale,
    )


def aligned_input(before: ListContent, after: ListContent, results: array[int]) -> AlignedInput:
    """Return what the rows of the view Changes are planned from; ``results`` as in AlignedColumns."""
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
    """Return a screen with the rows of its view Changes, if it has more than MOST_PLANNED_IN_WINDOW."""
    if len(screen.source.rows) <= MOST_PLANNED_IN_WINDOW or len(screen.aligned.results) != len(
        screen.source.rows
    ):
        return screen
    before, after = side_content(screen, "before"), side_content(screen, "after")
    return replace(screen, plan=aligned_plan(aligned_input(before, after, screen.aligned.results)))


def find_same_message(previous: ListContent, current: ListContent, index: int) -> int:
    """Return the index of an old message in new content, by source or inserted message; -1 if it is gone."""
    if index < 0:
        return -1
    source = previous.source(index)
    if source >= 0:
        return current.find_source(source)
    return index if index < len(current.rows) and current.source(index) < 0 else -1
