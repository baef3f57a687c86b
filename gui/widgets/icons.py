"""Glyphs as painter paths on a 12 by 12 grid, never font characters; icons, labels and buttons with
them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QIcon,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget

from core.common.paths import RESOURCES
from core.presentation.model import FATES, INSERTED
from core.presentation.palette import FATE_SHAPES
from gui.widgets.basic_widgets import TONE_GLYPHS, text_label
from gui.widgets.text_labels import set_style_property
from gui.widgets.theme import current_theme
from gui.widgets.view_layout import row_of

FATE_GLYPHS = (*FATES, INSERTED)
"""Glyph names by fate code."""

LAYER_GLYPHS: Mapping[str, str] = {
    "session": "layer-session",
    "project": "layer-project",
    "saved": "layer-saved",
    "default": "layer-default",
}
"""Glyph names by the layer that a setting's value comes from."""

GRID = 12.0


@dataclass(frozen=True, slots=True)
class _Shape:
    """One path: ``M x y``, ``L x y``, ``C x1 y1 x2 y2 x y``, ``O x y r`` (circle), ``Z``. Width 0
    fills."""

    path: str
    width: float = 0.0


_RING = "O 6 6 4.8"
_DOT = "O 6 6 3.2"
_GLYPHS: Mapping[str, tuple[_Shape, ...]] = {
    **{
        name: tuple(_Shape(*shape) for shape in shapes)
        for name, shapes in FATE_SHAPES.items()
    },
    "lock": (
        _Shape("M 2.2 5.4 L 9.8 5.4 L 9.8 10.8 L 2.2 10.8 Z"),
        _Shape("M 3.8 5.4 L 3.8 3.8 C 3.8 0.9 8.2 0.9 8.2 3.8 L 8.2 5.4", 1.4),
    ),
    "below": (
        _Shape("M 1.5 2 L 10.5 2 L 10.5 10 L 1.5 10 Z", 1.2),
        _Shape("M 1.5 6.5 L 10.5 6.5 L 10.5 10 L 1.5 10 Z"),
    ),
    "beside": (
        _Shape("M 1.5 2 L 10.5 2 L 10.5 10 L 1.5 10 Z", 1.2),
        _Shape("M 6.8 2 L 10.5 2 L 10.5 10 L 6.8 10 Z"),
    ),
    "chevron": (_Shape("M 4.25 2.5 L 7.75 6 L 4.25 9.5", 1.5),),
    "chevron-down": (_Shape("M 2.5 4.25 L 6 7.75 L 9.5 4.25", 1.5),),
    "chevron-up": (_Shape("M 2.5 7.75 L 6 4.25 L 9.5 7.75", 1.5),),
    "warning": (
        _Shape("M 6 1.4 L 11.2 10.6 L 0.8 10.6 Z", 1.2),
        _Shape("M 6 4.6 L 6 7.2", 1.3),
        _Shape("O 6 8.8 0.75"),
    ),
    "error": (
        _Shape(_RING, 1.2),
        _Shape("M 4.3 4.3 L 7.7 7.7 M 7.7 4.3 L 4.3 7.7", 1.3),
    ),
    "info": (_Shape(_RING, 1.2), _Shape("M 6 5.4 L 6 8.6", 1.4), _Shape("O 6 3.5 0.8")),
    "unknown": (
        _Shape("M 3.4 4.2 C 3.4 0.4 8.6 0.4 8.6 4 C 8.6 6.2 6 6 6 8.2", 1.5),
        _Shape("O 6 10.4 0.9"),
    ),
    "dash": (_Shape("M 3 6 L 9 6", 1.4),),
    "half": (
        _Shape("O 6 6 4.4", 1.4),
        _Shape("M 6 1.6 C 0.1 1.6 0.1 10.4 6 10.4 Z"),
    ),
    "ok": (_Shape("M 1.6 6.4 L 4.7 9.4 L 10.4 2.6", 1.6),),
    "open": (_Shape("M 1 10 L 1 2.2 L 4.6 2.2 L 5.8 3.7 L 11 3.7 L 11 10 Z", 1.2),),
    "export": (
        _Shape("M 6 7.4 L 6 1.5 M 3.5 3.9 L 6 1.4 L 8.5 3.9", 1.2),
        _Shape("M 1.6 7.2 L 1.6 10.4 L 10.4 10.4 L 10.4 7.2", 1.2),
    ),
    "play": (_Shape("M 2.8 1.4 L 10.4 6 L 2.8 10.6 Z"),),
    "pause": (
        _Shape(
            "M 2.8 1.6 L 4.9 1.6 L 4.9 10.4 L 2.8 10.4 Z M 7.1 1.6 L 9.2 1.6 L 9.2 10.4 L "
            "7.1 10.4 Z"
        ),
    ),
    "chevron-left": (_Shape("M 7.75 2.5 L 4.25 6 L 7.75 9.5", 1.5),),
    "undo": (
        _Shape("M 4.2 1.4 L 1.6 4 L 4.2 6.6", 1.3),
        _Shape("M 1.6 4 L 7 4 C 11.6 4 11.6 10 7 10 L 4 10", 1.3),
    ),
    "redo": (
        _Shape("M 7.8 1.4 L 10.4 4 L 7.8 6.6", 1.3),
        _Shape("M 10.4 4 L 5 4 C 0.4 4 0.4 10 5 10 L 8 10", 1.3),
    ),
    "close": (_Shape("M 3 3 L 9 9 M 9 3 L 3 9", 1.2),),
    "search": (_Shape("O 5 5 3.6", 1.3), _Shape("M 7.7 7.7 L 10.8 10.8", 1.5)),
    "copy": (
        _Shape(
            "M 4 4 L 10.6 4 L 10.6 10.8 L 4 10.8 Z M 2 8 L 1.4 8 L 1.4 1.2 L 8 1.2 L 8 2",
            1.2,
        ),
    ),
    "shield": (_Shape("M 6 1 L 10.4 2.6 L 10.4 6 L 6 11 L 1.6 6 L 1.6 2.6 Z", 1.2),),
    "mark": (_Shape("M 3 1 L 9 1 L 9 11 L 6 8.4 L 3 11 Z"),),
    "pin-keep": (
        _Shape("M 4 1.2 L 8 1.2 L 7.5 4.8 L 9.6 7 L 2.4 7 L 4.5 4.8 Z"),
        _Shape("M 6 7 L 6 11", 1.2),
    ),
    "pin-drop": (
        _Shape(
            "M 4 1.2 L 8 1.2 L 7.5 4.8 L 9.6 7 L 2.4 7 L 4.5 4.8 Z M 6 7 L 6 11", 1.0
        ),
        _Shape("M 1.6 10.4 L 10.4 1.6", 1.2),
    ),
    "note": (
        _Shape("M 1.6 2 L 10.4 2 L 10.4 8 L 6.2 8 L 3.8 10.4 L 3.8 8 L 1.6 8 Z", 1.2),
    ),
    "layer-session": (_Shape(_DOT),),
    "layer-project": (_Shape("M 3 3 L 9 3 L 9 9 L 3 9 Z"),),
    "layer-saved": (
        _Shape(_DOT, 1.2),
        _Shape("M 6 2.8 C 1.8 2.8 1.8 9.2 6 9.2 Z"),
    ),
    "layer-default": (_Shape(_DOT, 1.2),),
}
GLYPHS = tuple(_GLYPHS)


