"""The model of a table of results: entries by group, sorted by a declared column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt

from core.presentation.compare.model import Column, ResultTable, TableCell
from gui.language import tr
from gui.widgets.result_table import Index

_EMPTY = TableCell()


@dataclass(frozen=True, slots=True)
class ResultEntry:
    """A line: its result, None while it is not reached; ``badge`` is a chip beside the name."""

    name: str
    row: Any = None
    group: str = ""
    badge: str = ""


class ResultsModel(QAbstractTableModel):
    """Entries by group, sorted by a column within each; a group of several begins with its heading."""

    def __init__(self, table: ResultTable[Any]) -> None:
        super().__init__()
        self.table = table
        self.columns: tuple[Column[Any], ...] = tuple(one for one in table.columns if not one.is_optional)
        self.entries: tuple[ResultEntry, ...] = ()
        self.mark = ""
        self.sort_title, self.is_descending = "", False
        self._rows: list[ResultEntry | str] = []

    def show_entries(self, entries: Sequence[ResultEntry], mark: str) -> None:
        self.entries, self.mark = tuple(entries), mark
        self._sort()

    def show_columns(self, titles: Sequence[str]) -> None:
        """Show the columns that are always there, and the optional ones with these titles."""
        self.columns = tuple(one for one in self.table.columns if not one.is_optional or one.title in titles)
        self._sort()

    def sort_by(self, title: str, is_descending: bool) -> None:
        self.sort_title, self.is_descending = title, is_descending
        self._sort()

    def _sort(self) -> None:
        self.beginResetModel()
        column = next((one for one in self.columns if one.title == self.sort_title), None)
        entries = list(self.entries)
        if column is not None:
            sign = -1 if self.is_descending else 1
            keys = {entry.name: self._key(entry, column) for entry in entries}
            entries.sort(key=lambda entry: (keys[entry.name] is None, sign * (keys[entry.name] or 0.0)))
        elif self.sort_title == self.table.title:
            entries.sort(key=lambda entry: entry.name, reverse=self.is_descending)
        self._rows = []
        for group in dict.fromkeys(entry.group for entry in self.entries):
            self._rows += [group] if group else []
            self._rows += [entry for entry in entries if entry.group == group]
        self.endResetModel()

    def _key(self, entry: ResultEntry, column: Column[Any]) -> float | None:
        return column.cell(entry.row).key if entry.row is not None and not self.error(entry) else None

    def error(self, entry: ResultEntry) -> str:
        """Return why an entry has no figures."""
        return tr("not reached yet") if entry.row is None else self.table.error(entry.row)

    def note(self, entry: ResultEntry) -> str:
        return "" if entry.row is None else self.table.note(entry.row)

    def cell(self, entry: ResultEntry, column: int) -> TableCell:
        """Return the cell of a column of figures, from 1."""
        has_figures = entry.row is not None and not self.error(entry)
        return self.columns[column - 1].cell(entry.row) if has_figures else _EMPTY

    def title(self, column: int) -> str:
        title = self.columns[column - 1].title if column else self.table.title
        return title.format(mark=self.mark).strip()

    def row_at(self, row: int) -> ResultEntry | str:
        """Return the entry of a row, or the heading of a group; "" for none."""
        return self._rows[row] if 0 <= row < len(self._rows) else ""

    def entry_at(self, row: int) -> ResultEntry | None:
        found = self.row_at(row)
        return found if isinstance(found, ResultEntry) else None

    def row_of(self, name: str) -> int:
        """Return the row of a name, -1 if there is none."""
        rows = enumerate(self._rows)
        return next((row for row, one in rows if isinstance(one, ResultEntry) and one.name == name), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns) + 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) if self.entry_at(index.row()) else Qt.ItemFlag.ItemIsEnabled

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title(section)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr("A click sorts by this column; S and Shift S go on to another, R reverses the order.")
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.row_at(index.row())
        if isinstance(entry, str):
            return entry if role == Qt.ItemDataRole.DisplayRole and not index.column() else None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell(entry, index.column()).text if index.column() else entry.name
        if role == Qt.ItemDataRole.ToolTipRole:
            texts = (self.cell(entry, index.column()).tip,) if index.column() else (entry.name, entry.badge)
            return "\n".join(filter(None, (*texts, self.note(entry), self.error(entry))))
        if role == Qt.ItemDataRole.AccessibleTextRole and not index.column():
            columns = range(1, self.columnCount())
            cells = (f"{self.title(column)} {self.cell(entry, column).text}" for column in columns)
            words = (entry.name, entry.badge, self.note(entry), self.error(entry))
            return ", ".join(filter(None, (*words, *(() if self.error(entry) else cells))))
        return None
