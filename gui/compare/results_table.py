"""The table of results that all tabs of Compare show, over declared columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QResizeEvent

from core.presentation.compare.model import Column, ResultTable, TableCell
from gui.compare.results_painter import SLOT_WIDTH, ResultsPainter
from gui.language import tr
from gui.widgets.key_presses import is_enter
from gui.widgets.result_table import Index, PlainTable
from gui.widgets.theme import SMALL, Theme, resized_font, scaled_pixels, tabular_font

_EMPTY = TableCell()
_MIN_NAME_WIDTH = 210


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


class ResultsTable(PlainTable):
    """Shows results; the current line stays current by its name.

    Emits ``current_changed(name)``, ``opened(name)`` for Enter and double click, ``sorted``, and
    ``mark_requested(place, name)`` for the letters A (0) and B of a table whose rows can be marked.
    """

    current_changed = Signal(str)
    opened = Signal(str)
    sorted = Signal()
    mark_requested = Signal(int, str)

    def __init__(
        self,
        name: str,
        model: ResultsModel,
        theme: Theme,
        *,
        has_marks: bool = False,
        has_samples: bool = False,
    ) -> None:
        self.results, self._current_name = model, ""
        self.painter = ResultsPainter(model, theme, has_marks=has_marks, has_samples=has_samples)
        super().__init__(name, model, self.painter, has_header=True)
        model.setParent(self)
        self.setProperty("role", "roomy")  # shows a focus ring when no row is current
        self.setMouseTracking(has_marks)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.sortIndicatorChanged.connect(self._on_sorted)
        self.doubleClicked.connect(self._on_opened)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.set_theme(theme)

    def sizeHint(self) -> QSize:
        """All rows, up to twelve."""
        rows = min(12, max(3, self.results.rowCount()))
        return QSize(600, self.horizontalHeader().height() + rows * self.row_height + 2)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._fit()

    @property
    def current(self) -> ResultEntry | None:
        return self.results.entry_at(self.currentIndex().row())

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the order of the rows."""
        entries = map(self.results.entry_at, range(self.results.rowCount()))
        return tuple(entry.name for entry in entries if entry is not None)

    def show_entries(self, entries: Sequence[ResultEntry], mark: str = "") -> None:
        scroll_position = self.verticalScrollBar().value()
        self.results.show_entries(entries, mark)
        self._restore()
        self.verticalScrollBar().setValue(scroll_position)

    def show_columns(self, titles: Sequence[str]) -> None:
        self.results.show_columns(titles)
        self._restore()

    def sort_by(self, title: str, is_descending: bool) -> None:
        self.results.sort_by(title, is_descending)
        self._restore()

    def select(self, name: str) -> None:
        if (row := self.results.row_of(name)) >= 0:
            self.setCurrentIndex(self.results.index(row, 0))

    def show_marks(self, a: str, b: str) -> None:
        self.painter.marked = (a, b)
        self.viewport().update()

    def _restore(self) -> None:
        """After a reset: current line, sort arrow, spans of headings and errors, widths."""
        self.select(self._current_name)
        titles = [self.results.table.title, *(column.title for column in self.results.columns)]
        column = titles.index(self.results.sort_title) if self.results.sort_title in titles else -1
        order = Qt.SortOrder.DescendingOrder if self.results.is_descending else Qt.SortOrder.AscendingOrder
        header = self.horizontalHeader()
        header.blockSignals(True)
        header.setSortIndicator(column, order)
        header.blockSignals(False)
        self.clearSpans()
        count = self.results.columnCount()
        for row in range(self.results.rowCount()):
            entry = self.results.entry_at(row)
            if entry is None:
                self.setSpan(row, 0, 1, count)
            elif self.results.error(entry) and count > 2:
                self.setSpan(row, 1, 1, count - 1)
        self._fit()
        self.updateGeometry()

    def width_of(self, column: int) -> int:
        """Return the pixels that a column's figures and title need."""
        title_metrics = QFontMetrics(resized_font(self.font(), SMALL))
        metrics = QFontMetrics(tabular_font(resized_font(self.font(), 13, bold=True)))
        cells = [self.results.cell(entry, column) for entry in self.results.entries]
        figures = max(
            (metrics.horizontalAdvance(cell.text) + 18 * bool(cell.tone) for cell in cells), default=0
        )
        return max(figures + 20, title_metrics.horizontalAdvance(self.results.title(column)) + 28)

    def _fit(self) -> None:
        columns = range(1, self.results.columnCount())
        widths = [0, *map(self.width_of, columns)]
        font = self.font()
        names = max((self.painter.name_width(font, entry) for entry in self.results.entries), default=0)
        optional = [column for column in columns if self.results.columns[column - 1].is_optional]
        order = (*reversed(optional), *(column for column in reversed(columns) if column not in optional))
        self.fit_columns(widths, order[:-1], scaled_pixels(_MIN_NAME_WIDTH, font), names)

    def _on_sorted(self, column: int, order: Qt.SortOrder) -> None:
        title = self.results.columns[column - 1].title if column > 0 else self.results.table.title
        self.sort_by(title, order == Qt.SortOrder.DescendingOrder)
        self.sorted.emit()

    def _on_current(self, current: QModelIndex) -> None:
        entry = self.results.entry_at(current.row())
        if entry is not None and entry.name != self._current_name:
            self._current_name = entry.name
            self.current_changed.emit(entry.name)

    def _on_opened(self) -> None:
        if self.current is not None:
            self.opened.emit(self.current.name)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        entry = self.results.entry_at(index.row())
        slot = int(event.position().x() - 4) // SLOT_WIDTH
        if self.painter.has_marks and entry is not None and index.column() == 0 and slot in (0, 1):
            self.mark_requested.emit(slot, entry.name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.indexAt(event.position().toPoint()).row())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, row: int) -> None:
        if row != self.painter.hovered:
            self.painter.hovered = row
            self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, A and B mark, S and Shift S sort by another column, R reverses the order."""
        entry, key = self.current, event.key()
        if event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier:
            super().keyPressEvent(event)
        elif is_enter(event):
            self._on_opened()
        elif self.painter.has_marks and entry is not None and key in (Qt.Key.Key_A, Qt.Key.Key_B):
            self.mark_requested.emit(int(key == Qt.Key.Key_B), entry.name)
        elif key in (Qt.Key.Key_S, Qt.Key.Key_R):
            shown = [
                column for column in range(self.results.columnCount()) if not self.isColumnHidden(column)
            ]
            column = self.horizontalHeader().sortIndicatorSection()
            is_descending = self.results.is_descending != (key == Qt.Key.Key_R)
            if key == Qt.Key.Key_S:
                step = -1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
                column = shown[((shown.index(column) if column in shown else 0) + step) % len(shown)]
            order = Qt.SortOrder.DescendingOrder if is_descending else Qt.SortOrder.AscendingOrder
            self._on_sorted(column, order)
        else:
            super().keyPressEvent(event)
