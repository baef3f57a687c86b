"""The table of a replay at a turn."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from core.presentation.compare.model import FAILED, WAITING, CompareCell
from core.presentation.replay.model import COLUMNS, ReplayPage, ReplayTrackRow
from core.presentation.replay.turn_wording import size_at
from gui.language import tr
from gui.replay.line_style import line_sample
from gui.widgets.line_table import ResultTable, ResultTableModel
from gui.widgets.result_table import LEFT_MIDDLE, Index, RowPainter
from gui.widgets.theme import SECONDARY, SMALL, Theme, resized_font

_SAMPLE_WIDTH, _MIN_NAME_WIDTH = 48, 210
_OPTIONAL_COLUMNS = (5, 4, 3)
"""Columns are hidden in this order: the cache, what was sent, the calls."""
_TURN_COLUMN = 1


class ReplayTableModel(ResultTableModel[ReplayTrackRow]):
    def __init__(self) -> None:
        super().__init__()
        self.turn = 1

    def set_turn(self, turn: int) -> None:
        self.turn = turn
        if self.rowCount():
            self.dataChanged.emit(self.index(0, _TURN_COLUMN), self.index(self.rowCount() - 1, _TURN_COLUMN))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, _TURN_COLUMN, _TURN_COLUMN)

    def title(self, column: int) -> str:
        return f"{self.columns[column]} {self.turn:,}" if column == _TURN_COLUMN else self.columns[column]

    def cell(self, line: ReplayTrackRow, column: int) -> CompareCell:
        if column == 0:
            return CompareCell(line.name)
        if column == _TURN_COLUMN:
            return CompareCell(size_at(line, self.turn) if line.sizes else "")
        return line.totals[column - 2] if line.totals else CompareCell("")

    def tip(self, line: ReplayTrackRow, column: int) -> str:
        return super().tip(line, column) if column else line.trouble


class _ReplayCellDelegate(RowPainter):
    """Paints a cell: the first with a sample of the line."""

    def paint_cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        model = index.model()
        line = model.line_at(index.row()) if isinstance(model, ReplayTableModel) else None
        if line is None or not isinstance(model, ReplayTableModel):
            return
        inside = QRect(option.rect).adjusted(8, 0, -8, -1)
        if index.column():
            self.paint_figure(painter, inside, option.font, model.cell(line, index.column()))
        else:
            self._name(painter, inside, option, line, index.row())

    def _name(
        self, painter: QPainter, inside: QRect, option: QStyleOptionViewItem, line: ReplayTrackRow, row: int
    ) -> None:
        theme = self.theme
        line_sample(
            painter,
            theme,
            row,
            QRect(inside.left(), inside.top(), _SAMPLE_WIDTH - 8, inside.height()).toRectF(),
        )
        name_rect = inside.adjusted(_SAMPLE_WIDTH, 0, 0, 0)
        painter.setFont(resized_font(option.font, 13))
        painter.setPen(theme.text3 if line.state == WAITING else theme.text)
        name = painter.fontMetrics().elidedText(line.name, Qt.TextElideMode.ElideRight, name_rect.width())
        painter.drawText(name_rect, LEFT_MIDDLE, name)
        status = tr("to come") if line.state == WAITING else line.trouble
        if status:
            name_rect.setLeft(name_rect.left() + painter.fontMetrics().horizontalAdvance(line.name) + 10)
            painter.setFont(resized_font(option.font, SECONDARY))
            painter.setPen(theme.error if line.state == FAILED else theme.text3)
            metrics = painter.fontMetrics()
            if line.state != WAITING or metrics.horizontalAdvance(status) <= name_rect.width():
                text = metrics.elidedText(status, Qt.TextElideMode.ElideRight, name_rect.width())
                painter.drawText(name_rect, LEFT_MIDDLE, text)


class ReplayTable(ResultTable[ReplayTrackRow]):
    """Rows in the order of the plot's lines, at its turn."""

    def __init__(self, theme: Theme) -> None:
        self._at_turn = ReplayTableModel()
        cells = _ReplayCellDelegate(self._at_turn, theme)
        name = tr("Strategies at the turn")
        super().__init__(
            name, self._at_turn, cells, theme, hiding_order=_OPTIONAL_COLUMNS, min_name_width=_MIN_NAME_WIDTH
        )

    def sizeHint(self) -> QSize:
        """All rows, up to eight."""
        rows = min(8, max(3, self.line_model.rowCount()))
        return QSize(700, self.horizontalHeader().height() + rows * self.row_height + 12)

    def show_page(self, page: ReplayPage | None) -> None:
        if page is not None:
            self.show_lines(page.columns, page.lines)
        else:
            self.show_lines(COLUMNS, ())

    def set_turn(self, turn: int) -> None:
        self._at_turn.set_turn(turn)

    def name_width(self, line: ReplayTrackRow) -> int:
        return _SAMPLE_WIDTH + super().name_width(line)

    def width_of(self, column: int) -> int:
        """Width for the figures of any turn, so that nothing moves during playback."""
        header_metrics, cell_metrics = (
            QFontMetrics(resized_font(self.font(), SMALL)),
            QFontMetrics(resized_font(self.font(), 13)),
        )
        title = (
            f"{self.line_model.columns[column]} 0,000"
            if column == _TURN_COLUMN
            else self.line_model.columns[column]
        )
        return max(cell_metrics.horizontalAdvance("$000.00"), header_metrics.horizontalAdvance(title)) + 24
