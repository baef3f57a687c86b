"""A list whose rows have several cells, as high as their font needs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTreeWidget, QTreeWidgetItem

from gui.widgets.icons import glyph_icon
from gui.widgets.theme import current_theme


class RowTree(QTreeWidget):
    """No header, no children. Emits ``restyled`` when glyphs and colours are to be set again."""

    restyled = Signal()

    def __init__(
        self, name: str, columns: int = 2, stretched: int = 0, *, role: str = "rows", selects: bool = True
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
        header, modes = self.header(), QHeaderView.ResizeMode
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
        """Add a row; ``tone`` colours the glyph, and an amber or red one the last cell, too."""
        theme, item, last = current_theme(), QTreeWidgetItem(self, list(cells)), len(cells) - 1
        item.setSizeHint(self._stretched, QSize(0, lines * self.fontMetrics().height() + 10))
        item.setTextAlignment(last, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setForeground(last, theme.tone(tone) if tone in ("warn", "error") and lines > 1 else theme.text2)
        if glyph:
            item.setIcon(0, glyph_icon(glyph, theme.accent_text if tone == "accent" else theme.tone(tone)))
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
            sum(item.sizeHint(self._stretched).height() for item in items if item is not None) + 4
        )

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.restyled.emit()
