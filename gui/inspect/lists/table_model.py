"""The table model of a message list: rows of a plan over the columns of its content."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.presentation.lists.row_plan import OpenedKey, RowKind, RowPlan, row_plan
from core.presentation.lists.row_wording import row_speech
from core.presentation.loading_screen import COUNTING, rows_so_far
from core.presentation.model import MessageRows, RowsReadEvent
from gui.inspect.lists.list_content import ListContent
from gui.language import tr

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
