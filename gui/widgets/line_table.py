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

    def __init__(self, column: int = -1, *, down: bool = True) -> None:
        super().__init__()
        self.columns: tuple[str, ...] = ()
        self.lines: tuple[_L, ...] = ()
        self.column, self.down = column, down
        self._order: list[int] = []

    def show_lines(self, columns: Sequence[str], lines: tuple[_L, ...]) -> None:
        self.beginResetModel()
        self.columns, self.lines = tuple(columns), lines
        self._order = self.places()
        self.endResetModel()

    def sort_by(self, column: int, down: bool) -> None:
        self.beginResetModel()
        self.column, self.down = column, down
        self._order = self.places()
        self.endResetModel()

    def places(self) -> list[int]:
        """Return the line numbers in display order."""
        return list(range(len(self.lines)))

    def cell(self, line: _L, column: int) -> CompareCell:
        raise NotImplementedError

    def title(self, column: int) -> str:
        return self.columns[column]

    def tip(self, line: _L, column: int) -> str:
        return self.cell(line, column).tip

    def words(self, line: _L) -> tuple[str, ...]:
        return line.name, line.trouble

    def at(self, row: int) -> _L | None:
        """Return the line of a row, None if there is none."""
        return self.lines[self._order[row]] if 0 <= row < len(self._order) else None

    def row_of(self, name: str) -> int:
        """Return the row of a name, -1 if there is none."""
        return next((row for row, at in enumerate(self._order) if self.lines[at].name == name), -1)

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
        line = self.at(index.row())
        if line is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell(line, index.column()).text
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tip(line, index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole and not index.column():
            cells = ((self.title(at), self.cell(line, at).text) for at in range(1, len(self.columns)))
            figures = (f"{title} {text}" for title, text in cells if text)
            return ", ".join(filter(None, (*self.words(line), *figures)))
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
        lines: ResultTableModel[_L],
        cells: RowPainter,
        theme: Theme,
        *,
        going: Sequence[int],
        least: int,
    ) -> None:
        self.lines, self._name = lines, ""
        self._going, self._least = tuple(going), least
        self._widths: list[int] = []
        self._names = 0
        super().__init__(name, lines, cells, heads=True)
        lines.setParent(self)
        self.doubleClicked.connect(self._on_opened)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.set_theme(theme)

    @property
    def current(self) -> _L | None:
        return self.lines.at(self.currentIndex().row())

    def let_sort(self) -> None:
        """Let a click on a header sort by its column."""
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(self.lines.column, _way(self.lines.down))
        header.sortIndicatorChanged.connect(self._on_sorted)

    def sort_by(self, column: int, down: bool) -> None:
        self.horizontalHeader().setSortIndicator(column, _way(down))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._measure()

    def show_lines(self, columns: Sequence[str], lines: tuple[_L, ...]) -> None:
        """Show other lines; the current line and the scroll position stay."""
        place = self.verticalScrollBar().value()
        self.lines.show_lines(columns, lines)
        self.stay()
        self._measure()
        self.verticalScrollBar().setValue(place)
        self.updateGeometry()

    def select(self, name: str) -> None:
        if (row := self.lines.row_of(name)) >= 0:
            self.setCurrentIndex(self.lines.index(row, 0))

    def stay(self) -> None:
        """Reselect the line that was current before the rows changed."""
        self.select(self._name)

    def width_of(self, column: int) -> int:
        """Return the pixels that a column's figures and title need."""
        head = QFontMetrics(resized_font(self.font(), SMALL)).horizontalAdvance(self.lines.title(column))
        return max(self.text_width(column) + 20, head + 24)

    def name_width(self, line: _L) -> int:
        """Return the pixels that a name needs, with the glyphs beside it."""
        return QFontMetrics(resized_font(self.font(), 13)).horizontalAdvance(line.name) + 20

    def text_width(self, column: int) -> int:
        """Return the pixels of a column's widest figure."""
        metrics = QFontMetrics(tabular_font(resized_font(self.font(), 13)))
        texts = {self.lines.cell(line, column).text for line in self.lines.lines}
        return max(map(metrics.horizontalAdvance, texts), default=0)

    def _measure(self) -> None:
        self._widths = [self.width_of(at) if at else 0 for at in range(len(self.lines.columns))]
        self._names = max(map(self.name_width, self.lines.lines), default=0)
        self._fit()

    def _fit(self) -> None:
        self.give_way(self._widths, self._going, scaled_pixels(self._least, self.font()), self._names)

    def _on_sorted(self, column: int, way: Qt.SortOrder) -> None:
        down = way == Qt.SortOrder.DescendingOrder
        if (column, down) != (self.lines.column, self.lines.down):
            self.lines.sort_by(column, down)
            self.stay()
            self.sorted.emit(column, down)

    def _on_current(self, current: QModelIndex) -> None:
        line = self.lines.at(current.row())
        if line is not None and line.name != self._name:
            self._name = line.name
            self.current_changed.emit(line.name)

    def _on_opened(self, index: QModelIndex) -> None:
        if (line := self.lines.at(index.row())) is not None:
            self.opened.emit(line.name)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_enter(event) and (line := self.current) is not None:
            self.opened.emit(line.name)
        else:
            super().keyPressEvent(event)


def _way(down: bool) -> Qt.SortOrder:
    return Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder
