"""Moves the focus through the areas of a view (F6)."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


def focus_next_area(areas: Sequence[QWidget]) -> None:
    """Focus the area after the focused one, else the first; hidden areas are skipped."""
    visible_areas, focus = [area for area in areas if area.isVisible()], QApplication.focusWidget()
    focused_numbers = [
        number
        for number, area in enumerate(visible_areas)
        if area is focus or (focus and area.isAncestorOf(focus))
    ]
    if visible_areas:
        _focus_area(visible_areas[(focused_numbers[0] + 1) % len(visible_areas) if focused_numbers else 0])


def _focus_area(area: QWidget) -> None:
    if area.focusPolicy() != Qt.FocusPolicy.NoFocus or area.focusProxy() is not None:
        area.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return
    children = area.findChildren(QWidget)
    focusable = [
        child for child in children if child.focusPolicy() & Qt.FocusPolicy.TabFocus and _is_ready(child)
    ]
    if focusable:
        focusable[0].setFocus(Qt.FocusReason.ShortcutFocusReason)


def _is_ready(widget: QWidget) -> bool:
    return widget.isVisible() and widget.isEnabled()
