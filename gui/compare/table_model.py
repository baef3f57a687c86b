"""The model of a comparison's table."""

from __future__ import annotations

from PySide6.QtCore import Qt

from core.presentation.compare.model import FIDELITY, NAME, CompareCell, CompareTableRow
from core.presentation.compare.row_order import row_order
from gui.language import tr
from gui.widgets.line_table import ResultTableModel


class CompareModel(ResultTableModel[CompareTableRow]):
    """The lines of a page: the baseline, recorded compactions, then the others sorted by a column."""

    def __init__(self) -> None:
        super().__init__(FIDELITY)

    def row_order(self) -> list[int]:
        return row_order(self.lines, self.sort_column, descending=self.is_descending)

    def cell(self, line: CompareTableRow, column: int) -> CompareCell:
        return line.cells[column]

    def tip(self, line: CompareTableRow, column: int) -> str:
        if column == NAME:
            return "\n".join(filter(None, (line.name, *line.tags, line.trouble)))
        return super().tip(line, column)

    def accessible_words(self, line: CompareTableRow) -> tuple[str, ...]:
        return line.name, *line.tags, line.trouble

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return tr(
                "A click sorts by this column; S and Shift S go on to another, R turns the order round."
            )
        return super().headerData(section, orientation, role)