def _point(words: list[str]) -> QPointF:
    return QPointF(float(words.pop(0)), float(words.pop(0)))


@lru_cache(maxsize=128)
def _outline(text: str) -> QPainterPath:
    words = text.split()
    path = QPainterPath()
    while words:
        match words.pop(0):
            case "M":
                path.moveTo(_point(words))
            case "L":
                path.lineTo(_point(words))
            case "C":
                path.cubicTo(_point(words), _point(words), _point(words))
            case "O":
                centre = _point(words)
                radius = float(words.pop(0))
                path.addEllipse(centre, radius, radius)
            case "Z":
                path.closeSubpath()
            case word:
                raise ValueError(word)
    return path


def paint_glyph(painter: QPainter, name: str, rect: QRectF, colour: QColor) -> None:
    """Paint a glyph into ``rect``; the painter's state is restored."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.topLeft())
    painter.scale(rect.width() / GRID, rect.height() / GRID)
    for shape in _GLYPHS[name]:
        path = _outline(shape.path)
        if shape.width:
            round_cap, round_join = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
            painter.strokePath(
                path,
                QPen(colour, shape.width, Qt.PenStyle.SolidLine, round_cap, round_join),
            )
        else:
            painter.fillPath(path, colour)
    painter.restore()


def glyph_pixmap(
    name: str, colour: QColor, size: int = 12, ratio: float = 1.0
) -> QPixmap:
    """Return a glyph as a transparent pixmap of ``size`` by ``size``, sharp at device pixel
    ``ratio``."""
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_glyph(painter, name, QRectF(0, 0, size, size), colour)
    painter.end()
    return pixmap


def glyph_icon(
    name: str, colour: QColor, size: int = 12, *, disabled: QColor | None = None
) -> QIcon:
    """Return a glyph as an icon for buttons and menus, in single, double and triple size."""
    result = QIcon()
    for ratio in (1.0, 2.0, 3.0):
        result.addPixmap(glyph_pixmap(name, colour, size, ratio))
        if disabled is not None:
            result.addPixmap(
                glyph_pixmap(name, disabled, size, ratio), QIcon.Mode.Disabled
            )
    return result


def app_icon() -> QIcon:
    return QIcon(str(RESOURCES / "icons" / "foldline.svg"))


_BUTTON_ICON = QSize(17, 12)
"""Size of a glyph with space at its right."""


def set_glyph(
    button: QAbstractButton, name: str, colour: QColor, disabled: QColor
) -> None:
    """Give a button a glyph with space at its right; style sheets set icon and text close
    together."""
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
    """A button with a glyph; without a text it is as small as the glyph allows. ``name`` is read
    out, and is the tip where there is no other; ``ink`` is a colour of the theme."""

    def __init__(
        self,
        glyph: str,
        name: str,
        *,
        text: str = "",
        tip: str = "",
        role: str = "",
        ink: str = "text2",
    ) -> None:
        super().__init__(text)
        self._glyph = glyph
        self._has_text = bool(text)
        self._ink = ink
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
        if self._painted == (
            colour,
            theme.text3,
        ):  # most changes of style leave the colours as they are
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

    def __init__(self, glyph: str = "", *, size: int = 12) -> None:
        super().__init__()
        self._glyph, self._tone = glyph, ""
        self.setFixedSize(size, size + 2)  # as high as a line of text

    def show_glyph(self, glyph: str, tone: str) -> None:
        self._glyph, self._tone = glyph, tone
        self.setVisible(bool(glyph))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._glyph:
            painter = QPainter(self)
            theme = current_theme()
            size = self.width()
            if self._tone == "info":
                colour = theme.accent_text
            else:
                colour = theme.tone(self._tone)
            paint_glyph(painter, self._glyph, QRectF(0, 1, size, size), colour)
            painter.end()


class ToneLabel(QWidget):
    """A text with the glyph and colour of its tone; it may wrap."""

    def __init__(self, parent: QWidget | None = None, *, wraps: bool = False) -> None:
        super().__init__(parent)
        self._icon = GlyphLabel()
        self._text = text_label("", "muted")
        self._text.setWordWrap(wraps)
        row = row_of(self._icon, self._text, gap=4, stretched=self._text)
        row.setAlignment(self._icon, Qt.AlignmentFlag.AlignVCenter)
        self.setLayout(row)

    def show_text(
        self, text: str, tone: str, *, bold: bool = False, with_glyph: bool = True
    ) -> None:
        self._icon.show_glyph(TONE_GLYPHS.get(tone, "") if with_glyph else "", tone)
        set_style_property(self._text, "ink", tone)
        set_style_property(self._text, "weight", "bold" if bold else "")
        self._text.setText(text)
        self.setAccessibleName(text)
