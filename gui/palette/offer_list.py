"""The list under the command bar's field: title, description, key."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.language import tr
from gui.palette.offers import Suggestion
from gui.widgets.icons import paint_glyph
from gui.widgets.theme import SECONDARY, Theme, mono_font_for, resized_font, theme

MAX_ROWS = 10
_PAD, _GAP, _ROW_HEIGHT, _GLYPH = 14, 14, 28, 12
_SECOND_LINE = 0.34
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_Index = QModelIndex | QPersistentModelIndex


class _SuggestionDelegate(QStyledItemDelegate):
    """Paints title, description and key in columns, and a tick on the current choice."""

    def __init__(self, parent: SuggestionList) -> None:
        super().__init__(parent)
        self.theme = theme("light")
        self._list = parent

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(100, max(_ROW_HEIGHT, QFontMetrics(option.font).height() + 10))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        offer, theme = self._list.offers[index.row()], self.theme
        state = option.state
        rect, font = QRect(option.rect), option.font
        is_current = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        if is_current or state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, theme.selection if is_current else theme.free)
        if is_current:
            painter.fillRect(rect.left(), rect.top(), 3, rect.height(), theme.accent_text)
        inside = rect.adjusted(_PAD, 0, -_PAD, 0)
        small_font, mono = resized_font(font, SECONDARY), mono_font_for(font)
        mono.setPixelSize(small_font.pixelSize())
        painter.setFont(mono)
        painter.setPen(theme.text2)
        note = QKeySequence(offer.note).toString(QKeySequence.SequenceFormat.NativeText) or offer.note
        painter.drawText(inside, int(Qt.AlignmentFlag.AlignRight | _MIDDLE), note)
        inside.setRight(inside.right() - (QFontMetrics(mono).horizontalAdvance(note) + _GAP if note else 0))
        if offer.is_on:
            self._tick(painter, inside)
        title_font = mono if offer.insert else font
        painter.setPen(theme.accent_text if is_current else theme.text)
        self._draw(painter, title_font, inside, offer.title)
        title_width = QFontMetrics(title_font).horizontalAdvance(offer.title) + _GAP
        inside.setLeft(inside.left() + max(title_width, round(rect.width() * _SECOND_LINE)))
        painter.setPen(theme.text2)
        self._draw(painter, small_font, inside, offer.about)
        painter.restore()

    def _tick(self, painter: QPainter, rect: QRect) -> None:
        top = rect.top() + (rect.height() - _GLYPH) / 2
        paint_glyph(painter, "ok", QRectF(rect.right() - _GLYPH, top, _GLYPH, _GLYPH), self.theme.accent_text)
        rect.setRight(rect.right() - _GLYPH - _GAP)

    def _draw(self, painter: QPainter, font: QFont, rect: QRect, text: str) -> None:
        painter.setFont(font)
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, int(_MIDDLE), shown)


class SuggestionList(QListWidget):
    """The list never has the focus: the field above moves through it."""

    suggestion_chosen = Signal(object)  # Suggestion

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.offers: tuple[Suggestion, ...] = ()
        self._delegate = _SuggestionDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Actions and completions"))
        self.itemClicked.connect(self._on_clicked)

    def set_theme(self, theme: Theme) -> None:
        self._delegate.theme = theme
        self.viewport().update()

    @property
    def current(self) -> Suggestion | None:
        """The marked suggestion."""
        return self.offers[self.currentRow()] if self.currentRow() >= 0 else None

    def show_offers(self, offers: tuple[Suggestion, ...], *, mark: bool) -> None:
        """List these offers; ``mark`` marks the first."""
        self.clear()
        self.offers = offers
        for offer in offers:
            item = QListWidgetItem(offer.title, self)
            title = tr("{title} (chosen)").format(title=offer.title) if offer.is_on else offer.title
            item.setToolTip(f"{title}: {offer.about}")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, item.toolTip())
        self.setCurrentRow(0 if mark and offers else -1)
        rows = min(MAX_ROWS, len(offers))
        self.setFixedHeight(rows * max(_ROW_HEIGHT, self.fontMetrics().height() + 10))
        self.setVisible(bool(offers))

    def _on_clicked(self) -> None:
        if self.current is not None:
            self.suggestion_chosen.emit(self.current)
