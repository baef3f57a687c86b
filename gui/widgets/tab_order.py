"""Tab goes through a window as it is read: panel by panel, row by row, from left to right.

Qt goes in the order in which widgets were made, and controls, chips and messages are made late.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


def focus_next(window: QWidget, forward: bool) -> bool:
    """Move the keyboard to the next or previous widget of a window; False if there is none."""
    focused = QApplication.focusWidget()
    order = [one for one in reading_order(window) if one is focused or _is_reached(one)]
    if not order:
        return False
    if forward:
        reason = Qt.FocusReason.TabFocusReason
    else:
        reason = Qt.FocusReason.BacktabFocusReason
    if focused not in order:
        order[0 if forward else -1].setFocus(reason)
        return True
    place = order.index(focused) + (1 if forward else -1)
    order[place % len(order)].setFocus(reason)
    return True


def reading_order(parent: QWidget) -> Iterator[QWidget]:
    """Yield what is shown inside a widget, each container before what it contains."""
    shown = [
        child
        for child in parent.children()
        if isinstance(child, QWidget) and child.isVisible() and not child.isWindow()
    ]
    for row in _rows(shown):
        for child in sorted(row, key=lambda one: one.geometry().left()):
            yield child
            yield from reading_order(child)


def _rows(widgets: Sequence[QWidget]) -> Iterator[list[QWidget]]:
    """Yield widgets that stand beside each other: each begins above the middle of the row's
    highest."""
    row: list[QWidget] = []
    for widget in sorted(widgets, key=lambda one: one.geometry().top()):
        if row and widget.geometry().top() >= row[0].geometry().center().y():
            yield row
            row = []
        row.append(widget)
    if row:
        yield row


def _is_reached(widget: QWidget) -> bool:
    takes_tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return takes_tab and widget.isEnabled() and widget.focusProxy() is None
