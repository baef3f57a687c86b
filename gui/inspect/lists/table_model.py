"""The table model of a message list: rows of a plan over the columns of its content."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.presentation.lists.row_plan import OpenedKey, RowKind, RowPlan, row_plan
from core.presentation.lists.row_wording import row_speech
from core.presentation.loading_screen import COUNTING, rows_so_far
from core.presentation.model import RowsReadEvent
from gui.inspect.lists.list_content import ListContent, extended_rows
from gui.language import tr

MAX_TOOLTIP_CHARS = 1500
"""The most characters of a row's text in a tooltip."""


@dataclass(frozen=True, slots=True)
class RowVisibility:
    """What is visible: open folds, hidden fates, the mask of a filter."""

    opened: frozenset[OpenedKey] = frozenset()
    hidden: frozenset[int] = frozenset()
    mask: bytes = b""


class MessageListModel(QAbstractTableModel):
    """One column; the delegate paints a whole row from ``content`` and ``plan``."""

    def __init__(self, side: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.content, self.visibility = ListContent(side), RowVisibility()
        self.plan = RowPlan()
        self.max_tokens = 0  # of the largest message

    @property
    def hidden(self) -> frozenset[int]:
        return self.visibility.hidden

    @property
    def mask(self) -> bytes:
        """1 for each message that a filter lets pass; empty: all."""
        return self.visibility.mask

    def show_content(self, content: ListContent) -> None:
        """Show other content; folds and filter stay, except a mask for another number of messages."""
        self._reset(content, self.visibility)

    def reset_content(self, content: ListContent) -> None:
        """Show the content of another transcript: nothing opened, nothing hidden."""
        self._reset(content, RowVisibility())

    def _reset(self, content: ListContent, visibility: RowVisibility) -> None:
        self.beginResetModel()
        self.content, self.visibility = content, visibility
        self._plan_rows()
        self.endResetModel()

    def _plan_rows(self) -> None:
        content = self.content
        self.max_tokens = max(content.rows.tokens, default=0)
        self.plan = row_plan(
            len(content.rows),
            content.fates,
            content.cuts,
            content.recorded,
            self.visibility.opened,
            self.visibility.hidden,
            content.rows.tokens,
            content.token_mark,
            self.filter_mask,
        )

    def append(self, part: RowsReadEvent) -> None:
        """Add a streamed batch of rows, or overwrite some with it; preview data is dropped."""
        previous_content, count = self.content, len(self.plan)
        rows = extended_rows(previous_content.rows, part)
        content = ListContent(previous_content.side, rows, header_text=rows_so_far(rows), total_text=COUNTING)
        if previous_content.fates or count != len(previous_content.rows):
            self.show_content(content)
            return
        if len(rows) > count:
            self.beginInsertRows(QModelIndex(), count, len(rows) - 1)
        self.content = content
        self._plan_rows()
        if len(rows) > count:
            self.endInsertRows()
        if part.start < count:
            last = min(count, part.start + len(part.rows)) - 1
            self.dataChanged.emit(self.index(part.start, 0), self.index(last, 0))

    def toggle(self, row: int) -> bool:
        """Open or close a fold row; return False if the row folds nothing."""
        key = self._key(row)
        if key is None:
            return False
        self._change_visibility(opened=self.visibility.opened ^ {key})
        return True

    def is_open(self, row: int) -> bool | None:
        """Return whether a fold row is open; None if the row folds nothing."""
        key = self._key(row)
        return None if key is None else key in self.visibility.opened

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
        return self.plan.rows[self.plan.folded_runs[fold].start] - 1 if fold >= 0 else -1

    def set_hidden(self, hidden: frozenset[int]) -> None:
        if hidden != self.hidden:
            self._change_visibility(hidden=hidden)

    def set_mask(self, mask: bytes) -> None:
        """Hide messages whose mask is 0; an empty mask shows all."""
        if mask != self.mask:
            self._change_visibility(mask=mask)

    def _change_visibility(self, **changes: Any) -> None:
        self._reset(self.content, replace(self.visibility, **changes))

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
        """One: the delegate paints the columns."""
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
            return self._tip(index.row())
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
        if kind == RowKind.SUMMARY:
            return content.recorded[index].summary
        return f"{content.recorded[index].text} {content.recorded[index].detail}"

    def _tip(self, row: int) -> str:
        text = self.accessible_text(row)
        shortened = text if len(text) <= MAX_TOOLTIP_CHARS else f"{text[:MAX_TOOLTIP_CHARS]} …"
        # A transcript's text may look like markup, which a tooltip would render.
        return f"<p>{escape(shortened)}</p>"
