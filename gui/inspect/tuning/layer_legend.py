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
_PAD, _GLYPH, _GAP, _LEAST = 12, 14, 14, 3


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
        lines = 1 if self._gap() >= _LEAST else 2
        return QSize(200, lines * self.fontMetrics().height() + 16)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.updateGeometry()

    def _gap(self) -> float:
        """Return the space left for each gap if all is in one line."""
        metrics = QFontMetrics(resized_font(self.font(), SECONDARY))
        words = sum(_GLYPH + metrics.horizontalAdvance(tr(layer)) for layer in LAYER_GLYPHS)
        end = min((one.x() for one in self.findChildren(QWidget)), default=self.width() - _PAD)
        return min(_GAP, (end - _PAD - words) / len(LAYER_GLYPHS))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, shade = QPainter(self), self._theme
        painter.fillRect(0, 0, self.width(), 2 if shade.high_contrast else 1, shade.hairline)
        font = resized_font(self.font(), SECONDARY)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        gap, last = self._gap(), list(LAYER_GLYPHS)[-1]
        breaks = gap < _LEAST
        left, middle = float(_PAD), self.height() / 2 - (metrics.height() / 2 if breaks else 0)
        for layer, name in LAYER_GLYPHS.items():
            if breaks and layer == last:
                left, middle = float(_PAD), middle + metrics.height()
            spot = QRectF(left - 4, middle - _DOT / 2, _DOT, _DOT)
            paint_glyph(painter, name, spot, layer_colour(layer, shade))
            left += _GLYPH
            painter.setPen(shade.text2)
            painter.drawText(round(left), round(middle + metrics.capHeight() / 2), tr(layer))
            left += metrics.horizontalAdvance(tr(layer)) + (_GAP if breaks else gap)
        painter.end()
