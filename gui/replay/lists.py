"""The table of a replay at a turn, and the list of its compactions."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from core.view.compare_values import FAILED, WAITING, CompareCell
from core.view.replay_turn import size_at
from core.view.replay_values import COLUMNS, ReplayLine, ReplayMark, ReplayPage
from gui.replay.style import hue, sample
from gui.theme import SECONDARY, SMALL, Theme, resized, tabular

_Index = QModelIndex | QPersistentModelIndex
_HIGH = 26
_LINE = 48
_LEFT_MIDDLE = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT_MIDDLE = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


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

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self.page is None else len(self.page.lines)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
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

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
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


class _Cells(QStyledItemDelegate):
    """A cell: the first with a piece of the line."""

    def __init__(self, parent: QObject, theme: Theme) -> None:
        super().__init__(parent)
        self.theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        model = index.model()
        line = model.at(index.row()) if isinstance(model, ReplayModel) else None
        if line is None or not isinstance(model, ReplayModel):
            return
        shade, rect = self.theme, QRect(option.rect)
        is_current = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.fillRect(rect, shade.selection if is_current else shade.surface)
        painter.setPen(shade.hairline)
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        inside = rect.adjusted(8, 0, -8, -1)
        cell = model.cell(line, index.column())
        painter.setFont(tabular(resized(option.font, 13, bold=cell.tone == "error")))
        painter.setPen(shade.tone(cell.tone) if cell.tone else shade.text)
        if index.column():
            painter.drawText(inside, _RIGHT_MIDDLE, cell.text)
        else:
            self._name(painter, inside, option, line, index.row())
        if is_current and option.widget.hasFocus():
            painter.fillRect(rect.left(), rect.top(), rect.width(), 2, shade.accent_fill)
            painter.fillRect(rect.left(), rect.bottom() - 1, rect.width(), 2, shade.accent_fill)
        painter.restore()

    def _name(
        self, painter: QPainter, inside: QRect, option: QStyleOptionViewItem, line: ReplayLine, row: int
    ) -> None:
        shade = self.theme
        sample(painter, shade, row, QRect(inside.left(), inside.top(), _LINE - 8, inside.height()).toRectF())
        room = inside.adjusted(_LINE, 0, 0, 0)
        painter.setPen(shade.text3 if line.state == WAITING else shade.text)
        name = painter.fontMetrics().elidedText(line.name, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, _LEFT_MIDDLE, name)
        said = "to come" if line.state == WAITING else line.trouble
        if said:
            room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(line.name) + 10)
            painter.setFont(resized(option.font, SECONDARY))
            painter.setPen(shade.error if line.state == FAILED else shade.text3)
            text = painter.fontMetrics().elidedText(said, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, _LEFT_MIDDLE, text)


def _plain(view: QTableView, name: str) -> None:
    view.setAccessibleName(name)
    view.setShowGrid(False)
    view.setTabKeyNavigation(False)
    view.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QTableView.SelectionMode.SingleSelection)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)


class ReplayTable(QTableView):
    """Emits ``line_wanted(name)`` for another current row."""

    line_wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.lines = ReplayModel(self)
        self.setModel(self.lines)
        self._cells = _Cells(self, theme)
        self.setItemDelegate(self._cells)
        _plain(self, "Strategies at the turn")
        header = self.horizontalHeader()
        header.setProperty("role", "roomy")
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(24)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self._cells.theme = theme
        self.verticalHeader().setDefaultSectionSize(max(_HIGH, self.fontMetrics().height() + 8))
        self._fit()
        self.viewport().update()

    def sizeHint(self) -> QSize:
        """All rows, up to eight."""
        rows = min(8, max(3, self.lines.rowCount()))
        high = self.verticalHeader().defaultSectionSize()
        return QSize(700, self.horizontalHeader().height() + rows * high + 12)

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
        small = QFontMetrics(resized(self.font(), SMALL))
        widths = [0] + [
            small.horizontalAdvance(f"≈ {name} 0,000" if at == 1 else f"≈ {name}") + 24
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


class _Marks(QAbstractTableModel):
    """The compactions of a page."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.page: ReplayPage | None = None

    def show_page(self, page: ReplayPage | None) -> None:
        self.beginResetModel()
        self.page = page
        self.endResetModel()

    def at(self, row: int) -> ReplayMark | None:
        return self.page.marks[row] if self.page is not None and 0 <= row < len(self.page.marks) else None

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self.page is None else len(self.page.marks)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 1

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        mark = self.at(index.row())
        if mark is None or self.page is None:
            return None
        name = self.page.lines[mark.line].name
        if role in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.AccessibleTextRole,
            Qt.ItemDataRole.ToolTipRole,
        ):
            return f"turn {mark.turn:,}, {name}: {mark.text}"
        return None


