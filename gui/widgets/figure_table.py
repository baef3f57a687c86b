"""A sortable table with a name and its figures in each row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from core.presentation.compare.model import CompareCell
from core.presentation.compare.row_order import sorted_by_column
from core.presentation.folder.model import FolderRow
from gui.widgets.line_table import ResultTable, ResultTableModel
from gui.widgets.result_table import LEFT_MIDDLE, Index, RowPainter
from gui.widgets.theme import SECONDARY, Theme, resized_font

_GLYPH_SPACE = 18
_MIN_REASON_CHARS = 16
"""Least characters of a reason worth showing."""


class FolderTableModel(ResultTableModel[FolderRow]):
    """Rows of figures sorted by a column; unknown ones last."""

    def row_order(self) -> list[int]:
        unsorted = super().row_order()
        return (
            sorted_by_column(self.lines, unsorted, self.sort_column, descending=self.is_descending)
            if self.sort_column >= 0
            else unsorted
        )

    def cell(self, line: FolderRow, column: int) -> CompareCell:
        return line.cells[column]

    def tip(self, line: FolderRow, column: int) -> str:
        text = super().tip(line, column) or ("" if column else line.name)
        return "\n".join(filter(None, (text, line.trouble)))


class _FolderCellDelegate(RowPainter):
    """Paints the name at the left, figures at the right, and a failure across the row."""

    def paint_cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        model = index.model()
        row = model.line_at(index.row()) if isinstance(model, FolderTableModel) else None
        if row is None:
            return
        inside = QRect(option.rect).adjusted(8, 0, -8, -1)
        if index.column() and index.column() == _first_blank_column(row):
            self.paint_text(painter, inside, option.font, row.trouble, failed=True)
        elif index.column():
            cell, ink = row.cells[index.column()], self.theme.text3 if row.trouble else None
            self.paint_figure(painter, inside, option.font, cell, ink, glyph=not cell.text.isdecimal())
        else:
            self._name(painter, inside, option.font, row)

    def _name(self, painter: QPainter, inside: QRect, font: QFont, row: FolderRow) -> None:
        painter.setFont(resized_font(font, 13))
        painter.setPen(self.theme.text)
        metrics = painter.fontMetrics()
        painter.drawText(
            inside, LEFT_MIDDLE, metrics.elidedText(row.name, Qt.TextElideMode.ElideMiddle, inside.width())
        )
        inside.setLeft(inside.left() + metrics.horizontalAdvance(row.name) + 10)
        if (
            row.trouble
            and not _first_blank_column(row)
            and inside.width() > _MIN_REASON_CHARS * metrics.averageCharWidth()
        ):
            painter.setFont(resized_font(font, SECONDARY))
            painter.setPen(self.theme.text3)
            text = painter.fontMetrics().elidedText(row.trouble, Qt.TextElideMode.ElideRight, inside.width())
            painter.drawText(inside, LEFT_MIDDLE, text)


def _first_blank_column(row: FolderRow) -> int:
    """Return the first column without figures of a failed row, 0 if it has all."""
    blank = next((number for number, cell in enumerate(row.cells) if number and not cell.text), 0)
    return blank if row.trouble and not any(cell.text for cell in row.cells[blank:]) else 0


class FolderTable(ResultTable[FolderRow]):
    """The table of a folder's files; a click on a header sorts."""

    def __init__(self, name: str, theme: Theme, hiding_order: Sequence[int], min_name_width: int) -> None:
        line_model = FolderTableModel()
        super().__init__(
            name,
            line_model,
            _FolderCellDelegate(line_model, theme),
            theme,
            hiding_order=hiding_order,
            min_name_width=min_name_width,
        )
        self.setProperty("role", "roomy")  # shows a focus ring when no row is current
        self.enable_sorting()

    def show_lines(self, columns: Sequence[str], lines: tuple[FolderRow, ...]) -> None:
        if (tuple(columns), lines) != (self.line_model.columns, self.line_model.lines):
            super().show_lines(columns, lines)

    def reselect(self) -> None:
        """Reselect the current line; the reason of a failed line covers the missing figures."""
        self.clearSpans()
        for row in range(self.line_model.rowCount()):
            line = self.line_model.line_at(row)
            if line is not None and (first := _first_blank_column(line)):
                self.setSpan(row, first, 1, len(line.cells) - first)
        super().reselect()

    def width_of(self, column: int) -> int:
        has_tone = any(line.cells[column].tone for line in self.line_model.lines)
        return max(super().width_of(column), self.text_width(column) + 20 + _GLYPH_SPACE * has_tone)
