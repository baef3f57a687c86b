"""Glyphs beside text: a label with the glyph and colour of its tone, icons for buttons."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLabel, QWidget

from gui.widgets.basic_widgets import TONE_GLYPHS as TONE_GLYPHS
from gui.widgets.basic_widgets import text_label
from gui.widgets.icons import glyph_pixmap, paint_glyph
from gui.widgets.theme import Theme

_BUTTON_ICON = QSize(17, 12)
"""Size of a glyph with space at its right."""


def set_glyph(button: QAbstractButton, name: str, colour: QColor, disabled: QColor) -> None:
    """Give a button a glyph with space at its right; style sheets set icon and text close together."""
    button.setIcon(_button_icon(name, colour, disabled))
    button.setIconSize(_BUTTON_ICON)


def _button_icon(name: str, colour: QColor, disabled: QColor) -> QIcon:
    result = QIcon()
    for mode, ink in ((QIcon.Mode.Normal, colour), (QIcon.Mode.Disabled, disabled)):
        for ratio in (1.0, 2.0):
            pixmap = QPixmap(_BUTTON_ICON * ratio)
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            paint_glyph(painter, name, QRectF(0, 0, 12, 12), ink)
            painter.end()
            result.addPixmap(pixmap, mode)
    return result


class ToneLabel(QWidget):
    """A text with the glyph and colour of its tone; it may wrap."""

    def __init__(self, parent: QWidget | None = None, *, wraps: bool = False) -> None:
        super().__init__(parent)
        self._icon, self._text = QLabel(self), text_label("")
        self._text.setWordWrap(wraps)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)

    def show_text(
        self, text: str, tone: str, theme: Theme, *, bold: bool = False, with_glyph: bool = True
    ) -> None:
        """Show ``text``; ``with_glyph`` False leaves the glyph out."""
        colour = theme.tone(tone) if tone else theme.text2
        name = TONE_GLYPHS.get(tone, "") if with_glyph else ""
        self._icon.setVisible(bool(name))
        if name:
            self._icon.setPixmap(glyph_pixmap(name, colour, 12, self.devicePixelRatioF()))
        weight = " font-weight: 600;" if bold else ""
        self._text.setStyleSheet(f"color: {colour.name()};{weight}")
        self._text.setText(text)
        self.setAccessibleName(text)
