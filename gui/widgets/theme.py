"""Colours, fonts and look of the application from one table, and their choice."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from core.presentation.palette import COLOURS, GROUPS
from gui.widgets.style_sheet import style_sheet

BODY, SECONDARY, SMALL = 13, 12, 11
"""Text heights in pixels before zoom: body, secondary, ruler and legend."""

THEME_NAMES = "light", "dark", "high-contrast"
_LUMINANCE_WEIGHTS = 0.2126, 0.7152, 0.0722
"""Weights of red, green and blue in the luminance of a colour."""
_APPLIED = "theme"
"""The property of the application that names its theme."""


class Theme:
    """All colours by token. ``kind`` is parallel to KINDS, the fate tuples to FATES + inserted.

    No dataclass, because the first paint waits for this module; treat it as immutable.
    """

    name: str
    dark: bool
    high_contrast: bool
    window: QColor
    surface: QColor
    surface2: QColor
    free: QColor
    text: QColor
    text2: QColor
    text3: QColor
    hairline: QColor
    control_border: QColor
    accent_text: QColor
    accent_fill: QColor
    on_accent: QColor
    selection: QColor
    ok: QColor
    warn: QColor
    error: QColor
    bar_info: QColor
    bar_warn: QColor
    bar_error: QColor
    kind: tuple[QColor, ...]
    fate_text: tuple[QColor, ...]
    fate_fill: tuple[QColor, ...]
    fate_tint: tuple[QColor, ...]

    def __init__(self, tokens: Mapping[str, object]) -> None:
        vars(self).update(tokens)

    def tone(self, tone: str) -> QColor:
        """Return the text colour of a tone of core.presentation.model: "", "ok", "warn" or
        "error"."""
        colours = {
            "ok": self.ok,
            "warn": self.warn,
            "warning": self.warn,
            "error": self.error,
        }
        return colours.get(tone, self.text)


def _colours(words: str) -> tuple[QColor, ...]:
    return tuple(QColor(f"#{word}") for word in words.split())


@cache
def theme(name: str) -> Theme:
    """Return the theme "light", "dark" or "high-contrast"; raises ValueError for another name."""
    column = THEME_NAMES.index(name)
    single = {token: QColor(f"#{row[column]}") for token, row in COLOURS.items()}
    groups = {token: _colours(row[column]) for token, row in GROUPS.items()}
    flags = {
        "name": name,
        "dark": name == "dark",
        "high_contrast": name == "high-contrast",
    }
    return Theme({**flags, **single, **groups})


def current_theme() -> Theme:
    """Return the theme that the application has; the light one before any was applied."""
    app = QApplication.instance()
    return theme(str(app.property(_APPLIED) or "light") if app is not None else "light")


def body_font(zoom: float = 1.0) -> QFont:
    """Return the application font: Inter, else the system's."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if QFontDatabase.hasFamily("Inter"):
        font = QFont("Inter")
    font.setPixelSize(max(1, round(BODY * zoom)))
    font.setWeight(QFont.Weight.Normal)
    return font


