"""Colours, fonts and look of the application from one table, and their choice."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from string import Template

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from core.common.paths import RESOURCES
from core.presentation.palette import COLOURS, GROUPS

# The one style sheet of standard widgets, filled in from a theme's tokens.
#
# A widget chooses its look through the dynamic property ``role``: labels "secondary", "quiet",
# "strong", "figure", "muted", "group"; buttons "primary", "small", "link", "segment", "flat",
# "group", "chip"; frames and widgets "pane" (surface), "side" (surface2), "head" (pane head with
# a line below), "chips" (their row), "rule" (hairline), "popup", "reader" (text with a focus
# ring). Labels also have a ``tone``: "strong", "ok", "warn", "error". Labels and tooltips show
# plain text: Qt would otherwise interpret HTML of a transcript or a file name, and load its
# images.


_START_PAGE_STYLES = """
* { outline: none; }
QMainWindow, QDialog { background: $surface2; }
QLabel { background: transparent; }
QLabel[role="secondary"] { color: $text2; font-size: $secondary; }
QLabel[role="quiet"] { color: $text3; font-size: $secondary; }
QLabel[role="strong"] { font-weight: 600; }
QLabel[role="figure"] { font-weight: 600; font-size: $figure; }
QFrame[role="upright"] { background: $hairline; border: none; min-width: 1px; max-width: 1px; }
QFrame[role="rule"] { background: $hairline; border: none; min-height: $line; max-height: $line; }
QFrame[role="drop"] { border: $line dashed $control_border; border-radius: 4px; }
QWidget[role="pane"] { background: $surface; }
QWidget[role="side"] { background: $surface2; }

QMenuBar { background: $surface2; padding: 0 4px; spacing: 0; }
QMenuBar::item { background: transparent; padding: 4px 8px; border-radius: 4px; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: $selection; color: $accent_text; }

QPushButton { background: $surface; color: $text; border: $line solid $control_border; border-radius: 4px;
    padding: 0 10px; min-height: $control; }
QPushButton:hover { background: $selection; }
QPushButton:pressed { border-color: $accent_text; background: $selection; }
QPushButton:focus { border: $ring solid $accent_text; padding: 0 9px; }
QPushButton:disabled { color: $text3; border: $line $off $hairline; background: $surface2; }
QPushButton[role="small"] { min-height: $small; padding: 0 8px; font-size: $secondary; }
QPushButton[role="primary"] { background: $accent_fill; color: $on_accent; border-color: $accent_fill;
    font-weight: 600; padding: 0 14px; }
QPushButton[role="primary"]:hover { border-color: $text; }
QPushButton[role="primary"]:focus { border: $ring solid $text; padding: 0 13px; }
QPushButton[role="primary"]:disabled { background: $free; border-color: $hairline; color: $text3; }
QPushButton[role="link"], QPushButton[role="flat"] { background: transparent; border: none; padding: 0 2px;
    min-height: $small; }
QPushButton[role="flat"] { padding: 0 3px; }
QPushButton[role="cell"] { background: transparent; border: none; padding: 0; min-height: 0; }
QPushButton[role="link"] { color: $accent_text; text-decoration: underline; font-size: $secondary; }
QPushButton[role="link"]:focus { border: $ring solid $accent_text; padding: 0; }
QPushButton[role="link"][inline="true"] { min-height: 0; }
QPushButton[role="flat"]:focus { border: $ring solid $accent_text; padding: 0 1px; }
"""
"""The part for the start page; the first paint waits while Qt parses it."""

_OTHER_STYLES = """
QFrame[role="coach"] { background: $accent_fill; border-radius: 6px; }
QFrame[role="coach"] QLabel { color: $on_accent; }
QLabel[role="coach-title"] { font-weight: 600; }
QFrame[role="coach-ring"] { background: transparent; border: 2px solid $accent_fill; border-radius: 4px; }
QPushButton[role="coach"] { min-height: $small; font-weight: 600; border-color: $surface; }
QPushButton[role="coach"]:focus { border: $ring solid $text; }
QPushButton[role="coach-link"] { background: transparent; border: none; color: $on_accent;
    text-decoration: underline; min-height: $small; }
QPushButton[role="coach-link"]:focus { border: $ring solid $on_accent; padding: 0 9px; }
QMainWindow::separator { background: $hairline; width: 1px; height: 1px; }
QToolTip { background: $surface; color: $text; border: 1px solid $control_border; padding: 3px 6px;
    qproperty-textFormat: PlainText; }
