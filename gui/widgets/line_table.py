"""Tables with a name in the first column and figures in the others; one line is current."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent

from core.presentation.compare.model import CompareCell
from gui.widgets.key_presses import is_enter
from gui.widgets.result_table import Index, PlainTable, RowPainter
from gui.widgets.theme import SMALL, Theme, resized_font, scaled_pixels, tabular_font


class ResultRow(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def trouble(self) -> str: ...


_L = TypeVar("_L", bound=ResultRow)


class ResultTableModel(QAbstractTableModel, Generic[_L]):
    """Lines sorted by a column, -1 for their own order. A subclass provides the cells."""

    def __init__(self, sort_column: int = -1, *, is_descending: bool = True) -> None:
        super().__init__()
        self.columns: tuple[str, ...] = ()
        self.lines: tuple[_L, ...] = ()
        self.sort_column, self.is_descending = sort_column, is_descending
        self._order: list[int] = []

    def show_lines(self, columns: Sequence[str], lines: tuple[_L, ...]) -> None:
        self.beginResetModel()
        self.columns, self.lines = tuple(columns), lines
        self._order = self.row_order()
        self.endResetModel()

    def sort_by(self, column: int, is_descending: bool) -> None:
        self.beginResetModel()
        self.sort_column, self.is_descending = column, is_descending
        self._order = self.row_order()
        self.endResetModel()

    def row_order(self) -> list[int]:
        """Return the line numbers in display order."""
        return list(range(len(self.lines)))

    def cell(self, line: _L, column: int) -> CompareCell:
        raise NotImplementedError

    def title(self, column: int) -> str:
        return self.columns[column]

    def tip(self, line: _L, column: int) -> str:
        return self.cell(line, column).tip

    def accessible_words(self, line: _L) -> tuple[str, ...]:
        return line.name, line.trouble

    def line_at(self, row: int) -> _L | None:
        """Return the line of a row, None if there is none."""
        return self.lines[self._order[row]] if 0 <= row < len(self._order) else None

    def row_of(self, name: str) -> int:
        """Return the row of a name, -1 if there is none."""
        return next(
            (row for row, line_number in enumerate(self._order) if self.lines[line_number].name == name), -1
        )

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

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
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.line_at(index.row())
        if line is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell(line, index.column()).text
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tip(line, index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole and not index.column():
            cells = (
                (self.title(column), self.cell(line, column).text) for column in range(1, len(self.columns))
            )
            cell_texts = (f"{title} {text}" for title, text in cells if text)
            return ", ".join(filter(None, (*self.accessible_words(line), *cell_texts)))
        return None


class ResultTable(PlainTable, Generic[_L]):
    """Shows a ResultTableModel; the current line stays current by its name.

    Emits ``current_changed(name)``, ``opened(name)`` for Enter and double click, ``sorted(column, down)``.
    The columns ``going`` are hidden in this order if names would have less than ``least`` pixels.
    """

    current_changed = Signal(str)
    opened = Signal(str)
    sorted = Signal(int, bool)

    def __init__(
        self,
        name: str,
        line_model: ResultTableModel[_L],
        row_painter: RowPainter,
        theme: Theme,
        *,
        hiding_order: Sequence[int],
        min_name_width: int,
    ) -> None:
        self.line_model, self._current_name = line_model, ""
        self._hiding_order, self._min_name_width = tuple(hiding_order), min_name_width
        self._widths: list[int] = []
        self._widest_name = 0
        super().__init__(name, line_model, row_painter, has_header=True)
        line_model.setParent(self)
        self.doubleClicked.connect(self._on_opened)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.set_theme(theme)

    @property
    def current_line(self) -> _L | None:
        return self.line_model.line_at(self.currentIndex().row())

    def enable_sorting(self) -> None:
        """Let a click on a header sort by its column."""
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(self.line_model.sort_column, _sort_order(self.line_model.is_descending))
        header.sortIndicatorChanged.connect(self._on_sorted)

    def sort_by(self, column: int, is_descending: bool) -> None:
        self.horizontalHeader().setSortIndicator(column, _sort_order(is_descending))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._measure()

    def show_lines(self, columns: Sequence[str], lines: tuple[_L, ...]) -> None:
        """Show other lines; the current line and the scroll position stay."""
        scroll_position = self.verticalScrollBar().value()
        self.line_model.show_lines(columns, lines)
        self.reselect()
        self._measure()
        self.verticalScrollBar().setValue(scroll_position)
        self.updateGeometry()

    def select(self, name: str) -> None:
        if (row := self.line_model.row_of(name)) >= 0:
            self.setCurrentIndex(self.line_model.index(row, 0))

    def reselect(self) -> None:
        """Reselect the line that was current before the rows changed."""
        self.select(self._current_name)

    def width_of(self, column: int) -> int:
        """Return the pixels that a column's figures and title need."""
        title_width = QFontMetrics(resized_font(self.font(), SMALL)).horizontalAdvance(
            self.line_model.title(column)
        )
        return max(self.text_width(column) + 20, title_width + 24)

    def name_width(self, line: _L) -> int:
        """Return the pixels that a name needs, with the glyphs beside it."""
        return QFontMetrics(resized_font(self.font(), 13)).horizontalAdvance(line.name) + 20

    def text_width(self, column: int) -> int:
        """Return the pixels of a column's widest figure."""
        metrics = QFontMetrics(tabular_font(resized_font(self.font(), 13)))
        texts = {self.line_model.cell(line, column).text for line in self.line_model.lines}
        return max(map(metrics.horizontalAdvance, texts), default=0)

    def _measure(self) -> None:
        self._widths = [
            self.width_of(column) if column else 0 for column in range(len(self.line_model.columns))
        ]
        self._widest_name = max(map(self.name_width, self.line_model.lines), default=0)
        self._fit()

    def _fit(self) -> None:
        self.fit_columns(
            self._widths,
            self._hiding_order,
            scaled_pixels(self._min_name_width, self.font()),
            self._widest_name,
        )

    def _on_sorted(self, column: int, sort_order: Qt.SortOrder) -> None:
        is_descending = sort_order == Qt.SortOrder.DescendingOrder
        if (column, is_descending) != (self.line_model.sort_column, self.line_model.is_descending):
            self.line_model.sort_by(column, is_descending)
            self.reselect()
            self.sorted.emit(column, is_descending)

    def _on_current(self, current: QModelIndex) -> None:
        line = self.line_model.line_at(current.row())
        if line is not None and line.name != self._current_name:
            self._current_name = line.name
            self.current_changed.emit(line.name)

    def _on_opened(self, index: QModelIndex) -> None:
        if (line := self.line_model.line_at(index.row())) is not None:
            self.opened.emit(line.name)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_enter(event) and (line := self.current_line) is not None:
            self.opened.emit(line.name)
        else:
            super().keyPressEvent(event)


def _sort_order(is_descending: bool) -> Qt.SortOrder:
    return Qt.SortOrder.DescendingOrder if is_descending else Qt.SortOrder.AscendingOrder
