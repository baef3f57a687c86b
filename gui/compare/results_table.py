"""The table of results that all tabs of Compare show, over declared columns."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent

from gui.compare.results_painter import (
    SLOT_WIDTH,
    ResultEntry,
    ResultsModel,
    ResultsPainter,
)
from gui.widgets.result_table import PlainTable
from gui.widgets.status_marks import marks_width
from gui.widgets.theme import SMALL, resized_font, scaled_pixels, tabular_font

_MIN_NAME_WIDTH = 210


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
        *,
        has_marks: bool = False,
        has_samples: bool = False,
    ) -> None:
        self.results, self._current_name = model, ""
        self.painter = ResultsPainter(
            model, has_marks=has_marks, has_samples=has_samples
        )
        super().__init__(name, model, self.painter)
        self.setProperty("role", "roomy")  # shows a focus ring when no row is current
        self.setMouseTracking(has_marks)
        self._show_order()

    def sizeHint(self) -> QSize:
        """All rows, up to twelve."""
        rows = min(12, max(3, self.results.rowCount()))
        height = rows * self.verticalHeader().defaultSectionSize()
        return QSize(600, self.horizontalHeader().height() + height + 2)

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
        self._show_order()
        self.clearSpans()
        count = self.results.columnCount()
        for row in range(self.results.rowCount()):
            entry = self.results.entry_at(row)
            if entry is None:
                self.setSpan(row, 0, 1, count)
            elif self.results.error(entry) and count > 2:
                self.setSpan(row, 1, 1, count - 1)
        self.fit()
        self.updateGeometry()

    def _show_order(self) -> None:
        titles = [
            self.results.table.title,
            *(column.label for column in self.results.columns),
        ]
        if self.results.sort_title in titles:
            column = titles.index(self.results.sort_title)
        else:
            column = -1
        if self.results.is_descending:
            order = Qt.SortOrder.DescendingOrder
        else:
            order = Qt.SortOrder.AscendingOrder
        header = self.horizontalHeader()
        with QSignalBlocker(header):
            header.setSortIndicator(column, order)

    def width_of(self, column: int) -> int:
        """Return the pixels that a column's figures and title need."""
        title_metrics = QFontMetrics(resized_font(self.font(), SMALL))
        metrics = QFontMetrics(tabular_font(resized_font(self.font(), 13, bold=True)))
        cells = [self.results.cell(entry, column) for entry in self.results.entries]
        figures = 0
        for cell in cells:
            if cell.marks:
                width = marks_width(cell.marks, self.font())
            else:
                width = metrics.horizontalAdvance(cell.text) + 18 * bool(cell.tone)
            figures = max(figures, width)
        return max(
            figures + 20,
            title_metrics.horizontalAdvance(self.results.title(column)) + 28,
        )

    def fit(self) -> None:
        columns = range(1, self.results.columnCount())
        widths = [0, *map(self.width_of, columns)]
        font = self.font()
        names = max(
            (self.painter.name_width(font, entry) for entry in self.results.entries),
            default=0,
        )
        optional = [
            column for column in columns if self.results.columns[column - 1].is_optional
        ]
        order = (
            *reversed(optional),
            *(column for column in reversed(columns) if column not in optional),
        )
        self.fit_columns(
            widths, order[:-1], scaled_pixels(_MIN_NAME_WIDTH, font), names
        )

    def on_sorted(self, column: int, order: Qt.SortOrder) -> None:
        if column > 0:
            title = self.results.columns[column - 1].label
        else:
            title = self.results.table.title
        self.sort_by(title, order == Qt.SortOrder.DescendingOrder)
        self.sorted.emit()

    def on_current(self, current: QModelIndex) -> None:
        entry = self.results.entry_at(current.row())
        if entry is not None and entry.name != self._current_name:
            self._current_name = entry.name
            self.current_changed.emit(entry.name)

    def on_opened(self) -> None:
        if self.current is not None:
            self.opened.emit(self.current.name)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        entry = self.results.entry_at(index.row())
        slot = int(event.position().x() - 4) // SLOT_WIDTH
        if (
            self.painter.has_marks
            and entry is not None
            and index.column() == 0
            and slot in (0, 1)
        ):
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
        elif (
            self.painter.has_marks
            and entry is not None
            and key in (Qt.Key.Key_A, Qt.Key.Key_B)
        ):
            self.mark_requested.emit(int(key == Qt.Key.Key_B), entry.name)
        elif key in (Qt.Key.Key_S, Qt.Key.Key_R):
            shown = [
                column
                for column in range(self.results.columnCount())
                if not self.isColumnHidden(column)
            ]
            column = self.horizontalHeader().sortIndicatorSection()
            is_descending = self.results.is_descending != (key == Qt.Key.Key_R)
            if key == Qt.Key.Key_S:
                step = (
                    -1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
                )
                column = shown[
                    ((shown.index(column) if column in shown else 0) + step)
                    % len(shown)
                ]
            if is_descending:
                order = Qt.SortOrder.DescendingOrder
            else:
                order = Qt.SortOrder.AscendingOrder
            self.on_sorted(column, order)
        else:
            super().keyPressEvent(event)
