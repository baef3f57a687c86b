"""The facts that one of two results lost, with the message that states them."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from core.presentation.compare.model import PairRow
from gui.language import tr
from gui.widgets.icons import paint_glyph
from gui.widgets.key_presses import is_enter
from gui.widgets.result_table import LEFT_MIDDLE, RIGHT_MIDDLE, Index, PlainTable, RowPainter, RowsModel
from gui.widgets.theme import SECONDARY, Theme, mono_font, resized_font, scaled_pixels

_LABEL, _MOST, _WHERE = 132, 190, 132


class _LostFactModel(RowsModel):
    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[PairRow, ...] = ()
        self.kinds: frozenset[str] = frozenset()

    def put(self, rows: tuple[PairRow, ...]) -> None:
        self.rows, self.kinds = rows, frozenset(row.label for row in rows)
        self.renew(len(rows))

    def text(self, row: int) -> str:
        return self.rows[row].text

    def accessible_text(self, row: int) -> str:
        one = self.rows[row]
        return tr("lost in {upper}: {label}, {text}, {where}").format(
            upper=one.side.upper(), label=one.label, text=one.text, where=one.where
        )


class _LostFactDelegate(RowPainter):
    """Paints a row: side, kind, text and message number."""

    def label_width(self, font: QFont, model: _LostFactModel) -> int:
        """Return the pixels of the side and the longest kind, up to ``_MOST``."""
        metrics = QFontMetrics(resized_font(font, SECONDARY))
        widest = max((metrics.horizontalAdvance(f"B  {kind}") for kind in model.kinds), default=0)
        return min(scaled_pixels(_MOST, font), max(scaled_pixels(_LABEL, font), widest + 30))

    def cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        model = index.model()
        if not isinstance(model, _LostFactModel) or not 0 <= index.row() < len(model.rows):
            return
        row, shade, rect = model.rows[index.row()], self.theme, QRect(option.rect)
        inside = rect.adjusted(8, 0, -12, -1)
        paint_glyph(
            painter, "close", QRect(inside.left(), inside.center().y() - 5, 12, 12).toRectF(), shade.error
        )
        painter.setFont(resized_font(option.font, SECONDARY))
        painter.setPen(shade.text2)
        label = self.label_width(option.font, model)
        kind = QRect(inside.left() + 18, inside.top(), label - 18, inside.height())
        label_text = painter.fontMetrics().elidedText(
            f"{row.side.upper()}  {row.label}", Qt.TextElideMode.ElideRight, kind.width() - 6
        )
        painter.drawText(kind, LEFT_MIDDLE, label_text)
        where = painter.fontMetrics().elidedText(
            row.where, Qt.TextElideMode.ElideRight, scaled_pixels(_WHERE, option.font)
        )
        painter.drawText(inside, RIGHT_MIDDLE, where)
        room = inside.adjusted(label, 0, -painter.fontMetrics().horizontalAdvance(where) - 12, 0)
        painter.setPen(shade.text)
        zoom = option.fontMetrics.height() / 16
        painter.setFont(mono_font(zoom) if row.mono else resized_font(option.font, 13))
        text = painter.fontMetrics().elidedText(row.text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, LEFT_MIDDLE, text)


class LostFactTable(PlainTable):
    """Emits ``opened(row)`` for Enter and double click, ``looked_at`` for another current row."""

    opened = Signal()
    looked_at = Signal()

    def __init__(self, theme: Theme) -> None:
        self.facts = _LostFactModel()
        super().__init__(
            tr("Facts that one result lost"), self.facts, _LostFactDelegate(self.facts, theme), heads=False
        )
        self.facts.setParent(self)
        self.doubleClicked.connect(self._on_opened)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.set_theme(theme)

    @property
    def current(self) -> PairRow | None:
        row = self.currentIndex().row()
        return self.facts.rows[row] if 0 <= row < len(self.facts.rows) else None

    def put(self, rows: tuple[PairRow, ...]) -> None:
        self.facts.put(rows)
        if rows:
            self.setCurrentIndex(self.facts.index(0, 0))
        self.looked_at.emit()

    def _on_current(self) -> None:
        self.looked_at.emit()

    def _on_opened(self) -> None:
        self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_enter(event):
            self.opened.emit()
        else:
            super().keyPressEvent(event)
