"""A sortable table with a name and its figures in each row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from core.presentation.compare.model import CompareCell
from core.presentation.compare.row_order import by_column
from core.presentation.folder.model import FolderRow
from gui.widgets.line_table import ResultTable, ResultTableModel
from gui.widgets.result_table import LEFT_MIDDLE, Index, RowPainter
from gui.widgets.theme import SECONDARY, Theme, resized_font

_GLYPH = 18
_LEAST = 16
"""Least characters of a reason worth showing."""


class FolderTableModel(ResultTableModel[FolderRow]):
    """Rows of figures sorted by a column; unknown ones last."""

    def places(self) -> list[int]:
        every = super().places()
        return by_column(self.lines, every, self.column, descending=self.down) if self.column >= 0 else every

    def cell(self, line: FolderRow, column: int) -> CompareCell:
        return line.cells[column]

    def tip(self, line: FolderRow, column: int) -> str:
        text = super().tip(line, column) or ("" if column else line.name)
        return "\n".join(filter(None, (text, line.trouble)))


class _FolderCellDelegate(RowPainter):
    """Paints the name at the left, figures at the right, and a failure across the row."""

    def cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        model = index.model()
        row = model.at(index.row()) if isinstance(model, FolderTableModel) else None
        if row is None:
            return
        inside = QRect(option.rect).adjusted(8, 0, -8, -1)
        if index.column() and index.column() == _blank_from(row):
            self.accessible_text(painter, inside, option.font, row.trouble, failed=True)
        elif index.column():
            cell, ink = row.cells[index.column()], self.theme.text3 if row.trouble else None
            self.figure(painter, inside, option.font, cell, ink, glyph=not cell.text.isdecimal())
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
        if row.trouble and not _blank_from(row) and inside.width() > _LEAST * metrics.averageCharWidth():
            painter.setFont(resized_font(font, SECONDARY))
            painter.setPen(self.theme.text3)
            text = painter.fontMetrics().elidedText(row.trouble, Qt.TextElideMode.ElideRight, inside.width())
            painter.drawText(inside, LEFT_MIDDLE, text)


def _blank_from(row: FolderRow) -> int:
    """Return the first column without figures of a failed row, 0 if it has all."""
    blank = next((at for at, cell in enumerate(row.cells) if at and not cell.text), 0)
    return blank if row.trouble and not any(cell.text for cell in row.cells[blank:]) else 0


class FolderTable(ResultTable[FolderRow]):
    """The table of a folder's files; a click on a header sorts."""

    def __init__(self, name: str, theme: Theme, going: Sequence[int], least: int) -> None:
        lines = FolderTableModel()
        super().__init__(name, lines, _FolderCellDelegate(lines, theme), theme, going=going, least=least)
        self.setProperty("role", "roomy")  # shows a focus ring when no row is current
        self.let_sort()

    def show_lines(self, columns: Sequence[str], lines: tuple[FolderRow, ...]) -> None:
        if (tuple(columns), lines) != (self.lines.columns, self.lines.lines):
            super().show_lines(columns, lines)

    def stay(self) -> None:
        """Reselect the current line; the reason of a failed line covers the missing figures."""
        self.clearSpans()
        for row in range(self.lines.rowCount()):
            line = self.lines.at(row)
            if line is not None and (first := _blank_from(line)):
                self.setSpan(row, first, 1, len(line.cells) - first)
        super().stay()

    def width_of(self, column: int) -> int:
        has_tone = any(line.cells[column].tone for line in self.lines.lines)
        return max(super().width_of(column), self.text_width(column) + 20 + _GLYPH * has_tone)
