"""The table of a comparison: sorted by a column, rows marked A and B."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView

from core.view.compare_values import COLUMNS, DONE, FIDELITY, LINT, NAME, CompareLine, ComparePage
from gui.compare.cells import BAR, PAD, SLOT, CompareCells
from gui.compare.model import CompareModel
from gui.insight.rows import PlainTable
from gui.language import tr
from gui.theme import SMALL, Theme, resized, scaled, tabular

_LEAST = {FIDELITY: BAR + 20, LINT: 78}
_NAME = 236
_GIVE_WAY = tuple(
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
"""Columns that go, in this order, where names would have less room than ``_NAME``."""


class CompareTable(PlainTable):
    """Emits ``current_changed(name)``, ``mark_asked(place, name)`` (0 is A), ``opened(name)``, ``sorted``."""

    current_changed = Signal(str)
    mark_asked = Signal(int, str)
    opened = Signal(str)
    sorted = Signal(int, bool)

    def __init__(self, theme: Theme) -> None:
        self.lines = CompareModel()
        self._cells = CompareCells(self.lines, theme)
        super().__init__(tr("Results"), self.lines, self._cells, heads=True)
        self.lines.setParent(self)
        self._name = ""
        self.setMouseTracking(True)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(FIDELITY, Qt.SortOrder.DescendingOrder)
        header.sortIndicatorChanged.connect(self._on_sorted)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        self.doubleClicked.connect(self._on_opened)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        super().set_theme(theme)
        self._fit()

    def show_page(self, page: ComparePage | None) -> None:
        """Show a comparison; the current row and the view stay where they are."""
        place = self.verticalScrollBar().value()
        self.lines.show_page(page)
        self._stay()
        self._fit()
        self.verticalScrollBar().setValue(place)
        self.updateGeometry()

    def set_marked(self, a: str, b: str) -> None:
        """Show which rows are A and B."""
        self._cells.marked = (a, b)
        self.viewport().update()

    def sort_by(self, column: int, down: bool) -> None:
        """Another order, shown in the head."""
        way = Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(column, way)

    def select(self, name: str) -> None:
        """Make a row the current one."""
        row = self.lines.row_of(name)
        if row >= 0:
            self.setCurrentIndex(self.lines.index(row, 0))

    @property
    def current(self) -> CompareLine | None:
        """The line of the current row."""
        return self.lines.at(self.currentIndex().row())

    def sizeHint(self) -> QSize:
        """Room for all rows, up to twelve."""
        rows = min(12, max(4, self.lines.rowCount()))
        return QSize(900, self.horizontalHeader().height() + rows * self.row_height + 2)

    def _stay(self) -> None:
        self.clearSpans()
        for row in range(self.lines.rowCount()):
            line = self.lines.at(row)
            if line is not None and line.state != DONE:
                self.setSpan(row, 1, 1, len(COLUMNS) - 1)
        row = self.lines.row_of(self._name)
        self.setCurrentIndex(self.lines.index(max(0, row), 0))

    def _fit(self) -> None:
        """As much room as figures need; names get what is left, and columns give way to them."""
        page, metrics = self.lines.page, QFontMetrics(tabular(resized(self.font(), 13)))
        small = QFontMetrics(resized(self.font(), SMALL))
        titles = page.columns if page is not None else COLUMNS
        widths = [0] * len(COLUMNS)
        for column in range(1, len(COLUMNS)):
            texts = [line.cells[column].text for line in page.lines] if page is not None else []
            widest = max((metrics.horizontalAdvance(text) for text in texts), default=0)
            head = small.horizontalAdvance(titles[column]) + 24
            least = _LEAST.get(column, 0) + (widest if column == FIDELITY else 0)
            widths[column] = max(widest + PAD + 12, head, least + 12)
        room = self.viewport().width() - sum(widths) - scaled(_NAME, self.font())
        for column in _GIVE_WAY:
            self.setColumnHidden(column, room < 0)
            room += widths[column] if room < 0 else 0
        for column in range(1, len(COLUMNS)):
            self.horizontalHeader().resizeSection(column, widths[column])

    def _on_sorted(self, column: int, way: Qt.SortOrder) -> None:
        down = way == Qt.SortOrder.DescendingOrder
        if (column, down) != (self.lines.column, self.lines.down):
            self.lines.sort_by(column, down)
            self._stay()
            self.sorted.emit(column, down)

    def _on_current(self, current: QModelIndex) -> None:
        line = self.lines.at(current.row())
        if line is not None and line.name != self._name:
            self._name = line.name
            self.current_changed.emit(line.name)

    def _on_opened(self, index: QModelIndex) -> None:
        line = self.lines.at(index.row())
        if line is not None:
            self.opened.emit(line.name)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on the letter sets the mark."""
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        line = self.lines.at(index.row())
        slot = (event.position().x() - 4) // SLOT
        if line is not None and index.column() == NAME and slot in (0, 1):
            self.mark_asked.emit(int(slot), line.name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Letters show in the row under the pointer."""
        super().mouseMoveEvent(event)
        self._hover(self.indexAt(event.position().toPoint()).row())

    def leaveEvent(self, event: QEvent) -> None:
        """No row is under the pointer."""
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, row: int) -> None:
        if row != self._cells.hovered:
            self._cells.hovered = row
            self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns give way to the names."""
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A and B mark the current row, Enter opens it, S sorts by the next column, R the other way."""
        line, key = self.current, event.key()
        is_plain = not event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier
        if line is not None and is_plain and key in (Qt.Key.Key_A, Qt.Key.Key_B):
            self.mark_asked.emit(int(key == Qt.Key.Key_B), line.name)
        elif line is not None and is_plain and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(line.name)
        elif is_plain and key == Qt.Key.Key_S:
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            shown = [column for column in range(len(COLUMNS)) if not self.isColumnHidden(column)]
            here = shown.index(self.lines.column) if self.lines.column in shown else 0
            self.sort_by(shown[(here + (-1 if back else 1)) % len(shown)], self.lines.down)
        elif is_plain and key == Qt.Key.Key_R:
            self.sort_by(self.lines.column, not self.lines.down)
        else:
            super().keyPressEvent(event)
