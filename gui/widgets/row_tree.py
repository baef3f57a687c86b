"""Lists and trees whose rows are as high as their font or their wrapped text needs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QTreeWidget,
    QTreeWidgetItem,
)

from gui.widgets.events import Index
from gui.widgets.icons import glyph_icon
from gui.widgets.theme import current_theme


class RowTree(QTreeWidget):
    """No header, no children. Emits ``restyled`` when glyphs and colours are to be set again."""

    restyled = Signal()

    def __init__(
        self,
        name: str,
        columns: int = 2,
        stretched: int = 0,
        *,
        role: str = "rows",
        selects: bool = True,
    ) -> None:
        super().__init__()
        self._stretched = stretched
        self.setAccessibleName(name)
        self.setProperty("role", role)
        self.setColumnCount(columns)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setIconSize(QSize(12, 12))
        if not selects:
            self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        header = self.header()
        modes = QHeaderView.ResizeMode
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(0)
        for column in range(columns):
            header.setSectionResizeMode(
                column, modes.Stretch if column == stretched else modes.ResizeToContents
            )

    def add_row(
        self,
        cells: Sequence[str],
        *,
        glyph: str = "",
        tone: str = "",
        spoken: str = "",
        lines: int = 1,
        fonts: Sequence[QFont | None] = (),
    ) -> QTreeWidgetItem:
        """Add a row; ``tone`` colours the glyph, and an amber or red one of several lines the last
        cell, too."""
        theme = current_theme()
        item = QTreeWidgetItem(self, list(cells))
        last = len(cells) - 1
        item.setSizeHint(
            self._stretched, QSize(0, lines * self.fontMetrics().height() + 10)
        )
        item.setTextAlignment(
            last, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        )
        item.setForeground(
            last,
            theme.tone(tone)
            if tone in ("warn", "error") and lines > 1
            else theme.text2,
        )
        if glyph:
            item.setIcon(
                0,
                glyph_icon(
                    glyph, theme.accent_text if tone == "accent" else theme.tone(tone)
                ),
            )
        if spoken:
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, spoken)
        for column, font in enumerate(fonts):
            if font is not None:
                item.setFont(column, font)
        return item

    @property
    def row(self) -> int:
        """The current row, -1 for none."""
        return self.currentIndex().row()

    def select_row(self, row: int) -> None:
        """Make a row current, none for -1."""
        self.setCurrentIndex(self.model().index(row, 0))

    def fit(self) -> None:
        """Make the list as high as its rows."""
        items = [self.topLevelItem(row) for row in range(self.topLevelItemCount())]
        self.setFixedHeight(
            sum(
                item.sizeHint(self._stretched).height()
                for item in items
                if item is not None
            )
            + 4
        )

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.restyled.emit()


_COLUMN = 1  # column of the long texts
_SIDES, _MARGIN, _MAX_HEIGHT = 8, 4, 10_000


class WrappedTree(QTreeWidget):
    """Rows are as high as the text of their second column, with the arrow beside its first line."""

    def __init__(self, name: str, columns: int = 2) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setProperty("role", "reader")
        self.setColumnCount(columns)
        self.setHeaderHidden(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrap(True)
        self.setItemDelegate(_WrappedCells(self))
        self.header().sectionResized.connect(self.scheduleDelayedItemsLayout)

    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """Centre the arrow on the first line."""
        line = QRect(
            rect.left(), rect.top(), rect.width(), self.fontMetrics().height() + _MARGIN
        )
        super().drawBranches(painter, line, index)


class _WrappedCells(QStyledItemDelegate):
    """Makes rows as high as the wrapped text of their second column, which trees do not."""

    def __init__(self, tree: QTreeView) -> None:
        super().__init__(tree)
        self._tree = tree

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        if index.column() == _COLUMN:
            rect = QRect(
                0,
                0,
                max(1, self._tree.header().sectionSize(_COLUMN) - _SIDES),
                _MAX_HEIGHT,
            )
            text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
            wrap = Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextWrapAnywhere
            lines = option.fontMetrics.boundingRect(rect, wrap.value, text)
            size.setHeight(max(size.height(), lines.height() + _MARGIN))
        return size
