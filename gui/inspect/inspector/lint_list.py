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
_PAD, _TEXT_LEFT, _MAX_LINES = 10, 30, 4
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


def _lay_out_text(text: str, width: int, font: QFont) -> tuple[QStaticText, int]:
    """Return the text wrapped between words, or within words wider than a line, and its height."""
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    static_text = QStaticText(text)
    static_text.setTextFormat(Qt.TextFormat.PlainText)
    static_text.setTextOption(option)
    static_text.setTextWidth(max(40, width))
    static_text.prepare(font=font)
    return static_text, min(
        math.ceil(static_text.size().height()), _MAX_LINES * QFontMetrics(font).lineSpacing()
    )


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
        _, height = _lay_out_text(item.text, self._view.viewport().width() - _TEXT_LEFT - _PAD, option.font)
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
        theme, metrics = self._theme, option.fontMetrics
        state: QStyle.StateFlag = option.state
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.fillRect(rect, theme.selection)
        colour = theme.tone(row.severity) if row.severity != "info" else theme.accent_text
        top = rect.top() + 4
        glyph_rect = QRectF(rect.left() + _PAD, top + (metrics.height() - 12) / 2, 12, 12)
        paint_glyph(painter, _GLYPHS[row.severity], glyph_rect, colour)
        width = rect.width() - _TEXT_LEFT - _PAD
        static_text, height = _lay_out_text(row.text, width, option.font)
        painter.setFont(option.font)
        painter.setPen(theme.text if state & QStyle.StateFlag.State_Enabled else theme.text3)
        painter.save()
        painter.setClipRect(QRect(rect.left() + _TEXT_LEFT, top, width, height))
        painter.drawStaticText(rect.left() + _TEXT_LEFT, top, static_text)
        painter.restore()
        mono = mono_font(size=resized_font(option.font, SECONDARY).pixelSize())
        painter.setFont(mono)
        painter.setPen(theme.text3)
        place_rect = QRect(rect.left() + _TEXT_LEFT, top + height + 1, width, metrics.height())
        elided_place = QFontMetrics(mono).elidedText(place_text(row), Qt.TextElideMode.ElideRight, width)
        painter.drawText(place_rect, Qt.AlignmentFlag.AlignVCenter, elided_place)
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, theme.hairline)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.accent_text, 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))
