"""One side of a screen as the list shows it: rows, fates, and the separators between them."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.common.number_format import plural
from core.presentation.filter_query import all_mask, carried_mask
from core.presentation.lists.aligned_plan import AlignedInput, aligned_plan
from core.presentation.lists.row_plan import RowFlag, counterpart_message, total_mark
from core.presentation.model import FATES, CutRow, FateRun, MessageRows, RecordedRow
from core.presentation.screen_model import Screen, ScreenResult, ScreenSource

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
        candidate = counterpart_message(self.runs, "before", source)
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
    before, after = ListContent("before", screen), ListContent("after", screen)
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
