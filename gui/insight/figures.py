"""A table of figures: a name and its numbers in a row, sorted by a click on a head."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QRect, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyleOptionViewItem

from core.view.compare_values import CompareCell
from core.view.folder_values import FolderRow
from gui.icons import paint_glyph
from gui.insight.rows import LEFT_MIDDLE, RIGHT_MIDDLE, Index, PlainTable, RowPaint
from gui.language import tr
from gui.parts import TONE_GLYPHS
from gui.theme import SECONDARY, SMALL, Theme, resized, tabular


class FigureModel(QAbstractTableModel):
    """Rows of figures in the order of a column; unknown ones last."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: tuple[str, ...] = ()
        self.rows: tuple[FolderRow, ...] = ()
        self.column, self.down = -1, True
        self._order: list[int] = []

    def show_rows(self, columns: Sequence[str], rows: tuple[FolderRow, ...]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.columns, self.rows = tuple(columns), rows
        self._sort()
        self.endResetModel()

    def sort_by(self, column: int, down: bool) -> None:
        """Another order; -1: as they came."""
        self.beginResetModel()
        self.column, self.down = column, down
        self._sort()
        self.endResetModel()

    def _sort(self) -> None:
        self._order = list(range(len(self.rows)))
        if self.column == 0:
            self._order.sort(key=lambda at: self.rows[at].name, reverse=self.down)
        elif self.column > 0:
            known = [at for at in self._order if self.rows[at].cells[self.column].key is not None]
            rest = [at for at in self._order if self.rows[at].cells[self.column].key is None]
            known.sort(key=lambda at: self.rows[at].cells[self.column].key or 0.0, reverse=self.down)
            self._order = known + rest

    def at(self, row: int) -> FolderRow | None:
        """What stands in a row."""
        return self.rows[self._order[row]] if 0 <= row < len(self._order) else None

    def row_of(self, name: str) -> int:
        """The row of a name, -1 where there is none."""
        return next((row for row, at in enumerate(self._order) if self.rows[at].name == name), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(self.columns[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.at(index.row())
        if row is None:
            return None
        cell = row.cells[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(
                filter(None, (cell.tip or (row.name if not index.column() else ""), row.trouble))
            )
        if role == Qt.ItemDataRole.AccessibleTextRole and not index.column():
            said = zip(self.columns[1:], row.cells[1:], strict=True)
            return ", ".join(
                (row.name, row.trouble, *(f"{name} {one.text}" for name, one in said if one.text))
            )
        return None


class _Figures(RowPaint):
    """A name at the left, figures at the right, and why there are none over the whole row."""

    def cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        model = index.model()
        row = model.at(index.row()) if isinstance(model, FigureModel) else None
        if row is None:
            return
        inside = QRect(option.rect).adjusted(8, 0, -8, -1)
        if index.column():
            self._figure(painter, inside, option.font, row.cells[index.column()], faint=bool(row.trouble))
        else:
            self._name(painter, inside, option.font, row)

    def _figure(
        self, painter: QPainter, inside: QRect, font: QFont, cell: CompareCell, *, faint: bool
    ) -> None:
        shade = self.theme
        painter.setFont(tabular(resized(font, 13, bold=cell.tone == "error")))
        ink = shade.tone(cell.tone) if cell.tone else shade.text3 if faint else shade.text
        painter.setPen(ink)
        painter.drawText(inside, RIGHT_MIDDLE, cell.text)
        if cell.tone and not cell.text.isdecimal():
            left = inside.right() - painter.fontMetrics().horizontalAdvance(cell.text) - 17
            spot = QRect(left, inside.center().y() - 5, 12, 12)
            paint_glyph(painter, TONE_GLYPHS[cell.tone], spot.toRectF(), ink)

    def _name(self, painter: QPainter, inside: QRect, font: QFont, row: FolderRow) -> None:
        painter.setFont(resized(font, 13))
        painter.setPen(self.theme.text)
        metrics = painter.fontMetrics()
        painter.drawText(
            inside, LEFT_MIDDLE, metrics.elidedText(row.name, Qt.TextElideMode.ElideMiddle, inside.width())
        )
        inside.setLeft(inside.left() + metrics.horizontalAdvance(row.name) + 10)
        if row.trouble and inside.width() > 48:
            painter.setFont(resized(font, SECONDARY))
            painter.setPen(self.theme.text3)
            text = painter.fontMetrics().elidedText(row.trouble, Qt.TextElideMode.ElideRight, inside.width())
            painter.drawText(inside, LEFT_MIDDLE, text)


class FigureTable(PlainTable):
    """Emits ``current_changed(name)``, ``opened(name)`` for Enter and double click. A head sorts."""

    current_changed = Signal(str)
    opened = Signal(str)

    def __init__(self, name: str, theme: Theme, gives: Sequence[int], least: int) -> None:
        """``gives``: columns that go, in this order, where names would have less than ``least`` pixels."""
        self.lines = FigureModel()
        super().__init__(name, self.lines, _Figures(self.lines, theme), heads=True)
        self.lines.setParent(self)
        self.setProperty("role", "roomy")  # a ring where no row is the current one
        self._gives, self._least, self._name = tuple(gives), least, ""
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        header.sortIndicatorChanged.connect(self._on_sorted)
        self.doubleClicked.connect(self._on_opened)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.set_theme(theme)

    def show_rows(self, columns: Sequence[str], rows: tuple[FolderRow, ...]) -> None:
        """Show these; the current row and the view stay where they are."""
        if (tuple(columns), rows) == (self.lines.columns, self.lines.rows):
            return
        place = self.verticalScrollBar().value()
        self.lines.show_rows(columns, rows)
        self._stay()
        self.fit()
        self.verticalScrollBar().setValue(place)

    def select(self, name: str) -> None:
        """Make a row the current one."""
        if (row := self.lines.row_of(name)) >= 0:
            self.setCurrentIndex(self.lines.index(row, 0))

    def _stay(self) -> None:
        row = self.lines.row_of(self._name)
        if row >= 0:
            self.setCurrentIndex(self.lines.index(row, 0))

    def fit(self) -> None:
        """As much room as figures need; the name has the rest."""
        header, small = self.horizontalHeader(), QFontMetrics(resized(self.font(), SMALL))
        metrics = QFontMetrics(tabular(resized(self.font(), 13)))
        widths = [0]
        for column, title in enumerate(self.lines.columns[1:], 1):
            texts = (row.cells[column] for row in self.lines.rows)
            widest = max(
                (metrics.horizontalAdvance(one.text) + 18 * bool(one.tone) for one in texts), default=0
            )
            widths.append(max(widest + 20, small.horizontalAdvance(title) + 24))
        room = self.viewport().width() - sum(widths) - self._least
        for column in self._gives:
            if column < len(widths):
                self.setColumnHidden(column, room < 0)
                room += widths[column] if room < 0 else 0
        for column, width in enumerate(widths):
            fixed = QHeaderView.ResizeMode.Fixed if column else QHeaderView.ResizeMode.Stretch
            header.setSectionResizeMode(column, fixed)
            if column:
                header.resizeSection(column, width)

    def _on_sorted(self, column: int, way: Qt.SortOrder) -> None:
        self.lines.sort_by(column, way == Qt.SortOrder.DescendingOrder)
        self._stay()

    def _on_current(self, current: QModelIndex) -> None:
        row = self.lines.at(current.row())
        if row is not None and row.name != self._name:
            self._name = row.name
            self.current_changed.emit(row.name)

    def _on_opened(self, index: QModelIndex) -> None:
        if (row := self.lines.at(index.row())) is not None:
            self.opened.emit(row.name)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns give way to the names."""
        super().resizeEvent(event)
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens the current row."""
        row = self.lines.at(self.currentIndex().row())
        if row is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.opened.emit(row.name)
        else:
            super().keyPressEvent(event)
