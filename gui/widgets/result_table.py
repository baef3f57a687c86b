"""Look and painting of tables of whole rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPointF,
    QRect,
    QRectF,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
)

from gui.widgets.events import Index, is_enter
from gui.widgets.icons import paint_glyph
from gui.widgets.theme import (
    BODY,
    SMALL,
    Theme,
    current_theme,
    resized_font,
    scaled_pixels,
    tabular_font,
)

if TYPE_CHECKING:
    from core.presentation.compare.model import StatusMark


_PAD, _GAP, _ARROW = 8, 4, 10
_NO_ARROW = QStyleOptionHeader.SortIndicator.None_


class SortHeader(QHeaderView):
    """Paints the arrow on the free side of the title: Qt's own is far from left-aligned titles, and
    pushes right-aligned ones away from their figures."""

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
            glyph = "chevron-down" if is_down else "chevron-up"
            paint_glyph(painter, glyph, arrow_rect, current_theme().text2)

    def arrow(self, column: int, rect: QRect) -> QRectF:
        """Return the rectangle of the arrow: after a left-aligned title, else before it."""
        text = str(self.model().headerData(column, self.orientation()))
        side = self.model().headerData(
            column, self.orientation(), Qt.ItemDataRole.TextAlignmentRole
        )
        width = (
            _PAD
            + QFontMetrics(resized_font(self.font(), SMALL)).horizontalAdvance(text)
            + _GAP
        )
        if side & Qt.AlignmentFlag.AlignLeft:
            left = min(rect.left() + width, rect.right() - _ARROW)
        else:
            left = max(rect.right() + 1 - width - _ARROW, rect.left())
        return QRectF(left, rect.center().y() - _ARROW / 2 + 1, _ARROW, _ARROW)

    def _has_arrow(self, column: int) -> bool:
        return self.isSortIndicatorShown() and self.sortIndicatorSection() == column


LEFT_MIDDLE = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
RIGHT_MIDDLE = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
ROW_HEIGHT = 26
"""Row height in pixels at the natural text size."""


class RowPainter(QStyledItemDelegate):
    """Paints the ground of a cell, the line below it, the edge of the current row and the focus; a
    subclass paints the content."""

    @property
    def theme(self) -> Theme:
        return current_theme()

    def is_marked(self, index: Index, *, is_current: bool) -> bool:
        """Return whether the row is tinted as selected."""
        return is_current

    def paint_cell(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: Index,
        *,
        is_current: bool,
    ) -> None:
        raise NotImplementedError

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        theme = self.theme
        rect = QRect(option.rect)
        is_current = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        is_tinted = self.is_marked(index, is_current=is_current)
        painter.fillRect(rect, theme.selection if is_tinted else theme.surface)
        painter.setPen(theme.hairline)
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        self.paint_cell(painter, option, index, is_current=is_current)
        if is_current and index.column() == 0:
            painter.fillRect(
                rect.left(), rect.top(), 3, rect.height(), theme.accent_text
            )
        if is_current and option.widget.hasFocus():
            painter.fillRect(
                rect.left(), rect.top(), rect.width(), 2, theme.accent_text
            )
            painter.fillRect(
                rect.left(), rect.bottom() - 1, rect.width(), 2, theme.accent_text
            )
        painter.restore()


class PlainTable(QTableView):
    """A table of whole rows without a grid, as high as its font needs, which can be sorted;
    ``row_painter`` paints it. Enter and a double click open a row."""

    def __init__(
        self, name: str, model: QAbstractItemModel, row_painter: RowPainter
    ) -> None:
        super().__init__()
        self.setModel(model)
        model.setParent(self)
        row_painter.setParent(self)
        self.setItemDelegate(row_painter)
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = SortHeader(Qt.Orientation.Horizontal, self)
        self.setHorizontalHeader(header)
        header.setProperty("role", "roomy")
        header.setHighlightSections(False)
        header.setMinimumSectionSize(24)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.sortIndicatorChanged.connect(self.on_sorted)
        self.doubleClicked.connect(self.on_opened)
        self.selectionModel().currentRowChanged.connect(self.on_current)
        self._fit_rows()

    def on_sorted(self, column: int, order: Qt.SortOrder) -> None:
        raise NotImplementedError

    def on_opened(self) -> None:
        raise NotImplementedError

    def on_current(self, current: QModelIndex) -> None:
        raise NotImplementedError

    def fit(self) -> None:
        """Call ``fit_columns`` with the widths that the rows need."""
        raise NotImplementedError

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit_rows()

    def _fit_rows(self) -> None:
        self.verticalHeader().setDefaultSectionSize(
            max(ROW_HEIGHT, self.fontMetrics().height() + 8)
        )
        self.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens; other keys do what Qt's tables do."""
        if is_enter(event):
            self.on_opened()
        else:
            super().keyPressEvent(event)

    def fit_columns(
        self,
        widths: Sequence[int],
        hiding_order: Sequence[int],
        min_name_width: int,
        needed: int | None = None,
    ) -> None:
        """Set the column widths; the columns ``hiding_order`` are hidden in this order if the first
        had less than ``min_name_width`` pixels. The first takes the rest; beyond ``needed`` pixels,
        all columns share it, so that no gap separates a name from its figures."""
        header = self.horizontalHeader()
        available = self.viewport().width() - sum(widths[1:]) - min_name_width
        for column in range(len(widths)):  # earlier tables may have had other columns
            if column not in hiding_order:
                self.setColumnHidden(column, False)
        for column in hiding_order:
            if column < len(widths):
                self.setColumnHidden(column, available < 0)
                available += widths[column] if available < 0 else 0
        if needed is None:
            surplus = 0
        else:
            surplus = available - max(0, needed - min_name_width)
        share = max(0, surplus) // max(1, len(widths) - header.hiddenSectionCount())
        for column, width in enumerate(widths):
            if column:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
                header.resizeSection(column, width + share)
            else:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)


