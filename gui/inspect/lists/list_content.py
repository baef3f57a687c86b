"""The part of a screen that one message list shows."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.presentation.filter.row_filter import all_of, carried_mask
from core.presentation.lists.list_links import counterpart_message
from core.presentation.lists.model import RowFlag
from core.presentation.lists.overview_strip import OverviewColumns
from core.presentation.lists.row_wording import total_mark
from core.presentation.model import FATES, CutRow, FateRun, MessageRows, RecordedRow, RowsReadEvent, Screen
from core.presentation.packed_texts import PackedTexts

NO_ROWS = MessageRows(b"", b"", b"", b"", array("q"), PackedTexts(), PackedTexts())


@dataclass(frozen=True, slots=True)
class ListContent:
    """Rows with their fates (empty before any preview) and the separators between them.

    ``origins[i]`` is the source of row i, empty in the before list. ``partners`` holds source messages.
    ``mark`` is how tokens were counted. ``stale``: a summary in it was written for other settings.
    """

    side: str
    rows: MessageRows = NO_ROWS
    fates: bytes = b""
    origins: array[int] = field(default_factory=lambda: array("q"))
    partners: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    runs: tuple[FateRun, ...] = ()
    cuts: tuple[CutRow, ...] = ()
    recorded: tuple[RecordedRow, ...] = ()
    chips: tuple[tuple[int, int], ...] = ()
    head: str = ""
    total: str = ""
    mark: str = ""
    draft: bool = False
    stale: bool = False

    def fate(self, index: int) -> int:
        """Return the fate code of a message, -1 before any preview."""
        return self.fates[index] if self.fates else -1

    def source(self, index: int) -> int:
        """Return the source message of a row, -1 for none."""
        if self.side == "before":
            return index
        return self.origins[index] if index < len(self.origins) else -1

    def flag(self, index: int, flags: Mapping[int, RowFlag]) -> RowFlag:
        """Return the flags of a row, given by source message; inserted rows have none."""
        is_new = self.side == "after" and self.fate(index) >= len(FATES)
        return RowFlag.NONE if is_new else flags.get(self.source(index), RowFlag.NONE)

    def flagged(self, flags: Mapping[int, RowFlag]) -> bytes:
        """Return one byte per row: 1 if it has any flag."""
        if not any(flags.values()):
            return b""
        size = len(self.rows) if self.side == "before" else max(self.origins, default=-1) + 1
        flag_bytes = bytearray(size)
        for place, flag in flags.items():
            flag_bytes[place : place + 1] = bytes([bool(flag)]) if place < size else b""
        if self.side == "before":
            return bytes(flag_bytes)
        was_there = self.fates.translate(bytes(code < len(FATES) for code in range(256)))
        return all_of((carried_mask(bytes(flag_bytes), self.origins), was_there), len(self.rows))

    def find_source(self, source: int) -> int:
        """Return the row of a source message, -1 for none."""
        if self.side == "before":
            return source if 0 <= source < len(self.rows) else -1
        likely = counterpart_message(self.runs, "before", source)
        if 0 <= likely < len(self.origins) and self.origins[likely] == source:
            return likely  # found without searching all rows
        try:
            return self.origins.index(source)
        except ValueError:
            return -1

    def partners_of(self, index: int) -> tuple[int, ...]:
        """Return messages of this list that share a pair with one, ascending."""
        partner_rows = {self.find_source(partner) for partner in self.partners.get(self.source(index), ())}
        return tuple(sorted(partner_rows - {-1, index}))


def content_of(screen: Screen, side: str) -> ListContent:
    """Return the part of a screen for the list of ``side`` ("before" or "after")."""
    if side == "before":
        total = screen.marks.before_total
        return ListContent(
            side, screen.before, screen.fates, array("q"), screen.partners, screen.runs, screen.before_cuts,
            screen.recorded, screen.before_chips, screen.before_head, total, total_mark(total), screen.draft,
        )  # fmt: skip
    total = screen.marks.after_total
    return ListContent(
        side, screen.after, screen.after_fates, screen.origin, screen.partners, screen.runs,
        screen.after_cuts, (), screen.after_chips, screen.after_head, total, total_mark(total), screen.draft,
        screen.stale,
    )  # fmt: skip


def find_again(old: ListContent, new: ListContent, index: int) -> int:
    """Return the index of an old message in new content, by source or inserted message; -1 if it is gone."""
    if index < 0:
        return -1
    source = old.source(index)
    if source >= 0:
        return new.find_source(source)
    return index if index < len(new.rows) and new.source(index) < 0 else -1


def extended_rows(rows: MessageRows, part: RowsReadEvent) -> MessageRows:
    """Return ``rows`` with a streamed batch placed at its start, replacing rows there."""
    start, new = part.start, part.rows
    end = start + len(new)
    tokens = rows.tokens[:]
    tokens[start:end] = new.tokens
    return MessageRows(
        rows.speakers[:start] + new.speakers + rows.speakers[end:],
        rows.kinds[:start] + new.kinds + rows.kinds[end:],
        rows.errors[:start] + new.errors + rows.errors[end:],
        rows.mono[:start] + new.mono + rows.mono[end:],
        tokens,
        rows.lead[:start] + new.lead + rows.lead[end:],
        rows.text[:start] + new.text + rows.text[end:],
    )


def columns_of(content: ListContent, flags: Mapping[int, RowFlag], matches: bytes) -> OverviewColumns:
    """Return the columns of a list's overview strip; ``matches`` is the mask of its filter, if any."""
    rows = content.rows
    return OverviewColumns(len(rows), content.fates, rows.errors, content.flagged(flags), matches)