def mono_font(zoom: float = 1.0, *, bold: bool = False) -> QFont:
    """Return the code font: JetBrains Mono, else the system's fixed font; no ligatures."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if QFontDatabase.hasFamily("JetBrains Mono"):
        font = QFont("JetBrains Mono")
    font.setPixelSize(max(1, round(SECONDARY * zoom)))
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    for feature in ("liga", "calt"):
        font.setFeature(QFont.Tag(feature), 0)
    return font


def mono_font_for(font: QFont, *, bold: bool = False) -> QFont:
    return mono_font(scaled_pixels(BODY, font) / BODY, bold=bold)


def tabular_font(font: QFont) -> QFont:
    """Return a copy of ``font`` with figures of equal width, for columns of numbers."""
    result = QFont(font)
    result.setFeature(QFont.Tag("tnum"), 1)
    return result


def resized_font(font: QFont, size: int, *, bold: bool = False) -> QFont:
    """Return ``font`` at another of the four sizes; ``size`` is for a body of 13 and scales with
    the zoom."""
    from PySide6.QtGui import QFontInfo  # late: the first paint does not need it

    result = QFont(font)
    result.setPixelSize(max(1, round(size * QFontInfo(font).pixelSize() / BODY)))
    result.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return result


def scaled_pixels(pixels: float, font: QFont) -> int:
    """Scale pixels given for a body of 13 to this font, so that widths grow with the text."""
    height = font.pixelSize()
    if height < 0:  # a system font, measured in points
        from PySide6.QtGui import QFontInfo  # late: the first paint does not need it

        height = QFontInfo(font).pixelSize()
    return round(pixels * height / BODY)


def fit_dialog(dialog: QWidget, width: int, height: int) -> None:
    """Size a dialog for its text, at most as large as its window; sizes are for a body of 13."""
    parent = dialog.parentWidget()
    if parent is not None:
        room = parent.window().size()
    else:
        room = dialog.size()
    scaled_height, scaled_width = (
        scaled_pixels(height, dialog.font()),
        scaled_pixels(width, dialog.font()),
    )
    dialog.resize(
        max(width, min(scaled_width, room.width())),
        max(height, min(scaled_height, room.height())),
    )


def theme_palette(theme: Theme) -> QPalette:
    """Return the QPalette of a theme; widgets that paint themselves use the tokens instead."""
    roles = {
        QPalette.ColorRole.Window: theme.surface2,
        QPalette.ColorRole.WindowText: theme.text,
        QPalette.ColorRole.Base: theme.surface,
        QPalette.ColorRole.AlternateBase: theme.surface2,
        QPalette.ColorRole.Text: theme.text,
        QPalette.ColorRole.PlaceholderText: theme.text3,
        QPalette.ColorRole.Button: theme.surface,
        QPalette.ColorRole.ButtonText: theme.text,
        QPalette.ColorRole.BrightText: theme.on_accent,
        QPalette.ColorRole.Highlight: theme.accent_fill,
        QPalette.ColorRole.HighlightedText: theme.on_accent,
        QPalette.ColorRole.Accent: theme.accent_fill,
        QPalette.ColorRole.Link: theme.accent_text,
        QPalette.ColorRole.LinkVisited: theme.accent_text,
        QPalette.ColorRole.ToolTipBase: theme.surface,
        QPalette.ColorRole.ToolTipText: theme.text,
        QPalette.ColorRole.Light: theme.surface,
        QPalette.ColorRole.Midlight: theme.surface2,
        QPalette.ColorRole.Mid: theme.hairline,
        QPalette.ColorRole.Dark: theme.control_border,
        QPalette.ColorRole.Shadow: theme.hairline,
    }
    result = QPalette()
    for role, colour in roles.items():
        result.setColor(role, colour)
    for role in (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
    ):
        result.setColor(QPalette.ColorGroup.Disabled, role, theme.text3)
    return result


def apply_theme(
    app: QApplication, theme: Theme, zoom: float = 1.0, *, is_complete: bool = True
) -> None:
    """Set font, palette and style sheet of the application; ``is_complete`` as in
    ``style_sheet``."""
    app.setProperty(_APPLIED, theme.name)
    app.setFont(body_font(zoom))
    app.setPalette(theme_palette(theme))
    tokens = {token: getattr(theme, token).name() for token in COLOURS}
    border = 2 if theme.high_contrast else 1
    app.setStyleSheet(
        style_sheet(
            tokens, zoom, border=border, dark=theme.dark, is_complete=is_complete
        )
    )


def with_opacity(colour: QColor, opacity: float) -> QColor:
    """Return a colour with an opacity from 0 to 1."""
    result = QColor(colour)
    result.setAlphaF(opacity)
    return result


def blend_colours(colour: QColor, background: QColor, opacity: float) -> QColor:
    parts = (
        (colour.redF(), background.redF()),
        (colour.greenF(), background.greenF()),
        (colour.blueF(), background.blueF()),
    )
    return QColor.fromRgbF(
        *(
            opacity * foreground + (1 - opacity) * backdrop
            for foreground, backdrop in parts
        )
    )


def readable_text_colour(background: QColor) -> QColor:
    """Return white or black, whichever has more contrast (WCAG 2.2, relative luminance)."""
    parts = map(_linear, (background.redF(), background.greenF(), background.blueF()))
    luminance = sum(
        weight * part for weight, part in zip(_LUMINANCE_WEIGHTS, parts, strict=True)
    )
    if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05:
        return QColor("white")
    return QColor("black")


def _linear(part: float) -> float:
    if part <= 0.04045:
        return part / 12.92
    return float(((part + 0.055) / 1.055) ** 2.4)


THEME_CHOICES = ("system", "light", "dark", "high-contrast")
_ZOOMS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)


class AppearanceController(QObject):
    """Holds the chosen theme and zoom and applies them; emits ``changed(Theme)`` after each
    application.

    Styling all widgets takes half a second with many open views: pending choices are applied
    together, and an unchanged choice is not applied again.
    """

    changed = Signal(object)

    def __init__(
        self, app: QApplication, choice: str = "system", zoom: float = 1.0
    ) -> None:
        super().__init__(app)
        self._app = app
        self.choice = choice if choice in THEME_CHOICES else "system"
        self.zoom = min(max(zoom, _ZOOMS[0]), _ZOOMS[-1])
        # Read off the palette: naming a colour scheme makes Python build all enums of Qt, 20 ms.
        self._is_dark = app.palette().window().color().lightness() < 128
        self._is_complete = False
        self._applied: object = None
        self._apply_timer = QTimer(self, singleShot=True, interval=0)
        self._apply_timer.timeout.connect(self._apply)
        self.theme: Theme = theme("light")
        self._apply()
        app.styleHints().colorSchemeChanged.connect(self._on_system_changed)

    def style_all_widgets(self) -> None:
        """Style all widgets; until then only the start page is styled, so that it paints sooner."""
        self._is_complete = True
        self._apply()

    def choose(self, choice: str) -> None:
        """Use a theme by name; "system" follows the desktop."""
        self.choice = choice
        self._apply_timer.start()

    def zoom_by(self, steps: int) -> None:
        """Zoom one step in (+1) or out (-1); 0 is the natural size."""
        nearest = min(range(len(_ZOOMS)), key=lambda i: abs(_ZOOMS[i] - self.zoom))
        if steps:
            self.zoom = _ZOOMS[min(max(nearest + steps, 0), len(_ZOOMS) - 1)]
        else:
            self.zoom = 1.0
        self._apply_timer.start()

    def _on_system_changed(self) -> None:
        from PySide6.QtCore import Qt

        self._is_dark = self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        if self.choice == "system":
            self._apply_timer.start()

    def _apply(self) -> None:
        system = "dark" if self._is_dark else "light"
        self.theme = theme(system if self.choice == "system" else self.choice)
        appearance = (self.theme, self.zoom, self._is_complete)
        if appearance != self._applied:
            self._applied = appearance
            apply_theme(self._app, self.theme, self.zoom, is_complete=self._is_complete)
        self.changed.emit(self.theme)
