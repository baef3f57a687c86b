"""The list of lint findings, grouped by side, with a glyph for the severity."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen, QStaticText, QTextOption
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from core.presentation.model import LintRow
from gui.language import tr
from gui.widgets.icons import paint_glyph
from gui.widgets.theme import SECONDARY, Theme, mono_font, resized_font, theme

SIDES = (("after", "After"), ("before", "Before"))
_GLYPHS = {"error": "error", "warning": "warning", "info": "info"}
_PAD, _TEXT, _MOST_LINES = 10, 30, 4
_Index = QModelIndex | QPersistentModelIndex


class LintModel(QAbstractListModel):
    """Findings under a heading per side. A heading is a text, a finding a LintRow."""

    def __init__(self) -> None:
        super().__init__()
        self._items: list[str | LintRow] = []

    def show_rows(self, rows: Sequence[LintRow]) -> None:
        self.beginResetModel()
        self._items = []
        for side, name in SIDES:
            side_rows = [row for row in rows if row.side == side]
            self._items += [f"{tr(name)} · {len(side_rows):,}", *side_rows] if side_rows else []
        self.endResetModel()

    def item(self, index: _Index) -> str | LintRow:
        return self._items[index.row()]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Return texts for screen readers and the tooltip."""
        item = self._items[index.row()]
        if role == Qt.ItemDataRole.AccessibleTextRole or role == Qt.ItemDataRole.DisplayRole:
            return item if isinstance(item, str) else f"{item.severity}: {item.text} {place_text(item)}"
        if role == Qt.ItemDataRole.ToolTipRole and not isinstance(item, str):
            return f"{item.text}\n{place_text(item)}"
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if isinstance(self._items[index.row()], str):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


def _laid_out(text: str, width: int, font: QFont) -> tuple[QStaticText, int]:
    """Return the text wrapped between words, or within words wider than a line, and its height."""
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    laid = QStaticText(text)
    laid.setTextFormat(Qt.TextFormat.PlainText)
    laid.setTextOption(option)
    laid.setTextWidth(max(40, width))
    laid.prepare(font=font)
    return laid, min(math.ceil(laid.size().height()), _MOST_LINES * QFontMetrics(font).lineSpacing())


def place_text(row: LintRow) -> str:
    """Return message and rule: "#13 · unanswered-call"."""
    return f"#{row.index + 1} · {row.rule}" if row.index >= 0 else row.rule


class LintDelegate(QStyledItemDelegate):
    """Paints glyph and wrapped text, and below them message and rule."""

    def __init__(self, view: QListView, model: LintModel) -> None:
        super().__init__(view)
        self._view, self._model = view, model
        self._theme = theme("light")

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """As high as the text needs at the width of the list."""
        item = self._model.item(index)
        metrics: QFontMetrics = option.fontMetrics
        if isinstance(item, str):
            return QSize(40, metrics.height() + 12)
        _, height = _laid_out(item.text, self._view.viewport().width() - _TEXT - _PAD, option.font)
        return QSize(40, height + metrics.height() + 10)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        item = self._model.item(index)
        rect: QRect = option.rect
        painter.save()
        if isinstance(item, str):
            painter.setFont(resized_font(option.font, SECONDARY, bold=True))
            painter.setPen(self._theme.text2)
            painter.drawText(rect.adjusted(_PAD, 6, -_PAD, 0), Qt.AlignmentFlag.AlignVCenter, item)
        else:
            self._paint_finding(painter, option, rect, item)
        painter.restore()

    def _paint_finding(
        self, painter: QPainter, option: QStyleOptionViewItem, rect: QRect, row: LintRow
    ) -> None:
        shade, metrics = self._theme, option.fontMetrics
        state: QStyle.StateFlag = option.state
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.fillRect(rect, shade.selection)
        colour = shade.tone(row.severity) if row.severity != "info" else shade.accent_text
        top = rect.top() + 4
        spot = QRectF(rect.left() + _PAD, top + (metrics.height() - 12) / 2, 12, 12)
        paint_glyph(painter, _GLYPHS[row.severity], spot, colour)
        width = rect.width() - _TEXT - _PAD
        laid, height = _laid_out(row.text, width, option.font)
        painter.setFont(option.font)
        painter.setPen(shade.text if state & QStyle.StateFlag.State_Enabled else shade.text3)
        painter.save()
        painter.setClipRect(QRect(rect.left() + _TEXT, top, width, height))
        painter.drawStaticText(rect.left() + _TEXT, top, laid)
        painter.restore()
        mono = mono_font(size=resized_font(option.font, SECONDARY).pixelSize())
        painter.setFont(mono)
        painter.setPen(shade.text3)
        below = QRect(rect.left() + _TEXT, top + height + 1, width, metrics.height())
        place = QFontMetrics(mono).elidedText(place_text(row), Qt.TextElideMode.ElideRight, width)
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, place)
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, shade.hairline)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(shade.accent_text, 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))
