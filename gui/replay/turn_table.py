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

_PIECE, _LEAST = 48, 210
_GOING = (5, 4, 3)
"""Columns are hidden in this order: the cache, what was sent, the calls."""
_TURN = 1


class ReplayTableModel(ResultTableModel[ReplayTrackRow]):
    def __init__(self) -> None:
        super().__init__()
        self.turn = 1

    def set_turn(self, turn: int) -> None:
        self.turn = turn
        if self.rowCount():
            self.dataChanged.emit(self.index(0, _TURN), self.index(self.rowCount() - 1, _TURN))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, _TURN, _TURN)

    def title(self, column: int) -> str:
        return f"{self.columns[column]} {self.turn:,}" if column == _TURN else self.columns[column]

    def cell(self, line: ReplayTrackRow, column: int) -> CompareCell:
        if column == 0:
            return CompareCell(line.name)
        if column == _TURN:
            return CompareCell(size_at(line, self.turn) if line.sizes else "")
        return line.totals[column - 2] if line.totals else CompareCell("")

    def tip(self, line: ReplayTrackRow, column: int) -> str:
        return super().tip(line, column) if column else line.trouble


class _ReplayCellDelegate(RowPainter):
    """Paints a cell: the first with a sample of the line."""

    def cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        model = index.model()
        line = model.at(index.row()) if isinstance(model, ReplayTableModel) else None
        if line is None or not isinstance(model, ReplayTableModel):
            return
        inside = QRect(option.rect).adjusted(8, 0, -8, -1)
        if index.column():
            self.figure(painter, inside, option.font, model.cell(line, index.column()))
        else:
            self._name(painter, inside, option, line, index.row())

    def _name(
        self, painter: QPainter, inside: QRect, option: QStyleOptionViewItem, line: ReplayTrackRow, row: int
    ) -> None:
        shade = self.theme
        line_sample(
            painter, shade, row, QRect(inside.left(), inside.top(), _PIECE - 8, inside.height()).toRectF()
        )
        room = inside.adjusted(_PIECE, 0, 0, 0)
        painter.setFont(resized_font(option.font, 13))
        painter.setPen(shade.text3 if line.state == WAITING else shade.text)
        name = painter.fontMetrics().elidedText(line.name, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, LEFT_MIDDLE, name)
        status = tr("to come") if line.state == WAITING else line.trouble
        if status:
            room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(line.name) + 10)
            painter.setFont(resized_font(option.font, SECONDARY))
            painter.setPen(shade.error if line.state == FAILED else shade.text3)
            metrics = painter.fontMetrics()
            if line.state != WAITING or metrics.horizontalAdvance(status) <= room.width():
                text = metrics.elidedText(status, Qt.TextElideMode.ElideRight, room.width())
                painter.drawText(room, LEFT_MIDDLE, text)


class ReplayTable(ResultTable[ReplayTrackRow]):
    """Rows in the order of the plot's lines, at its turn."""

    def __init__(self, theme: Theme) -> None:
        self._at_turn = ReplayTableModel()
        cells = _ReplayCellDelegate(self._at_turn, theme)
        name = tr("Strategies at the turn")
        super().__init__(name, self._at_turn, cells, theme, going=_GOING, least=_LEAST)

    def sizeHint(self) -> QSize:
        """All rows, up to eight."""
        rows = min(8, max(3, self.lines.rowCount()))
        return QSize(700, self.horizontalHeader().height() + rows * self.row_height + 12)

    def show_page(self, page: ReplayPage | None) -> None:
        if page is not None:
            self.show_lines(page.columns, page.lines)
        else:
            self.show_lines(COLUMNS, ())

    def set_turn(self, turn: int) -> None:
        self._at_turn.set_turn(turn)

    def name_width(self, line: ReplayTrackRow) -> int:
        return _PIECE + super().name_width(line)

    def width_of(self, column: int) -> int:
        """Width for the figures of any turn, so that nothing moves during playback."""
        small, plain = (
            QFontMetrics(resized_font(self.font(), SMALL)),
            QFontMetrics(resized_font(self.font(), 13)),
        )
        title = f"{self.lines.columns[column]} 0,000" if column == _TURN else self.lines.columns[column]
        return max(plain.horizontalAdvance("$000.00"), small.horizontalAdvance(title)) + 24
