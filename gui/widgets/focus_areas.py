"""The areas of a view that F6 goes through."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


def enter_next(areas: Sequence[QWidget]) -> None:
    """Put the keyboard into the area after the one that has it, else into the first; hidden ones are none."""
    shown, focus = [area for area in areas if area.isVisible()], QApplication.focusWidget()
    held = [i for i, area in enumerate(shown) if area is focus or (focus and area.isAncestorOf(focus))]
    if shown:
        _enter(shown[(held[0] + 1) % len(shown) if held else 0])


def _enter(area: QWidget) -> None:
    """The area itself takes the keyboard, or the first of its parts that does."""
    if area.focusPolicy() != Qt.FocusPolicy.NoFocus or area.focusProxy() is not None:
        area.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return
    parts = area.findChildren(QWidget)
    takes = [one for one in parts if one.focusPolicy() & Qt.FocusPolicy.TabFocus and _is_ready(one)]
    if takes:
        takes[0].setFocus(Qt.FocusReason.ShortcutFocusReason)


def _is_ready(widget: QWidget) -> bool:
    """True where a widget can take the keyboard now."""
    return widget.isVisible() and widget.isEnabled()