QLabel { qproperty-textFormat: PlainText; }
QLabel[role="muted"] { color: $text2; }
QLabel[role="group"] { color: $text2; font-size: $secondary; font-weight: 600; }
QLabel[tone="strong"] { font-weight: 600; }
QLabel[tone="ok"] { color: $ok; font-weight: 600; }
QLabel[tone="warn"] { color: $warn; font-weight: 600; }
QLabel[tone="error"] { color: $error; font-weight: 600; }
QLabel[ink="ok"] { color: $ok; }
QLabel[ink="warn"], QLabel[ink="warning"] { color: $warn; }
QLabel[ink="error"] { color: $error; }
QLabel[weight="bold"] { font-weight: 600; }
QLabel:disabled { color: $text3; }
QFrame[role="notice"] { background: $bar_info; border: $line solid $control_border; border-radius: 4px; }
QFrame[role="notice"][severity="warning"] { background: $bar_warn; }
QFrame[role="notice"][severity="error"] { background: $bar_error; }
QFrame[role="message-row"] { background: $surface2; border: none; border-top: $line solid $hairline; }
QFrame[role="message-row"][severity="info"] { background: $bar_info; }
QFrame[role="message-row"][severity="warning"] { background: $bar_warn; }
QFrame[role="message-row"][severity="error"] { background: $bar_error; }
QFrame[role="card"] { background: $surface2; border: $line solid $hairline; border-radius: 4px; }
QWidget[role="foot"] { background: $surface2; border: none; border-top: $line solid $hairline; }
QWidget[role="side-edge"] { background: $surface2; border: none; border-right: $line solid $hairline; }
QListWidget[role="side-list"], QTreeWidget[role="side-list"] { background: $surface2; }
QTreeWidget[role="side-list"] { border: 2px solid $surface2; }
QTreeWidget[role="side-list"]:focus { border-color: $accent_text; }
QTreeWidget[role="side-list"]::item { padding: 0 10px; }
QTreeWidget[role="side-list"]::item:selected { background: $selection; color: $text; }
QTreeWidget[role="rows"] { border: 2px solid $surface; }
QTreeWidget[role="rows"]:focus { border-color: $accent_text; }
QTreeWidget[role="rows"]::item { padding: 0 6px; border-bottom: $line solid $hairline; }
QTreeWidget[role="rows"]::item:selected { background: $selection; color: $text; }
QFrame[role="popup"] { background: $surface; border: $line solid $control_border; }
QWidget[role="head"] { background: $surface2; border: none; border-bottom: $line solid $hairline; }
QWidget[role="chips"] { background: $surface; border: none; border-bottom: $line solid $hairline; }
QPushButton[role="chip"] { padding: 0 6px 0 4px; min-height: $chip; font-size: $secondary;
    border-color: $hairline; }
QPushButton[role="chip"]:!checked { background: $surface2; color: $text3;
    border: $line dashed $control_border; }
QPushButton[role="chip"]:focus { border: $ring solid $accent_text; padding: 0 5px 0 3px; }
QPushButton[role="part"], QComboBox[role="part"] { min-height: $chip; padding: 0 6px;
    font-size: $secondary; }
QPushButton[role="name"] { background: transparent; border: none; padding: 0 4px; min-height: $chip;
    font-weight: 600; }
QPushButton[role="name"]:focus { border: $ring solid $accent_text; padding: 0 2px; }
QMenu { background: $surface; border: $line solid $control_border; padding: 4px 0; }
QMenu::item { padding: 4px 24px 4px 24px; background: transparent; }
QMenu::item:selected { background: $selection; color: $accent_text; }
QMenu::item:disabled { color: $text3; }
QMenu::separator { height: 1px; background: $hairline; margin: 4px 0; }
QStatusBar { background: $surface2; border-top: $line solid $hairline; font-size: $secondary; }
QStatusBar::item { border: none; }
QStatusBar QLabel { font-size: $secondary; }
QPushButton[role="flat"]:hover { background: $selection; }
QPushButton[role="group"] { background: transparent; border: 2px solid transparent; padding: 0 2px 0 0;
    min-height: 18px; color: $text2; font-size: $secondary; font-weight: 600; text-align: left; }
QPushButton[role="group"]:hover { color: $accent_text; }
QPushButton[role="group"]:focus { border-color: $accent_text; }
QPushButton[role="segment"] { border-radius: 0; padding: 0 14px; }
QPushButton[role="segment"][dense="yes"] { padding: 0 6px; }
QPushButton[role="segment"][place="first"] { border-top-left-radius: 4px; border-bottom-left-radius: 4px; }
QPushButton[role="segment"][place="last"] { border-top-right-radius: 4px; border-bottom-right-radius: 4px; }
QPushButton[role="small"]:checked { background: $selection; color: $accent_text;
    border-color: $accent_text; }
QPushButton[role="segment"]:checked { background: $selection; color: $accent_text; font-weight: 600;
    border-color: $accent_text; }
QToolButton { background: transparent; color: $text; border: 1px solid transparent; border-radius: 4px;
    padding: 2px 4px; }
