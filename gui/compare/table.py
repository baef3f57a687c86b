"""The table of a comparison, sortable, with rows marked A and B."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from core.presentation.compare.model import COLUMNS, DONE, FIDELITY, LINT, NAME, ComparePage, CompareTableRow
from gui.compare.table_cells import BAR_WIDTH, SLOT_WIDTH, CompareCellDelegate, CompareModel
from gui.language import tr
from gui.widgets.line_table import ResultTable
from gui.widgets.theme import Theme

_MIN_NAME_WIDTH = 236
_OPTIONAL_COLUMNS = tuple(
    map(
        COLUMNS.index,
        (
            "messages",
            "time",
            "later needs",
            "model calls",
            "files",
            "errors",
            "cost",
            "prefix kept",
            "constraints",
        ),
    )
)
"""Columns that are hidden, in this order, if names would have less space than ``_NAME``."""


class CompareTable(ResultTable[CompareTableRow]):
    """Emits ``mark_requested(place, name)`` (0 is A), and the signals of ResultTable."""

    mark_requested = Signal(int, str)

    def __init__(self, theme: Theme) -> None:
        lines = CompareModel()
        self._cells = CompareCellDelegate(lines, theme)
        super().__init__(
            tr("Results"),
            lines,
            self._cells,
            theme,
            hiding_order=_OPTIONAL_COLUMNS,
            min_name_width=_MIN_NAME_WIDTH,
        )
        self.setMouseTracking(True)
        self.enable_sorting()

    def show_page(self, page: ComparePage | None) -> None:
        """Show a comparison; the current row and the scroll position stay."""
        if page is not None:
            self.show_lines(page.columns, page.lines)
        else:
            self.show_lines([tr(title) for title in COLUMNS], ())

    def set_marked(self, a: str, b: str) -> None:
        self._cells.marked = (a, b)
        self.viewport().update()

    def sizeHint(self) -> QSize:
        """Height for all rows, up to twelve."""
        rows = min(12, max(4, self.line_model.rowCount()))
        return QSize(900, self.horizontalHeader().height() + rows * self.row_height + 2)

    def reselect(self) -> None:
        """Reselect the current line, else the first; failures cover the whole row."""
        self.clearSpans()
        for row in range(self.line_model.rowCount()):
            line = self.line_model.line_at(row)
            if line is not None and line.state != DONE:
                self.setSpan(row, 1, 1, len(COLUMNS) - 1)
        self.setCurrentIndex(self.line_model.index(max(0, self.line_model.row_of(self._current_name)), 0))

    def width_of(self, column: int) -> int:
        minimums = {FIDELITY: self.text_width(column) + BAR_WIDTH + 32, LINT: 90}
        return max(super().width_of(column), minimums.get(column, 0))

    def name_width(self, line: CompareTableRow) -> int:
        return self._cells.name_width(self.font(), line)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        line = self.line_model.line_at(index.row())
        slot = (event.position().x() - 4) // SLOT_WIDTH
        if line is not None and index.column() == NAME and slot in (0, 1):
            self.mark_requested.emit(int(slot), line.name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.indexAt(event.position().toPoint()).row())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, row: int) -> None:
        if row != self._cells.hovered:
            self._cells.hovered = row
            self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A and B mark the current row, S sorts by the next column, R by the previous one."""
        line, key = self.current_line, event.key()
        if event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier:
            super().keyPressEvent(event)
        elif line is not None and key in (Qt.Key.Key_A, Qt.Key.Key_B):
            self.mark_requested.emit(int(key == Qt.Key.Key_B), line.name)
        elif key == Qt.Key.Key_S:
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            shown = [column for column in range(len(COLUMNS)) if not self.isColumnHidden(column)]
            position = shown.index(self.line_model.sort_column) if self.line_model.sort_column in shown else 0
            self.sort_by(shown[(position + (-1 if back else 1)) % len(shown)], self.line_model.is_descending)
        elif key == Qt.Key.Key_R:
            self.sort_by(self.line_model.sort_column, not self.line_model.is_descending)
        else:
            super().keyPressEvent(event)
