"""The legend of a plot, in one line."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.presentation.compare.results import DIAMOND, OTHER
from gui.language import tr
from gui.widgets.theme import SECONDARY, Theme, resized_font

_GAP, _MARK_WIDTH = 14, 16
RING, FRAME = "ring", "frame"
"""Shapes beyond those of core.presentation.compare.results: a hollow ring; a frame round a cell."""


class PlotLegend(QWidget):
    def __init__(self, theme: Theme, entries: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._theme, self._all_entries = theme, tuple((shape, tr(word)) for shape, word in entries)
        self._entries = self._all_entries
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._update_accessible_name()

    def _update_accessible_name(self) -> None:
        self.setAccessibleName(tr("Legend: {words}").format(words=", ".join(self.words)))

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for _, word in self._entries)

    def show_shapes(self, shapes: Collection[str]) -> None:
        self._entries = tuple(entry for entry in self._all_entries if entry[0] in shapes)
        self._update_accessible_name()
        self.updateGeometry()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        metrics = QFontMetrics(resized_font(self.font(), SECONDARY))  # as it is painted
        width = sum(_MARK_WIDTH + metrics.horizontalAdvance(word) + _GAP for _, word in self._entries)
        return QSize(max(0, width - _GAP), metrics.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(resized_font(self.font(), SECONDARY))
        metrics, x, theme = painter.fontMetrics(), 0.0, self._theme
        for shape, word in self._entries:
            if x + _MARK_WIDTH + metrics.horizontalAdvance(word) > self.width():
                break  # skip a word that would be cut off
            centre = QPointF(x + 5, self.height() / 2)
            ink = theme.kind[5] if shape == DIAMOND else theme.text2
            painter.setPen(QPen(ink, 1.6))
            painter.setBrush(theme.surface2 if shape in (OTHER, RING) else ink)
            if shape == DIAMOND:
                corners = [QPointF(0, -5), QPointF(5, 0), QPointF(0, 5), QPointF(-5, 0)]
                painter.drawPolygon(QPolygonF([centre + corner for corner in corners]))
            elif shape == FRAME:
                painter.setPen(QPen(theme.ok, 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(QRectF(centre.x() - 5, centre.y() - 4, 10, 8))
            else:
                painter.drawEllipse(centre, 4, 4)
            painter.setPen(ink)
            painter.drawText(
                QPointF(x + _MARK_WIDTH, (self.height() + metrics.ascent() - metrics.descent()) / 2), word
            )
            x += _MARK_WIDTH + metrics.horizontalAdvance(word) + _GAP
        painter.end()
