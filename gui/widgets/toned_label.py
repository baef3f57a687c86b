"""Glyphs beside text: labels and buttons with a glyph in the colours of the application's theme."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget

from gui.widgets.basic_widgets import TONE_GLYPHS as TONE_GLYPHS
from gui.widgets.basic_widgets import text_label
from gui.widgets.icons import glyph_icon, paint_glyph
from gui.widgets.text_labels import set_style_property
from gui.widgets.theme import current_theme
from gui.widgets.view_layout import row_of

_BUTTON_ICON = QSize(17, 12)
"""Size of a glyph with space at its right."""


def set_glyph(button: QAbstractButton, name: str, colour: QColor, disabled: QColor) -> None:
    """Give a button a glyph with space at its right; style sheets set icon and text close together."""
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
    button.setIcon(result)
    button.setIconSize(_BUTTON_ICON)


class GlyphButton(QPushButton):
    """A button with a glyph; without a text it is as small as the glyph allows. ``name`` is read out, and is
    the tip where there is no other; ``ink`` is a colour of the theme."""

    def __init__(
        self, glyph: str, name: str, *, text: str = "", tip: str = "", role: str = "", ink: str = "text2"
    ) -> None:
        super().__init__(text)
        self._glyph, self._has_text, self._ink = glyph, bool(text), ink
        self._painted: tuple[QColor, QColor] | None = None
        self.setAutoDefault(False)
        self.setAccessibleName(name)
        self.setToolTip(tip or name)
        self.setProperty("role", role if text else "flat")
        if not text:
            self.setIconSize(QSize(14, 14))
        self._paint_icon()

    def _paint_icon(self) -> None:
        theme = current_theme()
        colour: QColor = getattr(theme, self._ink)
        if self._painted == (colour, theme.text3):  # most changes of style leave the colours as they are
            return
        self._painted = colour, theme.text3
        if self._has_text:
            set_glyph(self, self._glyph, colour, theme.text3)
        else:
            self.setIcon(glyph_icon(self._glyph, colour, 14))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._paint_icon()


class GlyphLabel(QWidget):
    """A glyph in the colour of a tone: "ok", "warn", "error", "info", "" for plain text."""

    def __init__(self, glyph: str = "", tone: str = "", *, size: int = 12) -> None:
        super().__init__()
        self._glyph, self._tone = glyph, tone
        self.setFixedSize(size, size + 2)  # as high as a line of text

    def show_glyph(self, glyph: str, tone: str) -> None:
        self._glyph, self._tone = glyph, tone
        self.setVisible(bool(glyph))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._glyph:
            painter, theme, size = QPainter(self), current_theme(), self.width()
            colour = theme.accent_text if self._tone == "info" else theme.tone(self._tone)
            paint_glyph(painter, self._glyph, QRectF(0, 1, size, size), colour)
            painter.end()


class ToneLabel(QWidget):
    """A text with the glyph and colour of its tone; it may wrap."""

    def __init__(self, parent: QWidget | None = None, *, wraps: bool = False) -> None:
        super().__init__(parent)
        self._icon, self._text = GlyphLabel(), text_label("", "muted")
        self._text.setWordWrap(wraps)
        row = row_of(self._icon, self._text, gap=4, stretched=self._text)
        row.setAlignment(self._icon, Qt.AlignmentFlag.AlignVCenter)
        self.setLayout(row)

    def show_text(self, text: str, tone: str, *, bold: bool = False, with_glyph: bool = True) -> None:
        self._icon.show_glyph(TONE_GLYPHS.get(tone, "") if with_glyph else "", tone)
        set_style_property(self._text, "ink", tone)
        set_style_property(self._text, "weight", "bold" if bold else "")
        self._text.setText(text)
        self.setAccessibleName(text)
