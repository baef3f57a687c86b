"""Accessibility of the window: names, roles, keys, visible focus, contrast, and larger text."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible, QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from gui.command_bar import CommandField
from gui.screenshot_command import VIEWS, ShotWaiter
from gui.widgets import theme as themes
from gui.widgets.pickers import SegmentedControl
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import Theme, theme
from gui.window_content import WindowContent
from tests.gui.colour_maths import contrast
from tests.gui.window_space import expose
from tests.gui.wording import is_old_label
from tests.journeys.walks import open_transcript

GROUNDS = (
    "surface",
    "surface2",
    "free",
    "selection",
    "bar_info",
    "bar_warn",
    "bar_error",
    "repaired",
)
_LOOKS = 4
"""Widgets of one class and role whose ring is looked at: the style sheet gives all of them the
same."""
INKS = ("text", "text2", "text3", "accent_text", "ok", "warn", "error")


@pytest.mark.parametrize("name", themes.THEME_NAMES)
def test_text_reads_on_every_ground_and_tint(name: str) -> None:
    one = theme(name)
    grounds = [*(getattr(one, token) for token in GROUNDS), *one.fate_tint]
    low = [
        (ink, round(contrast(getattr(one, ink), ground), 2))
        for ink in INKS
        for ground in grounds
    ]
    assert [pair for pair in low if pair[1] < 4.5] == []
    assert contrast(one.on_accent, one.accent_fill) >= 4.5


@pytest.mark.parametrize("name", themes.THEME_NAMES)
def test_lines_glyphs_and_the_focus_ring_are_seen(name: str) -> None:
    one = theme(name)
    marks = (one.control_border, one.accent_text, *one.fate_text)
    assert (
        min(
            contrast(mark, ground)
            for mark in marks
            for ground in (one.surface, one.surface2)
        )
        >= 2.99
    )
    assert (
        min(contrast(mark, one.selection) for mark in (one.accent_text, *one.fate_text))
        >= 3
    )


def test_high_contrast_is_pure_and_its_fills_are_seen() -> None:
    one = theme("high-contrast")
    assert {
        colour.name() for colour in (one.surface, one.surface2, *one.fate_tint)
    } == {"#ffffff"}
    assert one.text.name() == "#000000"
    assert (
        min(contrast(fill, one.surface) for fill in (*one.kind, *one.fate_fill)) >= 2.95
    )


@pytest.mark.parametrize("name", themes.THEME_NAMES)
def test_widgets_have_words_names_roles_keys_a_ring_and_contrast(
    qtbot: QtBot, space: WindowContent, transcript: Path, name: str
) -> None:
    shutil.copy(
        transcript, transcript.with_name("second.json")
    )  # a search needs two files
    open_transcript(qtbot, space, transcript)
    space.window.appearance.choose(name)
    QApplication.processEvents()
    faults: list[str] = []
    checked: set[QWidget] = set()
    rings = Counter[str]()
    acting = read = 0
    for shown, view in _views(space):
        new = [
            one
            for one in shown.findChildren(QWidget)
            if one.isVisible() and one not in checked
        ]
        image = shown.grab().toImage()
        texts = [
            one
            for one in new
            if one.isEnabled() and _has_words(one) and _inside(one, shown)
        ]
        read += len(texts)
        faults += [
            f"{view}: {_text(one)!r} is pale"
            for one in texts
            if not _reads(image, one, shown)
        ]
        checked.update(new)
        # the theme changes nothing of the rest; a list may have rebuilt its widgets meanwhile
        for one in filter(isValid, new) if name == "light" else ():
            words = (_text(one), one.toolTip())
            faults += [
                f"{view}: {text!r} is an old label"
                for text in words
                if is_old_label(text)
            ]
            if _acts(one):
                faults += [
                    f"{view}: {type(one).__name__} {fault}"
                    for fault in _faults(one, rings)
                ]
                acting += 1
    assert not faults, "\n".join(faults)
    assert (acting > 120 or name != "light", read > 250) == (True, True)


def _text(widget: QWidget) -> str:
    if isinstance(widget, QComboBox):
        return widget.currentText()
    if isinstance(widget, QLineEdit):
        return widget.text() or widget.placeholderText()
    return widget.text() if isinstance(widget, QLabel | QAbstractButton) else ""


def _has_words(widget: QWidget) -> bool:
    return any(map(str.isalnum, _text(widget)))  # a dash is thinner than a pixel


def _reads(image: QImage, widget: QWidget, top: QWidget) -> bool:
    """True if an ink of a widget's picture contrasts with its most frequent colour."""
    pixels = image.copy(_inside(widget, top)).convertToFormat(
        QImage.Format.Format_RGB32
    )
    colours = Counter(memoryview(pixels.constBits()).cast("I"))
    ground, *inks = (QColor(one) for one, _ in colours.most_common())
    return any(contrast(one, ground) >= 4.5 for one in inks)


def _inside(widget: QWidget, top: QWidget) -> QRect:
    """Return a widget's rectangle without border in its window's picture; empty if it is partly
    covered."""
    inner = QRect(widget.mapTo(top, widget.rect().topLeft()), widget.size()).adjusted(
        2, 2, -2, -2
    )
    return inner if widget.visibleRegion().boundingRect() == widget.rect() else QRect()


def _views(space: WindowContent) -> Iterator[tuple[QWidget, str]]:
    for tab in ("why", "losses", "checks"):
        space.page.show_tab(tab)
        ShotWaiter(space).wait()
        yield space.window, tab
    for view in VIEWS:
        shown = view.show(space) or space.window
        ShotWaiter(space).wait()
        QApplication.processEvents()
        yield shown, view.name
        if shown is not space.window:
            shown.close()


