"""The table of a sweep's points."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView

from core.view.sweep_values import SweepPage
from gui.insight.rows import Index, PlainTable
from gui.language import tr
from gui.texts import tabular_feature

_GIVE_WAY = (2, 4, 6, 3, 1)
"""Columns that go for want of room, counted from the last: gone, kept, messages, summarised, cost."""


class _Points(QAbstractTableModel):
    """The points of a page, a row each."""

    def __init__(self) -> None:
        super().__init__()
        self.page: SweepPage | None = None

    def show_page(self, page: SweepPage | None) -> None:
        self.beginResetModel()
        self.page = page
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self.page is None else len(self.page.points)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self.page is None else len(self.page.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Horizontal and self.page is not None:
            if role == Qt.ItemDataRole.DisplayRole:
                return self.page.columns[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if self.page is None or not 0 <= index.row() < len(self.page.points):
            return None
        point = self.page.points[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return point.cells[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and point.trouble:
            return QGuiApplication.palette().placeholderText()
        if role == Qt.ItemDataRole.ToolTipRole:
            return point.trouble or point.text
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            return f"{point.title}: {point.text}"
        return None


class PointTable(PlainTable):
    """Emits ``picked(place)`` for another current row, ``used`` for Enter and double click."""

    picked = Signal(int)
    used = Signal()

    def __init__(self) -> None:
        self.points = _Points()
        super().__init__(tr("Points"), self.points, None, heads=True)
        self.points.setParent(self)
        self.setFont(tabular_feature())
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setProperty("role", "roomy")
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.doubleClicked.connect(self._on_used)

    def fit(self) -> None:
        """Rows as high as the font needs."""
        self.verticalHeader().setDefaultSectionSize(max(24, self.fontMetrics().height() + 7))

    def show_page(self, page: SweepPage | None) -> None:
        """Show the points of a page; columns are as wide as they need, the first takes the rest."""
        self.points.show_page(page)
        for column in range(self.points.columnCount()):
            wide = QHeaderView.ResizeMode.ResizeToContents if column else QHeaderView.ResizeMode.Stretch
            self.horizontalHeader().setSectionResizeMode(column, wide)
        self._give_way()

    def _give_way(self) -> None:
        """Figures that can be seen elsewhere go where there is no room for all."""
        count, header = self.points.columnCount(), self.horizontalHeader()
        widths = [max(self.sizeHintForColumn(at), header.sectionSizeHint(at)) for at in range(count)]
        room = self.viewport().width() - sum(widths)
        for from_end in _GIVE_WAY:
            if (column := count - from_end) > 0:
                self.setColumnHidden(column, room < 0)
                room += widths[column] if room < 0 else 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns."""
        super().resizeEvent(event)
        self._give_way()

    def select(self, place: int) -> None:
        """Make a point the current one."""
        self.setCurrentIndex(self.points.index(place, 0))

    def _on_current(self, current: QModelIndex) -> None:
        if current.isValid():
            self.picked.emit(current.row())

    def _on_used(self) -> None:
        self.used.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter uses the point."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.used.emit()
        else:
            super().keyPressEvent(event)
