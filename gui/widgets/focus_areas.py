"""Moves the focus through the areas of a view (F6)."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


def enter_next(areas: Sequence[QWidget]) -> None:
    """Focus the area after the focused one, else the first; hidden areas are skipped."""
    shown, focus = [area for area in areas if area.isVisible()], QApplication.focusWidget()
    focused_numbers = [
        i for i, area in enumerate(shown) if area is focus or (focus and area.isAncestorOf(focus))
    ]
    if shown:
        _enter(shown[(focused_numbers[0] + 1) % len(shown) if focused_numbers else 0])


def _enter(area: QWidget) -> None:
    if area.focusPolicy() != Qt.FocusPolicy.NoFocus or area.focusProxy() is not None:
        area.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return
    parts = area.findChildren(QWidget)
    takes = [one for one in parts if one.focusPolicy() & Qt.FocusPolicy.TabFocus and _is_ready(one)]
    if takes:
        takes[0].setFocus(Qt.FocusReason.ShortcutFocusReason)


def _is_ready(widget: QWidget) -> bool:
    return widget.isVisible() and widget.isEnabled()