QToolButton:hover { background: $selection; }
QToolButton:checked { background: $selection; color: $accent_text; }
QToolButton:focus { border: $ring solid $accent_text; padding: 1px 3px; }
QToolButton:disabled { color: $text3; }

QComboBox { background: $surface; border: $line solid $control_border; border-radius: 4px;
    padding: 0 8px; min-height: $control; }
QComboBox:hover { background: $selection; }
QComboBox:focus, QComboBox:on { border: $ring solid $accent_text; padding: 0 7px; }
QComboBox:disabled { color: $text3; border: $line $off $hairline; background: $surface2; }
QComboBox::drop-down { border: none; width: 20px; subcontrol-origin: padding;
    subcontrol-position: center right; }
QComboBox::down-arrow { image: url("$icons/chevron-$ink.svg"); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: $surface; border: $line solid $control_border; padding: 4px 0;
    selection-background-color: $selection; selection-color: $accent_text; outline: none; }
QComboBox QAbstractItemView::item { min-height: $row; padding: 0 8px; }
QLineEdit, QAbstractSpinBox, QPlainTextEdit, QTextEdit { background: $surface; color: $text;
    border: $line solid $control_border; border-radius: 4px; selection-background-color: $accent_fill;
    selection-color: $on_accent; placeholder-text-color: $text3; }
