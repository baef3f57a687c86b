"""The table of a replay at a turn."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyleOptionViewItem

from core.view.compare_values import FAILED, WAITING, CompareCell
from core.view.replay_turn import size_at
from core.view.replay_values import COLUMNS, ReplayLine, ReplayPage
from gui.insight.rows import LEFT_MIDDLE, RIGHT_MIDDLE, Index, PlainTable, RowPaint
from gui.language import tr
from gui.replay.style import sample
from gui.theme import SECONDARY, SMALL, Theme, resized, tabular

_LINE = 48


class ReplayModel(QAbstractTableModel):
    """The lines of a page at a turn."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.page: ReplayPage | None = None
        self.turn = 1

    def show_page(self, page: ReplayPage | None) -> None:
        """Show another page."""
        self.beginResetModel()
        self.page = page
        self.endResetModel()

    def set_turn(self, turn: int) -> None:
        """Show another turn."""
        self.turn = turn
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 1), self.index(self.rowCount() - 1, 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 1, 1)

    def at(self, row: int) -> ReplayLine | None:
        """The line of a row."""
        return self.page.lines[row] if self.page is not None and 0 <= row < len(self.page.lines) else None

    def cell(self, line: ReplayLine, column: int) -> CompareCell:
        """What stands in a column."""
        if column == 0:
            return CompareCell(line.name)
        if column == 1:
            return CompareCell(size_at(line, self.turn) if line.sizes else "")
        return line.totals[column - 2] if line.totals else CompareCell("")

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self.page is None else len(self.page.lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            names = self.page.columns if self.page is not None else COLUMNS
            return f"{names[section]} {self.turn:,}" if section == 1 else names[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.at(index.row())
        if line is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell(line, index.column()).text
        if role == Qt.ItemDataRole.ToolTipRole:
            return line.trouble if index.column() == 0 else self.cell(line, index.column()).tip
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            texts = (f"{name} {self.cell(line, at).text}" for at, name in enumerate(COLUMNS) if at)
            return ", ".join((line.name, line.trouble, *texts))
        return None


class _Cells(RowPaint):
    """A cell: the first with a piece of the line."""

    def cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        model = index.model()
        line = model.at(index.row()) if isinstance(model, ReplayModel) else None
        if line is None or not isinstance(model, ReplayModel):
            return
        shade, rect = self.theme, QRect(option.rect)
        inside = rect.adjusted(8, 0, -8, -1)
        cell = model.cell(line, index.column())
        painter.setFont(tabular(resized(option.font, 13, bold=cell.tone == "error")))
        painter.setPen(shade.tone(cell.tone) if cell.tone else shade.text)
        if index.column():
            painter.drawText(inside, RIGHT_MIDDLE, cell.text)
        else:
            self._name(painter, inside, option, line, index.row())

    def _name(
        self, painter: QPainter, inside: QRect, option: QStyleOptionViewItem, line: ReplayLine, row: int
    ) -> None:
        shade = self.theme
        sample(painter, shade, row, QRect(inside.left(), inside.top(), _LINE - 8, inside.height()).toRectF())
        room = inside.adjusted(_LINE, 0, 0, 0)
        painter.setPen(shade.text3 if line.state == WAITING else shade.text)
        name = painter.fontMetrics().elidedText(line.name, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, LEFT_MIDDLE, name)
        said = tr("to come") if line.state == WAITING else line.trouble
        if said:
            room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(line.name) + 10)
            painter.setFont(resized(option.font, SECONDARY))
            painter.setPen(shade.error if line.state == FAILED else shade.text3)
            text = painter.fontMetrics().elidedText(said, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, LEFT_MIDDLE, text)


class ReplayTable(PlainTable):
    """Emits ``line_wanted(name)`` for another current row."""

    line_wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        self.lines = ReplayModel()
        super().__init__(tr("Strategies at the turn"), self.lines, _Cells(self.lines, theme), heads=True)
        self.lines.setParent(self)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        super().set_theme(theme)
        self._fit()

    def sizeHint(self) -> QSize:
        """All rows, up to eight."""
        rows = min(8, max(3, self.lines.rowCount()))
        return QSize(700, self.horizontalHeader().height() + rows * self.row_height + 12)

    def show_page(self, page: ReplayPage | None) -> None:
        """Show another page; the current row stays."""
        row = self.currentIndex().row()
        self.lines.show_page(page)
        self._fit()
        if page is not None:
            self.setCurrentIndex(self.lines.index(max(0, row), 0))
        self.updateGeometry()

    def set_turn(self, turn: int) -> None:
        """Show another turn."""
        self.lines.set_turn(turn)

    def select(self, name: str) -> None:
        """Make a line the current one."""
        page = self.lines.page
        rows = [row for row, line in enumerate(page.lines) if line.name == name] if page is not None else []
        if rows:
            self.setCurrentIndex(self.lines.index(rows[0], 0))

    def _fit(self) -> None:
        """Columns as wide as their figures; in a narrow window the cache goes first."""
        small, plain = QFontMetrics(resized(self.font(), SMALL)), QFontMetrics(resized(self.font(), 13))
        figures = plain.horizontalAdvance("$000.00") + 24
        widths = [0] + [
            max(figures, small.horizontalAdvance(f"≈ {name} 0,000" if at == 1 else f"≈ {name}") + 24)
            for at, name in enumerate(COLUMNS)
            if at
        ]
        room = self.viewport().width() - sum(widths) - 210
        for column in (5, 4, 3):
            self.setColumnHidden(column, room < 0)
            room += widths[column] if room < 0 else 0
        for column in range(1, len(COLUMNS)):
            self.horizontalHeader().resizeSection(column, widths[column])

    def _on_current(self, current: QModelIndex) -> None:
        line = self.lines.at(current.row())
        if line is not None:
            self.line_wanted.emit(line.name)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns."""
        super().resizeEvent(event)
        self._fit()
