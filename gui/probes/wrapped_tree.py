"""A tree with wrapped text."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTreeView, QTreeWidget

_COLUMN = 1  # column of the long texts
_SIDES, _MARGIN, _MAX_HEIGHT = 8, 4, 10_000


class WrappedTree(QTreeWidget):
    """Rows are as high as the text of their second column, with the arrow beside its first line."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setItemDelegate(WrappedCells(self))
        self.header().sectionResized.connect(self.scheduleDelayedItemsLayout)

    def drawBranches(
        self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Centre the arrow on the first line."""
        line = QRect(rect.left(), rect.top(), rect.width(), self.fontMetrics().height() + _MARGIN)
        super().drawBranches(painter, line, index)


class WrappedCells(QStyledItemDelegate):
    """Makes rows as high as the wrapped text of their second column, which trees do not."""

    def __init__(self, tree: QTreeView) -> None:
        super().__init__(tree)
        self._tree = tree

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        size = super().sizeHint(option, index)
        if index.column() == _COLUMN:
            rect = QRect(0, 0, max(1, self._tree.header().sectionSize(_COLUMN) - _SIDES), _MAX_HEIGHT)
            text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
            wrap = Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextWrapAnywhere
            lines = option.fontMetrics.boundingRect(rect, wrap.value, text)
            size.setHeight(max(size.height(), lines.height() + _MARGIN))
        return size