def _acts(widget: QWidget) -> bool:
    """True for widgets that the user operates; parts of Qt's own widgets and captions are not."""
    inside = isinstance(
        widget.parent(), QComboBox | QLineEdit
    ) or widget.objectName().startswith("qt_")
    if inside or isinstance(widget, QScrollBar | QHeaderView | QLabel):
        return False
    return (
        isinstance(widget, QAbstractButton)
        or widget.focusPolicy() != Qt.FocusPolicy.NoFocus
    )


def _faults(widget: QWidget, rings: Counter[str]) -> Iterator[str]:
    interface = QAccessible.queryAccessibleInterface(widget)
    name = widget.accessibleName() or interface.text(QAccessible.Text.Name)
    if not name.strip() or name == type(widget).__name__:
        yield "has no name"
    if interface.role() in (QAccessible.Role.NoRole, QAccessible.Role.Client):
        yield f"({name}) has no role"
    if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        if not _in_group(widget):
            yield f"({name}) is not reached by Tab"
    elif widget.isEnabled():
        kind = f"{type(widget).__name__} {widget.property('role')}"
        rings[kind] += 1
        if rings[kind] <= _LOOKS and not _shows_focus(widget):
            yield f"({name}) shows no focus"


def _in_group(widget: QWidget) -> bool:
    """True for exclusive buttons: Tab reaches the checked one, arrows the others."""
    exclusive = isinstance(widget, QAbstractButton) and (
        widget.autoExclusive() or widget.group() is not None
    )
    return exclusive and not (
        isinstance(widget, QAbstractButton) and widget.isChecked()
    )


def _shows_focus(widget: QWidget) -> bool:
    """True if the picture changes with the focus; an empty list, or a field whose frame always
    shows it, needs no ring."""
    if isinstance(widget, CommandField) or (
        isinstance(widget, QAbstractItemView) and not _rows(widget)
    ):
        return True
    before = _picture(widget, focus=False)
    return before != _picture(widget, focus=True)


def _rows(view: QAbstractItemView) -> int:
    return view.model().rowCount() if view.model() is not None else 0


def _picture(widget: QWidget, *, focus: bool) -> QImage:
    top = widget.window()
    top.activateWindow()
    QTest.qWaitForWindowActive(top, 3000)
    if focus:
        widget.setFocus(Qt.FocusReason.TabFocusReason)
    elif (focused := QApplication.focusWidget()) is not None:
        focused.clearFocus()
    for _ in range(50):  # a window becomes active a while after the request
        QApplication.processEvents()
        if widget.hasFocus() == focus:
            break
    place = QRect(widget.mapTo(top, widget.rect().topLeft()), widget.size())
    return top.grab(place.adjusted(-3, -3, 3, 3)).toImage()


def test_tab_reaches_the_pressed_one_of_a_switch_after_the_program_pressed_another(
    qtbot: QtBot,
) -> None:
    switch = expose(qtbot, SegmentedControl(("Changes", "Before", "After")))
    switch.buttons[0].setFocus(Qt.FocusReason.TabFocusReason)
    switch.show_choice(2)
    reached = [
        bool(one.focusPolicy() & Qt.FocusPolicy.TabFocus) for one in switch.buttons
    ]
    assert reached == [False, False, True]


def test_painted_rows_read_over_their_tints(
    qtbot: QtBot, shared_window: WindowContent, transcript: Path
) -> None:
    space = shared_window
    open_transcript(qtbot, space, transcript)
    view = space.page.lists.list.view
    rows = [
        row
        for row in range(_rows(view))
        if view.rowViewportPosition(row) in range(1, view.height() - 40)
    ]
    assert rows
    for name in themes.THEME_NAMES:
        space.window.appearance.choose(name)
        QApplication.processEvents()
        image, one = view.viewport().grab().toImage(), space.window.appearance.theme
        weak = [
            row
            for row in rows
            if _ink(image, view.visualRect(view.model().index(row, 0)), one) < 4.5
        ]
        assert weak == [], name


def _ink(image: QImage, row: QRect, one: Theme) -> float:
    """Return the contrast of the strongest ink in the middle of a painted row against its
    ground."""
    ground = QColor(image.pixel(row.center().x(), row.top() + 2))
    across = range(row.left() + 90, row.right() - 80)
    inks = {
        image.pixel(x, row.center().y() + y) for x in across for y in (-4, -2, 0, 2, 4)
    }
    return max(contrast(QColor(ink), ground) for ink in inks)


def test_larger_text_is_not_cut_where_there_is_room(
    qtbot: QtBot, shared_window: WindowContent, transcript: Path
) -> None:
    space = shared_window
    space.window.resize(1280, 800)
    space.window.appearance.choose("light")
    open_transcript(qtbot, space, transcript)
    height = space.page.lists.list.view.rowHeight(0)
    for steps in (-2, 3, 5):
        space.window.appearance.zoom_by(0)
        space.window.appearance.zoom_by(steps)
        for _ in range(5):  # docks and toolbar are laid out a turn later
            QApplication.processEvents()
        _nothing_is_cut(space)
        assert (space.page.lists.list.view.rowHeight(0) > height) == (steps > 0)


def _nothing_is_cut(space: WindowContent) -> None:
    labels = [one for one in space.window.findChildren(ElidedLabel) if one.isVisible()]
    assert [
        one.full_text
        for one in labels
        if one.is_elided and one.width() >= one.sizeHint().width()
    ] == []
    buttons = [
        one
        for one in space.window.findChildren(QAbstractButton)
        if one.text() and not one.visibleRegion().isEmpty()
    ]
    assert [
        one.text() for one in buttons if one.width() < one.minimumSizeHint().width()
    ] == []
    low = [one.text() for one in buttons if one.height() < one.fontMetrics().height()]
    assert low == []
