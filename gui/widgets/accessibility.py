"""Accessibility beyond names: roles of painted widgets and announcements of what a key did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from PySide6.QtCore import QObject, QRect, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleInterface,
)
from PySide6.QtWidgets import QApplication, QWidget

_ROLE = QAccessible.Role
ROLES: Mapping[str, QAccessible.Role] = {
    "Ruler": _ROLE.Chart,
    "ResultPlot": _ROLE.Chart,
    "ReplayPlot": _ROLE.Chart,
    "SettingPlot": _ROLE.Chart,
    "OverviewBar": _ROLE.Graphic,
    "PlotLegend": _ROLE.Graphic,
    "ColumnHeader": _ROLE.RowHeader,
    "CutPart": _ROLE.Slider,
    "SummaryCellPart": _ROLE.Section,
    "SpanText": _ROLE.Paragraph,
    "PageView": _ROLE.Document,
    "QScrollArea": _ROLE.Pane,
    "QTabWidget": _ROLE.Pane,
}
"""Roles by class name; Qt alone would report a plain widget."""
_INSTALLED = "roles"
"""The application property that is set once the roles are installed."""


def install_roles(app: QObject) -> None:
    """Report the roles of painted widgets; without support in PySide, Qt reports plain widgets."""
    if not app.property(_INSTALLED):
        app.setProperty(_INSTALLED, True)
        QAccessible.installFactory(_interface)


def _interface(name: str, target: QObject) -> QAccessibleInterface | None:
    role = ROLES.get(name)
    if role is None or not isinstance(target, QWidget):
        return None
    with suppress(ImportError):
        from PySide6.QtWidgets import (
            QAccessibleWidget,
        )  # not in every supported version

        return QAccessibleWidget(target, role, target.accessibleName())
    return None


def announce_text(widget: QWidget, text: str) -> None:
    """Make a screen reader say a text that it cannot notice otherwise."""
    if text:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


# Painted parts of a widget as objects of their own, for screen readers.


class _Part(QWidget):
    """Lies over or under what is painted; paints nothing and takes nothing."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


class CutPart(_Part):
    """A cut: a handle of the ruler, a row of the list."""


class SummaryCellPart(_Part):
    """The cell of a summary."""


@dataclass(frozen=True, slots=True)
class PartText:
    """Where a part is in its widget, and what a screen reader says of it."""

    kind: type[CutPart | SummaryCellPart]
    box: QRect
    name: str
    description: str = ""


class AccessibleParts:
    """The parts of one widget; ``is_behind`` puts them behind its other children."""

    def __init__(self, parent: QWidget, *, is_behind: bool = False) -> None:
        self._parent, self._is_behind = parent, is_behind
        self._shown: tuple[PartText, ...] = ()
        self.widgets: list[QWidget] = []

    def show(self, parts: Sequence[PartText]) -> None:
        """Show these parts and no others."""
        if (shown := tuple(parts)) == self._shown:
            return
        if [part.kind for part in shown] != [type(widget) for widget in self.widgets]:
            for widget in self.widgets:
                widget.hide()
                widget.deleteLater()
            self.widgets = [self._new_widget(part) for part in shown]
        self._shown = shown
        for widget, part in zip(self.widgets, shown, strict=True):
            widget.setGeometry(part.box)
            widget.setAccessibleName(part.name)
            widget.setAccessibleDescription(part.description)

    def _new_widget(self, part: PartText) -> QWidget:
        widget = part.kind(self._parent)
        if self._is_behind:
            widget.lower()
        widget.show()
        return widget


# Tab goes through a window as it is read: panel by panel, row by row, from left to right.
#
# Qt goes in the order in which widgets were made, and controls, chips and messages are made late.


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
