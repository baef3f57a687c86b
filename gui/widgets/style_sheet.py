"""The one style sheet of standard widgets, filled in from a theme's tokens.

A widget chooses its look through the dynamic property ``role``: labels "secondary", "quiet",
"strong", "figure", "muted", "group"; buttons "primary", "small", "link", "segment", "flat",
"group", "chip"; frames and widgets "pane" (surface), "side" (surface2), "head" (pane head with a
line below), "chips" (their row), "rule" (hairline), "popup", "reader" (text with a focus ring).
Labels also have a ``tone``: "strong", "ok", "warn", "error". Labels and tooltips show plain text:
Qt would otherwise interpret HTML of a transcript or a file name, and load its images.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

from core.common.paths import RESOURCES

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
QCheckBox::indicator:focus { border: $ring solid $accent_text; }
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
QTabBar[dense="yes"]::tab { padding: 0 5px; }
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
