"""A label that highlights the words of a search."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import current_theme


def word_spans(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return (start, end) of the first match of each word (case folded) in ``text``."""
    folded = text.casefold()
    if len(folded) != len(text):  # a letter folded to two, so positions would not fit
        folded = text.lower()
    matches = [(folded.find(word), len(word)) for word in words]
    return sorted((start, start + length) for start, length in matches if start >= 0)


class HighlightedLabel(ElidedLabel):
    def __init__(self, text: str = "", role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, role, parent)
        self._words: tuple[str, ...] = ()

    @property
    def highlighted_texts(self) -> tuple[str, ...]:
        return tuple(self.full_text[start:end] for start, end in word_spans(self.full_text, self._words))

    def set_words(self, words: tuple[str, ...]) -> None:
        """Highlight these words (case folded)."""
        if words != self._words:
            self._words = words
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter, metrics, available = QPainter(self), self.fontMetrics(), QRectF(self.contentsRect())
        shown_text = self.text()
        for start, end in word_spans(shown_text, self._words):
            left = available.left() + metrics.horizontalAdvance(shown_text[:start])
            width = metrics.horizontalAdvance(shown_text[:end]) - metrics.horizontalAdvance(
                shown_text[:start]
            )
            top = available.center().y() - metrics.height() / 2
            word_rect = QRectF(left, top, width, metrics.height())
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.bar_warn)
            painter.drawRect(word_rect)
            painter.setPen(QPen(theme.warn, 1))
            painter.drawLine(word_rect.bottomLeft(), word_rect.bottomRight())
        painter.end()
        super().paintEvent(event)