# Paints what results hold of the texts that must survive: a glyph each, or counts.


_GLYPH, _MARK_GAP = 12, 4  # pixels at body size 13


def marks_width(marks: Sequence[StatusMark], font: QFont) -> int:
    """Return the pixels that marks take."""
    figures = _metrics(font)
    counts = sum(figures.horizontalAdvance(mark.count) for mark in marks)
    return len(marks) * scaled_pixels(_GLYPH + _MARK_GAP, font) + counts


def mark_colour(mark: StatusMark) -> QColor:
    theme = current_theme()
    if mark.tone == "quiet":
        return theme.text2
    return theme.tone(mark.tone)


def paint_marks(
    painter: QPainter, inside: QRect, marks: Sequence[StatusMark], font: QFont
) -> None:
    """Paint marks at the right end of ``inside``, in their order."""
    figures = _metrics(font)
    size = scaled_pixels(_GLYPH, font)
    gap = scaled_pixels(_MARK_GAP, font)
    left = inside.right() + 1 - marks_width(marks, font) + gap
    top = inside.center().y() - size // 2
    painter.setFont(tabular_font(resized_font(font, BODY)))
    for mark in marks:
        colour = mark_colour(mark)
        paint_glyph(painter, mark.glyph, QRectF(left, top, size, size), colour)
        left += size + gap // 2
        painter.setPen(colour)
        width = figures.horizontalAdvance(mark.count)
        box = QRect(left, inside.top(), width, inside.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, mark.count)
        left += width + gap - gap // 2


def paint_numbers(painter: QPainter, inside: QRect, count: int, font: QFont) -> None:
    """Paint the numbers 1 to ``count`` above as many marks."""
    step = scaled_pixels(_GLYPH + _MARK_GAP, font)
    gap = scaled_pixels(_MARK_GAP, font)
    left = inside.right() + 1 - count * step + gap
    painter.setFont(tabular_font(resized_font(font, SMALL)))
    for number in range(1, count + 1):
        box = QRect(left, inside.top(), step - gap, inside.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(number))
        left += step


def paint_mark(painter: QPainter, centre: QPointF, mark: StatusMark) -> None:
    """Paint one mark around a point, on a ground that keeps lines behind it away."""
    box = QRectF(centre.x() - _GLYPH / 2, centre.y() - _GLYPH / 2, _GLYPH, _GLYPH)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(current_theme().surface)
    painter.drawEllipse(centre, _GLYPH / 2 + 1, _GLYPH / 2 + 1)
    paint_glyph(painter, mark.glyph, box, mark_colour(mark))


def _metrics(font: QFont) -> QFontMetrics:
    return QFontMetrics(tabular_font(resized_font(font, BODY)))
