"""Paints the cells of a comparison: marks A and B, names with tags, a bar for fidelity, figures."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionViewItem

from core.presentation.compare.model import (
    DONE,
    FAILED,
    FIDELITY,
    LINT,
    NAME,
    WAITING,
    CompareCell,
    CompareTableRow,
)
from core.presentation.compare.row_order import row_order
from gui.language import tr
from gui.widgets.line_table import ResultTableModel
from gui.widgets.result_table import LEFT_MIDDLE, Index, RowPainter
from gui.widgets.theme import SECONDARY, SMALL, Theme, resized_font


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


PAD = 8
"""Pixels at the sides of a cell."""
SLOT_WIDTH = 18
"""Width of a mark; A is in the first slot, B in the second."""
_LEFT, _TAG = 8 + 2 * SLOT_WIDTH, 6
"""Pixels before a name; at each side of a tag's text, including its frame."""
BAR_WIDTH, _BAR_HEIGHT = 64, 8
"""Pixels of the bar of fidelity."""


class CompareCellDelegate(RowPainter):
    def __init__(self, parent: QObject, theme: Theme) -> None:
        super().__init__(parent, theme)
        self.marked: tuple[str, str] = ("", "")
        self.hovered = -1

    def is_marked(self, index: Index, *, is_current: bool) -> bool:
        """Rows A and B."""
        line = _line(index)
        return line is not None and line.name in self.marked

    def paint_cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        line, rect = _line(index), QRect(option.rect)
        if line is None:
            return
        if index.column() == NAME:
            self._name(painter, rect, option.font, line, bare=not (is_current or index.row() == self.hovered))
        elif line.state == DONE:
            self._figure(painter, rect.adjusted(4, 0, -PAD, -1), option.font, line, index.column())
        elif index.column() == NAME + 1:
            inside, failed = rect.adjusted(PAD, 0, -PAD, -1), line.state == FAILED
            self.paint_text(
                painter, inside, option.font, line.trouble if failed else tr("to come"), failed=failed
            )
        if is_current and index.column() == NAME:
            painter.fillRect(rect.left(), rect.top(), 3, rect.height(), self.theme.accent_text)

    def name_width(self, font: QFont, line: CompareTableRow) -> int:
        """Return the pixels of a name with its tags and space for marks."""
        name = QFontMetrics(resized_font(font, 13, bold=True)).horizontalAdvance(line.name)
        metrics = QFontMetrics(resized_font(font, SMALL))
        return _LEFT + name + sum(metrics.horizontalAdvance(tag) + 8 + 2 * _TAG for tag in line.tags) + PAD

    def _name(
        self, painter: QPainter, rect: QRect, font: QFont, line: CompareTableRow, *, bare: bool
    ) -> None:
        theme = self.theme
        for index, letter in enumerate("AB"):
            is_set = self.marked[index] == line.name
            if is_set or not bare:
                painter.setFont(resized_font(font, SECONDARY, bold=is_set))
                painter.setPen(theme.accent_text if is_set else theme.text3)
                slot = QRect(rect.left() + 4 + index * SLOT_WIDTH, rect.top(), SLOT_WIDTH, rect.height() - 1)
                painter.drawText(slot, int(Qt.AlignmentFlag.AlignCenter), letter)
        left = rect.left() + _LEFT
        name_rect = QRect(left, rect.top(), rect.right() - left - 4, rect.height() - 1)
        painter.setFont(resized_font(font, 13, bold=line.name in self.marked))
        painter.setPen(theme.text3 if line.state == WAITING else theme.text)
        metrics = painter.fontMetrics()
        painter.drawText(
            name_rect,
            LEFT_MIDDLE,
            metrics.elidedText(line.name, Qt.TextElideMode.ElideRight, name_rect.width()),
        )
        name_rect.setLeft(left + metrics.horizontalAdvance(line.name) + 8)
        for tag in line.tags:
            self._tag(painter, name_rect, font, tag)

    def _tag(self, painter: QPainter, rect: QRect, font: QFont, tag: str) -> None:
        painter.setFont(resized_font(font, SMALL))
        metrics = painter.fontMetrics()
        text = metrics.elidedText(tag, Qt.TextElideMode.ElideRight, rect.width() - 2 * _TAG)
        if rect.width() < 48 or not text:
            return
        box = QRect(rect.left(), rect.center().y() - 8, metrics.horizontalAdvance(text) + 10, 17)
        painter.setPen(QPen(self.theme.hairline, 1))
        painter.setBrush(self.theme.surface)
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(self.theme.text2)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)

    def _figure(
        self, painter: QPainter, inside: QRect, font: QFont, line: CompareTableRow, column: int
    ) -> None:
        if column == FIDELITY:
            self._bar(painter, inside, line)
        self.paint_figure(painter, inside, font, line.cells[column], glyph=column == LINT)

    def _bar(self, painter: QPainter, inside: QRect, line: CompareTableRow) -> None:
        theme = self.theme
        if line.fidelity is None:
            return
        left = inside.right() - painter.fontMetrics().horizontalAdvance("0.00") - 12 - BAR_WIDTH
        box = QRect(left, inside.center().y() - _BAR_HEIGHT // 2, BAR_WIDTH, _BAR_HEIGHT)
        painter.fillRect(box, theme.free)
        painter.setPen(QPen(theme.hairline, 1))
        painter.drawRect(box.adjusted(0, 0, -1, -1))
        colour: QColor = theme.kind[5] if line.number else theme.kind[1]
        painter.fillRect(QRect(box.left(), box.top(), round(BAR_WIDTH * line.fidelity), box.height()), colour)


def _line(index: Index) -> CompareTableRow | None:
    model = index.model()
    return model.line_at(index.row()) if isinstance(model, CompareModel) else None
