"""The header of a sortable table, with the arrow beside the title."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QHeaderView, QStyleOptionHeader, QWidget

from gui.widgets.icons import paint_glyph
from gui.widgets.theme import SMALL, Theme, resized_font, theme

_PAD, _GAP, _ARROW = 8, 4, 10
_NO_ARROW = QStyleOptionHeader.SortIndicator.None_


class SortHeader(QHeaderView):
    """Paints the arrow on the free side of the title: Qt's own is far from left-aligned titles, and pushes
    right-aligned ones away from their figures."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme("light")

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.viewport().update()

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, column: int) -> None:
        """Hides the style's arrow."""
        super().initStyleOptionForIndex(option, column)
        if self._has_arrow(column):
            option.sortIndicator = _NO_ARROW

    def paintSection(self, painter: QPainter, rect: QRect, column: int) -> None:
        super().paintSection(painter, rect, column)
        if self._has_arrow(column):
            is_down = self.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
            arrow_rect = self.arrow(column, rect)
            paint_glyph(painter, "chevron-down" if is_down else "chevron-up", arrow_rect, self._theme.text2)

    def arrow(self, column: int, rect: QRect) -> QRectF:
        """Return the rectangle of the arrow: after a left-aligned title, else before it."""
        text = str(self.model().headerData(column, self.orientation()))
        side = self.model().headerData(column, self.orientation(), Qt.ItemDataRole.TextAlignmentRole)
        width = _PAD + QFontMetrics(resized_font(self.font(), SMALL)).horizontalAdvance(text) + _GAP
        if side & Qt.AlignmentFlag.AlignLeft:
            left = min(rect.left() + width, rect.right() - _ARROW)
        else:
            left = max(rect.right() + 1 - width - _ARROW, rect.left())
        return QRectF(left, rect.center().y() - _ARROW / 2 + 1, _ARROW, _ARROW)

    def _has_arrow(self, column: int) -> bool:
        return self.isSortIndicatorShown() and self.sortIndicatorSection() == column
