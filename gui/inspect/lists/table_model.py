"""The model of a message list: its part of a screen, and the rows of a plan over it."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.common.number_format import plural
from core.presentation.lists.row_plan import OpenedKey, RowFlag, RowKind, RowPlan, row_plan
from core.presentation.lists.row_wording import (
    COUNTING,
    counterpart_message,
    row_speech,
    rows_so_far,
    total_mark,
)
from core.presentation.model import (
    FATES,
    NO_ROWS,
    CutRow,
    FateRun,
    MessageRows,
    RecordedRow,
    RowsReadEvent,
    Screen,
)
from core.presentation.row_filter import all_mask, carried_mask
from gui.language import tr


@dataclass(frozen=True, slots=True)
class ListContent:
    """Rows with their fates (empty before any preview) and the separators between them.

    ``origins[i]`` is the source of row i, empty in the before list. ``partners`` holds source messages.
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
    header_text: str = ""
    total_text: str = ""
    draft: bool = False
    stale: bool = False

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
        return self.origins[index] if index < len(self.origins) else -1

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
    """Return the part of a screen for the list of ``side`` ("before" or "after")."""
    if side == "before":
        return ListContent(
            side, screen.before, screen.fates, array("q"), screen.partners, screen.runs, screen.before_cuts,
            screen.recorded, plural(len(screen.before), "message"), screen.marks.before_total,
            screen.draft,
        )  # fmt: skip
    return ListContent(
        side, screen.after, screen.after_fates, screen.origin, screen.partners, screen.runs,
        screen.after_cuts, (), screen.after_heading, screen.marks.after_total,
        screen.draft, screen.stale,
    )  # fmt: skip


def find_same_message(previous: ListContent, current: ListContent, index: int) -> int:
    """Return the index of an old message in new content, by source or inserted message; -1 if it is gone."""
    if index < 0:
        return -1
    source = previous.source(index)
    if source >= 0:
        return current.find_source(source)
    return index if index < len(current.rows) and current.source(index) < 0 else -1


MAX_TOOLTIP_CHARS = 1500
"""The most characters of a row's text in a tooltip."""


class MessageListModel(QAbstractTableModel):
    """One column; the delegate paints a whole row from ``content`` and ``plan``.

    ``opened`` are the open folds, ``hidden`` the hidden fates; ``mask`` is 1 for each message that a filter
    lets pass, empty for all.
    """

    def __init__(self, side: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.content, self.plan = ListContent(side), RowPlan()
        self.opened: frozenset[OpenedKey] = frozenset()
        self.hidden: frozenset[int] = frozenset()
        self.mask = b""
        self.max_tokens = 0  # of the largest message

    def show_content(self, content: ListContent) -> None:
        """Show other content; folds and filter stay, except a mask for another number of messages."""
        self.beginResetModel()
        self.content = content
        self._plan_rows()
        self.endResetModel()

    def reset_content(self, content: ListContent) -> None:
        """Show the content of another transcript: nothing opened, nothing hidden."""
        self.opened, self.hidden, self.mask = frozenset(), frozenset(), b""
        self.show_content(content)

    def _plan_rows(self) -> None:
        content = self.content
        self.max_tokens = max(content.rows.tokens, default=0)
        self.plan = row_plan(
            len(content.rows),
            content.fates,
            content.cuts,
            content.recorded,
            self.opened,
            self.hidden,
            content.rows.tokens,
            mask=self.filter_mask,
        )

    def append(self, part: RowsReadEvent) -> None:
        """Add a streamed batch of rows, or overwrite some with it; preview data is dropped."""
        previous, count, end = self.content, len(self.plan), part.start + len(part.rows)
        head, tail = previous.rows.part(0, part.start), previous.rows.part(end, len(previous.rows))
        rows = MessageRows.joined((head, part.rows, tail))
        content = ListContent(previous.side, rows, header_text=rows_so_far(rows), total_text=COUNTING)
        if previous.fates or count != len(previous.rows):
            self.show_content(content)
            return
        if len(rows) > count:
            self.beginInsertRows(QModelIndex(), count, len(rows) - 1)
        self.content = content
        self._plan_rows()
        if len(rows) > count:
            self.endInsertRows()
        if part.start < count:
            self.dataChanged.emit(self.index(part.start, 0), self.index(min(count, end) - 1, 0))

    def toggle(self, row: int) -> None:
        """Open or close a fold row."""
        key = self._key(row)
        if key is not None:
            self.opened ^= {key}
            self.show_content(self.content)

    def is_open(self, row: int) -> bool | None:
        """Return whether a fold row is open; None if the row folds nothing."""
        key = self._key(row)
        return None if key is None else key in self.opened

    def fold_row(self, row: int) -> int:
        """Return the row that folds or unfolds what ``row`` belongs to, -1 for none."""
        if not 0 <= row < len(self.plan):
            return -1
        kind, index = self.plan.kind_and_index(row)
        if kind == RowKind.SUMMARY:
            return row - 1
        if kind != RowKind.MESSAGE:
            return row if self._key(row) is not None else -1
        fold = self.plan.fold_of(index)
        return -1 if fold is None else self.plan.rows[fold.start] - 1

    def set_hidden(self, hidden: frozenset[int]) -> None:
        if hidden != self.hidden:
            self.hidden = hidden
            self.show_content(self.content)

    def set_mask(self, mask: bytes) -> None:
        """Hide messages whose mask is 0; an empty mask shows all."""
        if mask != self.mask:
            self.mask = mask
            self.show_content(self.content)

    @property
    def filter_mask(self) -> bytes:
        """The mask, if it has the length of these messages."""
        return self.mask if len(self.mask) == len(self.content.rows) else b""

    def _key(self, row: int) -> OpenedKey | None:
        """Return the key of what a row opens: a fold row or a recorded row with a summary."""
        if not 0 <= row < len(self.plan):
            return None
        kind, index = self.plan.kind_and_index(row)
        if kind in (RowKind.FOLD, RowKind.OPEN_FOLD):
            return self.plan.folded_runs[index].opened_key
        if kind in (RowKind.RECORDED, RowKind.SUMMARY) and self.content.recorded[index].summary:
            return (RowKind.RECORDED, index)
        return None

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.plan)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 1

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the row in words, for accessibility, tooltips and copying."""
        if not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.accessible_text(index.row())
        if role == Qt.ItemDataRole.ToolTipRole:
            text = self.accessible_text(index.row())
            shortened = text if len(text) <= MAX_TOOLTIP_CHARS else f"{text[:MAX_TOOLTIP_CHARS]} …"
            return f"<p>{escape(shortened)}</p>"  # a tooltip would render markup of a transcript
        return None

    def accessible_text(self, row: int) -> str:
        kind, index = self.plan.kind_and_index(row)
        content = self.content
        if kind == RowKind.MESSAGE:
            origin = content.source(index) if content.side == "after" else -1
            line = f"{content.rows.lead[index]} {content.rows.text[index]}".strip()
            return tr(row_speech(content.rows, index, content.fate(index), origin, line))
        if kind in (RowKind.FOLD, RowKind.OPEN_FOLD):
            return tr(self.plan.folded_runs[index].text)
        if kind in (RowKind.CUT, RowKind.COMPACTED):
            return content.cuts[index].text
        recorded = content.recorded[index]
        return recorded.summary if kind == RowKind.SUMMARY else f"{recorded.text} {recorded.detail}"
