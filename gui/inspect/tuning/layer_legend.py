"""The legend of the layer dots, in one line."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.inspect.tuning.layer_dot import layer_colour
from gui.language import tr
from gui.widgets.icons import LAYER_GLYPHS, paint_glyph
from gui.widgets.theme import SECONDARY, Theme, resized_font, theme

_DOT = 16
_PAD, _GLYPH, _GAP, _MIN_GAP = 12, 14, 14, 3


class LayerLegend(QWidget):
    """Paints dot and word of each layer; gaps shrink, then the last wraps to a second line."""

    def __init__(self) -> None:
        super().__init__()
        self._theme = theme("light")
        layers = ", ".join(tr(layer) for layer in LAYER_GLYPHS)
        self.setAccessibleName(tr("Values come from: {layers}").format(layers=layers))
        self.setToolTip(tr("Session values go with the window, saved ones stay, defaults are built in."))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        line_count = 1 if self._gap() >= _MIN_GAP else 2
        return QSize(200, line_count * self.fontMetrics().height() + 16)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.updateGeometry()

    def _gap(self) -> float:
        """Return the space left for each gap if all is in one line."""
        metrics = QFontMetrics(resized_font(self.font(), SECONDARY))
        words_width = sum(_GLYPH + metrics.horizontalAdvance(tr(layer)) for layer in LAYER_GLYPHS)
        end = min((child.x() for child in self.findChildren(QWidget)), default=self.width() - _PAD)
        return min(_GAP, (end - _PAD - words_width) / len(LAYER_GLYPHS))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._theme
        painter.fillRect(0, 0, self.width(), 2 if theme.high_contrast else 1, theme.hairline)
        font = resized_font(self.font(), SECONDARY)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        gap, last = self._gap(), list(LAYER_GLYPHS)[-1]
        is_wrapped = gap < _MIN_GAP
        left, middle = float(_PAD), self.height() / 2 - (metrics.height() / 2 if is_wrapped else 0)
        for layer, name in LAYER_GLYPHS.items():
            if is_wrapped and layer == last:
                left, middle = float(_PAD), middle + metrics.height()
            glyph_rect = QRectF(left - 4, middle - _DOT / 2, _DOT, _DOT)
            paint_glyph(painter, name, glyph_rect, layer_colour(layer, theme))
            left += _GLYPH
            painter.setPen(theme.text2)
            painter.drawText(round(left), round(middle + metrics.capHeight() / 2), tr(layer))
            left += metrics.horizontalAdvance(tr(layer)) + (_GAP if is_wrapped else gap)
        painter.end()
