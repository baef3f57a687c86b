"""Paints a strategy as a card of two lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from core.common import number_format
from gui.language import tr
from gui.widgets.status_marks import paint_marks
from gui.widgets.theme import (
    BODY,
    SECONDARY,
    Theme,
    current_theme,
    resized_font,
    scaled_pixels,
    tabular_font,
)

if TYPE_CHECKING:
    from core.presentation.compare.model import StrategyCard

CARD_ROLE, IN_USE_ROLE, MARKED_ROLE = (Qt.ItemDataRole.UserRole + number for number in (1, 2, 3))
_HEIGHT, CARD_PAD = 52, 10  # pixels at body size 13
CARD_COLUMNS = (50, 44, 98, 54)
"""Pixels at body size 13: tokens after, saved, must keep or the person's messages, backtest or what
later turns needed."""
COLUMN_GAP = 12


def card_text(card: StrategyCard, labels: tuple[str, str] = ("", "")) -> str:
    """Return a card as one text, for the filter and for screen readers; ``labels`` are those of
    its last two figures, "" for one that is not shown."""
    figures = card.no_result
    if card.tokens is not None:
        figures = f"{card.tokens:,} tokens after, {saved_text(card)} saved"
        cells = zip(labels, (card.musts, card.kept), strict=True)
        kept = [f"{label} {cell.text}" for label, cell in cells if label]
        figures = ", ".join(filter(None, (figures, *kept, card.too_large)))
    name = f"{card.name}, {tr('recommended')}" if card.is_recommended else card.name
    return ". ".join(filter(None, (name, card.program, card.calls, card.about, figures)))


def saved_text(card: StrategyCard) -> str:
    return f"{'−' if card.saved > 0 else '+'}{number_format.percent(abs(card.saved), 0)}"


class CardDelegate(QStyledItemDelegate):
    """``is_waiting``: figures that are missing are being computed. ``labels`` are those of must
    keep and backtest, "" for one that is not shown."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self.is_waiting = True
        self.labels = ("", "")

    @property
    def theme(self) -> Theme:
        return current_theme()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(scaled_pixels(300, option.font), scaled_pixels(_HEIGHT, option.font))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        card: StrategyCard = index.data(CARD_ROLE)
        painter.save()
        is_current = bool(option.state & QStyle.StateFlag.State_Selected)
        frame = option.rect.adjusted(1, 1, -2, -2)
        if is_current:
            painter.fillRect(frame, self.theme.selection)
        if is_current or index.data(MARKED_ROLE):
            painter.setPen(QPen(self.theme.accent_text, 2 if index.data(MARKED_ROLE) else 1))
            painter.drawRoundedRect(frame, 4, 4)
        pad = scaled_pixels(CARD_PAD, option.font)
        inner = frame.adjusted(pad, pad // 2, -pad, -pad // 2)
        line = inner.height() // 2
        top = QRect(inner.left(), inner.top(), inner.width(), line)
        end = self._paint_figures(painter, top, card, option.font)
        is_used = bool(index.data(IN_USE_ROLE))
        marks = ((card.is_recommended, tr("recommended")), (is_used, tr("in use")))
        notes = " · ".join([*(text for is_set, text in marks if is_set), card.calls])
        self._paint_words(painter, top, end, (card.name, notes), option.font)
        small = resized_font(option.font, SECONDARY)
        painter.setFont(small)
        painter.setPen(self.theme.text2)
        about = QFontMetrics(small).elidedText(
            card.about, Qt.TextElideMode.ElideRight, inner.width()
        )
        painter.drawText(top.translated(0, line), Qt.AlignmentFlag.AlignVCenter, about)
        painter.restore()

    def _paint_words(
        self, painter: QPainter, rect: QRect, end: int, words: tuple[str, str], font: QFont
    ) -> None:
        """Paint name and note from the left; the note ends before the figures."""
        bold, small = resized_font(font, BODY, bold=True), resized_font(font, SECONDARY)
        painter.setFont(bold)
        painter.setPen(self.theme.text)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, words[0])
        left = rect.left() + QFontMetrics(bold).horizontalAdvance(words[0]) + scaled_pixels(8, font)
        painter.setFont(small)
        painter.setPen(self.theme.text2)
        metrics, note = QFontMetrics(small), words[1]
        if metrics.horizontalAdvance(note) > end - left:  # after a long name
            note = metrics.elidedText(
                note.removesuffix(" offline"), Qt.TextElideMode.ElideRight, end - left
            )
        painter.drawText(
            QRect(left, rect.top(), end - left, rect.height()), Qt.AlignmentFlag.AlignVCenter, note
        )

    def _paint_figures(
        self, painter: QPainter, rect: QRect, card: StrategyCard, font: QFont
    ) -> int:
        """Paint the figures from the right; return where they begin."""
        bold = tabular_font(resized_font(font, BODY, bold=True))
        if card.tokens is None:
            text = card.no_result or ("…" if self.is_waiting else "")
            small = resized_font(font, SECONDARY)
            width = min(QFontMetrics(small).horizontalAdvance(text) + 2, rect.width() // 2)
            text = QFontMetrics(small).elidedText(text, Qt.TextElideMode.ElideRight, width)
            _paint_right(painter, rect, text, small, self.theme.text2)
            return rect.right() - width - scaled_pixels(12, font)
        plain, edge = tabular_font(resized_font(font, BODY)), QRect(rect)
        gap = scaled_pixels(COLUMN_GAP, font)
        for label, cell, width in reversed(
            list(zip(self.labels, (card.musts, card.kept), CARD_COLUMNS[2:], strict=True))
        ):
            if not label:
                continue
            if cell.marks:
                paint_marks(painter, edge, cell.marks, font)
            else:
                _paint_right(painter, edge, cell.text, plain, self.theme.text)
            edge.setRight(edge.right() - scaled_pixels(width, font) - gap)
        _paint_right(painter, edge, saved_text(card), plain, self.theme.text)
        edge.setRight(edge.right() - scaled_pixels(CARD_COLUMNS[1], font) - gap)
        colour = self.theme.text if card.tone == "ok" else self.theme.tone(card.tone)
        _paint_right(painter, edge, f"{card.tokens:,}", bold, colour)
        edge.setRight(edge.right() - scaled_pixels(CARD_COLUMNS[0], font) - gap)
        return edge.right()


def _paint_right(painter: QPainter, rect: QRect, text: str, font: QFont, colour: QColor) -> None:
    painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)