QLineEdit, QAbstractSpinBox { padding: 0 6px; min-height: $small; }
QAbstractSpinBox QLineEdit { border: none; padding: 0 4px; min-height: 0; background: transparent; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { width: 0; border: none; }
QLineEdit:focus, QAbstractSpinBox:focus, QPlainTextEdit:focus, QTextEdit:focus {
    border: $ring solid $accent_text; }
QLineEdit:focus, QAbstractSpinBox:focus { padding: 0 5px; }
QLineEdit[role="field"], QAbstractSpinBox[role="field"] { min-height: $control; }
QPlainTextEdit[role="field"] { border: $line solid $control_border; border-radius: 4px; padding: 3px 2px; }
QPlainTextEdit[role="field"]:focus { border: $ring solid $accent_text; padding: 2px 1px; }
QPlainTextEdit[role="field"]:disabled { color: $text3; border: $line $off $hairline; background: $surface2; }
QFrame[role="bar"] { background: $surface; border: 2px solid $accent_text; border-radius: 6px; }
QFrame[role="bar"] QTreeView { background: $surface; }
QFrame[role="bar"] QTreeView::item { padding: 0 14px; }
QFrame[role="bar"] QTreeView::item:selected { background: $selection; color: $accent_text; }
QLineEdit[role="bar"] { border: none; background: transparent; padding: 0; min-height: $control; }
QLineEdit[role="bar"]:focus { border: none; padding: 0; }
*[role="reader"] { border: 2px solid $surface; border-radius: 0; }
*[role="reader"]:focus { border-color: $accent_text; }
QLineEdit:disabled, QAbstractSpinBox:disabled { color: $text3; border: $line $off $hairline;
    background: $surface2; }
QLineEdit[state="ok"] { border-color: $ok; }
QLineEdit[state="error"] { border-color: $error; }

QCheckBox { spacing: 8px; background: transparent; }
QCheckBox:disabled { color: $text3; }
QCheckBox::indicator, QAbstractItemView::indicator { width: 14px; height: 14px; border-radius: 3px;
    border: $line solid $control_border; background: $surface; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: $accent_text; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked { background: $accent_fill;
    border-color: $accent_text; image: url("$icons/check-white.svg"); }
QCheckBox::indicator:checked:disabled { background: $control_border; border-color: $control_border; }
QCheckBox:focus { color: $accent_text; }
QCheckBox::indicator:focus { border: $ring solid $accent_text; width: 12px; height: 12px; }
QSlider { min-height: 20px; background: transparent; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: $control_border; }
QSlider::sub-page:horizontal { background: $accent_text; border-radius: 2px; }
QSlider::sub-page:horizontal:disabled { background: $control_border; }
QSlider::handle:horizontal { width: 12px; height: 12px; margin: -6px 0; border-radius: 8px;
    border: 2px solid $accent_text; background: $surface; }
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { background: $selection; }
QSlider::handle:horizontal:focus { border-width: 3px; width: 10px; height: 10px; }
QSlider::handle:horizontal:disabled { border-color: $control_border; }
QProgressBar { border: none; background: $hairline; max-height: 2px; min-height: 2px; }
QProgressBar::chunk { background: $accent_text; }

QTabWidget::pane { border: none; border-top: $line solid $hairline; top: -$line; background: $surface; }
QTabBar { background: $surface2; border-bottom: $line solid $hairline; }
QTabBar::tab { background: $surface2; color: $text2; padding: 0 12px; min-height: $tab;
    border-top: 2px solid transparent; border-right: $line solid transparent;
    border-bottom: $line solid $hairline; }
QTabBar[padding="8"]::tab { padding: 0 8px; }
QTabBar[padding="5"]::tab { padding: 0 5px; }
QTabBar::tab:selected { background: $surface; color: $text; font-weight: 600;
    border-top-color: $accent_text; border-right-color: $hairline; border-left: $line solid $hairline;
    border-bottom-color: $surface; }
QTabBar::tab:hover:!selected { color: $accent_text; }
QTabBar::tab:focus { color: $accent_text; text-decoration: underline; }
QLabel[role="badge"] { font-size: $small_text; font-weight: 600; border-radius: 6px; padding: 0 2px; }
QLabel[role="badge"][tone="error"] { background: $error; color: $surface; }
QLabel[role="badge"][tone="unknown"] { color: $text2; }
QSplitter::handle { background: $hairline; }
QSplitter::handle:hover { background: $accent_fill; }
QAbstractScrollArea { background: $surface; border: none; }
QScrollArea[role="side"] { background: $surface2; }
QScrollArea > QWidget > QWidget { background: transparent; }
QTreeView::item { padding: 2px 0; }
QHeaderView { background: $surface2; border: none; }
QHeaderView::section { background: $surface2; color: $text2; font-size: $small_text; border: none;
    border-bottom: $line solid $hairline; padding: 0 4px; }
QTableView[role="roomy"] { border: 2px solid $surface; }
QTableView[role="roomy"]:focus { border-color: $accent_text; }
QHeaderView[role="roomy"]::section { padding: 0 8px; }
QAbstractItemView { selection-background-color: $selection; selection-color: $text;
    alternate-background-color: $surface2; }
QScrollBar { background: transparent; border: none; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: $control_border; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 24px; }
QScrollBar::handle:horizontal { min-width: 24px; }
QScrollBar::handle:disabled { background: transparent; }
QScrollBar::handle:hover { background: $text3; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
"""

_HIGH_CONTRAST_STYLES = """
QPushButton[role="flat"] { border: $line solid transparent; padding: 0 1px; }
QPushButton[role="flat"]:focus { padding: 0; }
QPushButton[role="flat"]:disabled { border: $line $off $hairline; }
"""
"""In high contrast the greys look alike: a frame marks disabled widgets."""


def style_sheet(
    tokens: Mapping[str, str],
    zoom: float,
    *,
    border: int,
    dark: bool,
    is_complete: bool,
) -> str:
    """Return the style sheet for colour ``tokens`` (name to "#rrggbb"), with text scaled by
    ``zoom``.

    ``is_complete``: for all widgets, not only for those of the start page.
    """
    sizes = {"secondary": 12, "figure": 20, "small_text": 11, "row": 24, "tab": 26}
    pixels = {name: f"{round(size * zoom)}px" for name, size in sizes.items()}
    # Style sheets measure without the border, so that the total height is 28 or 24.
    pixels["control"] = f"{round(28 * zoom) - 2 * border}px"
    pixels["chip"] = f"{round(20 * zoom) - 2 * border}px"
    pixels["small"] = f"{round(24 * zoom) - 2 * border}px"
    values = {
        "line": f"{border}px",
        "ring": f"{border + 1}px",
        "off": "dashed" if border > 1 else "solid",
        "ink": "dark" if dark else "light",
    }
    icons = (RESOURCES / "icons").as_posix()
    sheet = _START_PAGE_STYLES + (
        _OTHER_STYLES + _HIGH_CONTRAST_STYLES * (border > 1) if is_complete else ""
    )
    return Template(sheet).substitute(tokens, **pixels, **values, icons=icons)


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
    repaired: QColor
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
    result = QFont(font)
    result.setPixelSize(max(1, round(size * QFontInfo(font).pixelSize() / BODY)))
    result.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return result


def scaled_pixels(pixels: float, font: QFont) -> int:
    """Scale pixels given for a body of 13 to this font, so that widths grow with the text."""
    height = font.pixelSize()
    if height < 0:  # a system font, measured in points
        height = QFontInfo(font).pixelSize()
    return round(pixels * height / BODY)


def fit_dialog(dialog: QWidget, width: int, height: int) -> None:
    """Size a dialog for its text, at most as large as its window; sizes are for a body of 13."""
    parent = dialog.parentWidget()
    if parent is not None:
        room = parent.window().size()
    else:
        room = dialog.size()
    scaled_height = scaled_pixels(height, dialog.font())
    scaled_width = scaled_pixels(width, dialog.font())
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


def difference_tints() -> tuple[QColor, QColor]:
    """Return the grounds of words that a result lacks, and of those that it alone has."""
    theme = current_theme()
    return (
        blend_colours(theme.error, theme.surface, 0.15),
        blend_colours(theme.fate_fill[_EDITED], theme.surface, 0.32),
    )


_EDITED = 1  # the place of edited among the fates


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