class _MarkPaint(QStyledItemDelegate):
    """Turn, a bar in the line's colour, name, what became of the context."""

    def __init__(self, parent: QObject, theme: Theme) -> None:
        super().__init__(parent)
        self.theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        model = index.model()
        mark = model.at(index.row()) if isinstance(model, _Marks) else None
        if mark is None or not isinstance(model, _Marks) or model.page is None:
            return
        shade, rect = self.theme, QRect(option.rect)
        is_current = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.fillRect(rect, shade.selection if is_current else shade.surface)
        painter.setPen(shade.hairline)
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        inside = rect.adjusted(12, 0, -8, -1)
        painter.setFont(tabular(resized(option.font, SECONDARY)))
        painter.setPen(shade.text2)
        turn = f"turn {mark.turn:,}"
        painter.drawText(inside, _LEFT_MIDDLE, turn)
        left = max(62, painter.fontMetrics().horizontalAdvance(turn) + 10)
        painter.fillRect(inside.left() + left, inside.center().y() - 7, 4, 15, hue(shade, mark.line))
        room = inside.adjusted(left + 10, 0, 0, 0)
        painter.setFont(resized(option.font, 13))
        painter.setPen(shade.text)
        name = model.page.lines[mark.line].name
        painter.drawText(room, _LEFT_MIDDLE, name)
        room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(name) + 10)
        painter.setFont(resized(option.font, SECONDARY))
        painter.setPen(shade.error if mark.failed else shade.fate_text[3])
        metrics = painter.fontMetrics()
        text = mark.text
        if not mark.failed and metrics.horizontalAdvance(text) > room.width():
            text = text.strip("— ").removeprefix("context compacted ").strip("()")
        painter.drawText(
            room, _RIGHT_MIDDLE, metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        )
        if is_current and option.widget.hasFocus():
            painter.fillRect(rect.left(), rect.top(), rect.width(), 2, shade.accent_fill)
            painter.fillRect(rect.left(), rect.bottom() - 1, rect.width(), 2, shade.accent_fill)
        painter.restore()


class MarkList(QTableView):
    """Emits ``chosen(turn, name)`` for a compaction that is clicked or reached by keys."""

    chosen = Signal(int, str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.marks = _Marks(self)
        self.setModel(self.marks)
        self._paint = _MarkPaint(self, theme)
        self.setItemDelegate(self._paint)
        _plain(self, "Compactions")
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.clicked.connect(self._on_chosen)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self._paint.theme = theme
        self.verticalHeader().setDefaultSectionSize(max(_HIGH, self.fontMetrics().height() + 8))
        self.viewport().update()

    def show_page(self, page: ReplayPage | None) -> None:
        """Show the compactions of a page."""
        self.marks.show_page(page)

    def _on_current(self, current: QModelIndex) -> None:
        if self.hasFocus():
            self._on_chosen(current)

    def _on_chosen(self, index: QModelIndex) -> None:
        mark = self.marks.at(index.row())
        if mark is not None and self.marks.page is not None:
            self.chosen.emit(mark.turn, self.marks.page.lines[mark.line].name)
