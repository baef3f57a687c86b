"""The table of a sweep's points."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QStyleOptionViewItem

from core.presentation.compare.model import CompareCell
from core.presentation.sweep.model import SweepPage
from gui.language import tr
from gui.widgets.key_presses import is_enter
from gui.widgets.result_table import Index, PlainTable, RowPainter
from gui.widgets.theme import SMALL, Theme, resized_font, tabular_font, theme

_PAD = 8
_OPTIONAL_COLUMNS = (2, 4, 6, 3, 1)
"""Columns hidden if space is short, counted from the last: gone, kept, messages, summarised, cost."""


class _SweepPointModel(QAbstractTableModel):
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
        if role == Qt.ItemDataRole.ToolTipRole:
            return point.trouble or point.text
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            return f"{point.title}: {point.text}"
        return None


class _SweepCellDelegate(RowPainter):
    """Right-aligned figures; those of a point that changes nothing, or failed, are dim."""

    def paint_cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        model = index.model()
        page = model.page if isinstance(model, _SweepPointModel) else None
        if page is None:
            return
        point, inside = page.points[index.row()], QRect(option.rect).adjusted(_PAD, 0, -_PAD, -1)
        colour = self.theme.text3 if point.trouble else None
        self.paint_figure(painter, inside, option.font, CompareCell(point.cells[index.column()]), colour)


class PointTable(PlainTable):
    """Emits ``picked(place)`` for another current row, ``used`` for Enter and double click."""

    picked = Signal(int)
    used = Signal()

    def __init__(self) -> None:
        self.points = _SweepPointModel()
        self._widths: list[int] = []
        super().__init__(
            tr("Points"), self.points, _SweepCellDelegate(self.points, theme("light")), has_header=True
        )
        self.points.setParent(self)
        self.setProperty("role", "roomy")  # shows a focus ring when no row is current
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.doubleClicked.connect(self._on_used)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._measure()

    def show_page(self, page: SweepPage | None) -> None:
        """Show the points of a page; columns are as wide as needed, the first takes the rest."""
        self.points.show_page(page)
        self._measure()

    def _measure(self) -> None:
        page, header_metrics = self.points.page, QFontMetrics(resized_font(self.font(), SMALL))
        cell_metrics = QFontMetrics(tabular_font(resized_font(self.font(), 13)))
        self._widths = []
        for column, title in enumerate(page.columns if page is not None else ()):
            texts = {point.cells[column] for point in page.points} if page is not None else set()
            figures = max(map(cell_metrics.horizontalAdvance, texts), default=0)
            self._widths.append(max(figures + 20, header_metrics.horizontalAdvance(title) + 20))
        self._fit()

    def _fit(self) -> None:
        optional_columns = [
            len(self._widths) - from_end for from_end in _OPTIONAL_COLUMNS if from_end < len(self._widths)
        ]
        first_width = self._widths[0] if self._widths else 0
        self.fit_columns(self._widths, optional_columns, first_width, first_width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def select(self, index: int) -> None:
        self.setCurrentIndex(self.points.index(index, 0))

    def _on_current(self, current: QModelIndex) -> None:
        if current.isValid():
            self.picked.emit(current.row())

    def _on_used(self) -> None:
        self.used.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_enter(event):
            self.used.emit()
        else:
            super().keyPressEvent(event)
