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

_LABEL_WIDTH, _MAX_LABEL_WIDTH, _LOCATION_WIDTH = 132, 190, 132


class _LostFactModel(RowsModel):
    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[PairRow, ...] = ()
        self.kinds: frozenset[str] = frozenset()

    def put(self, rows: tuple[PairRow, ...]) -> None:
        self.rows, self.kinds = rows, frozenset(row.label for row in rows)
        self.set_row_count(len(rows))

    def text(self, row: int) -> str:
        return self.rows[row].text

    def accessible_text(self, row: int) -> str:
        fact = self.rows[row]
        return tr("lost in {upper}: {label}, {text}, {where}").format(
            upper=fact.side.upper(), label=fact.label, text=fact.text, where=fact.location
        )


class _LostFactDelegate(RowPainter):
    """Paints a row: side, kind, text and message number."""

    def label_width(self, font: QFont, model: _LostFactModel) -> int:
        """Return the pixels of the side and the longest kind, up to ``_MOST``."""
        metrics = QFontMetrics(resized_font(font, SECONDARY))
        widest = max((metrics.horizontalAdvance(f"B  {kind}") for kind in model.kinds), default=0)
        return min(scaled_pixels(_MAX_LABEL_WIDTH, font), max(scaled_pixels(_LABEL_WIDTH, font), widest + 30))

    def paint_cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        model = index.model()
        if not isinstance(model, _LostFactModel) or not 0 <= index.row() < len(model.rows):
            return
        row, theme, rect = model.rows[index.row()], self.theme, QRect(option.rect)
        inside = rect.adjusted(8, 0, -12, -1)
        paint_glyph(
            painter, "close", QRect(inside.left(), inside.center().y() - 5, 12, 12).toRectF(), theme.error
        )
        painter.setFont(resized_font(option.font, SECONDARY))
        painter.setPen(theme.text2)
        label = self.label_width(option.font, model)
        label_rect = QRect(inside.left() + 18, inside.top(), label - 18, inside.height())
        label_text = painter.fontMetrics().elidedText(
            f"{row.side.upper()}  {row.label}", Qt.TextElideMode.ElideRight, label_rect.width() - 6
        )
        painter.drawText(label_rect, LEFT_MIDDLE, label_text)
        location = painter.fontMetrics().elidedText(
            row.location, Qt.TextElideMode.ElideRight, scaled_pixels(_LOCATION_WIDTH, option.font)
        )
        painter.drawText(inside, RIGHT_MIDDLE, location)
        text_rect = inside.adjusted(label, 0, -painter.fontMetrics().horizontalAdvance(location) - 12, 0)
        painter.setPen(theme.text)
        zoom = option.fontMetrics.height() / 16
        painter.setFont(mono_font(zoom) if row.mono else resized_font(option.font, 13))
        text = painter.fontMetrics().elidedText(row.text, Qt.TextElideMode.ElideRight, text_rect.width())
        painter.drawText(text_rect, LEFT_MIDDLE, text)


class LostFactTable(PlainTable):
    """Emits ``opened(row)`` for Enter and double click, ``row_changed`` for another current row."""

    opened = Signal()
    row_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        self.facts = _LostFactModel()
        super().__init__(
            tr("Facts that one result lost"),
            self.facts,
            _LostFactDelegate(self.facts, theme),
            has_header=False,
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
        self.row_changed.emit()

    def _on_current(self) -> None:
        self.row_changed.emit()

    def _on_opened(self) -> None:
        self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_enter(event):
            self.opened.emit()
        else:
            super().keyPressEvent(event)
