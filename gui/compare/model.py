"""The lines of a comparison in the order in which they are shown."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from core.view.compare_order import order
from core.view.compare_values import COLUMNS, FIDELITY, NAME, CompareLine, ComparePage
from gui.insight.rows import Index
from gui.language import tr


class CompareModel(QAbstractTableModel):
    """The lines of a page in their order. ``at(row)`` is the line of a row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.page: ComparePage | None = None
        self.column, self.down = FIDELITY, True
        self._order: list[int] = []

    def show_page(self, page: ComparePage | None) -> None:
        """Show another page."""
        self.beginResetModel()
        self.page = page
        self._sort()
        self.endResetModel()

    def sort_by(self, column: int, down: bool) -> None:
        """Another order."""
        self.beginResetModel()
        self.column, self.down = column, down
        self._sort()
        self.endResetModel()

    def _sort(self) -> None:
        lines = self.page.lines if self.page is not None else ()
        self._order = order(lines, self.column, descending=self.down)

    def at(self, row: int) -> CompareLine | None:
        """The line of a row, None where there is none."""
        if self.page is None or not 0 <= row < len(self._order):
            return None
        return self.page.lines[self._order[row]]

    def row_of(self, name: str) -> int:
        """The row of a name, -1 where there is none."""
        found = (row for row in range(len(self._order)) if (line := self.at(row)) and line.name == name)
        return next(found, -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.page.columns[section] if self.page is not None else tr(COLUMNS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr(
                "A click sorts by this column; S and Shift S go on to another, R turns the order round."
            )
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.at(index.row())
        if line is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return line.cells[index.column()].text
        if role == Qt.ItemDataRole.ToolTipRole:
            if index.column() == NAME:
                return "\n".join(filter(None, (line.name, *line.tags, line.trouble)))
            return line.cells[index.column()].tip
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == NAME:
            said = zip(COLUMNS, (cell.text for cell in line.cells), strict=True)
            return ", ".join((line.name, *line.tags, line.trouble, *(f"{c} {t}" for c, t in said if t)))
        return None
