"""What a screen reader is told beyond names: what a painted widget is, and what a key has done."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleInterface
from PySide6.QtWidgets import QWidget

_ROLE = QAccessible.Role
ROLES: Mapping[str, QAccessible.Role] = {
    "Ruler": _ROLE.Chart,
    "ComparePlot": _ROLE.Chart,
    "ReplayPlot": _ROLE.Chart,
    "SweepPlot": _ROLE.Chart,
    "FidelityBars": _ROLE.Chart,
    "RecallBars": _ROLE.Chart,
    "RibbonColumn": _ROLE.Graphic,
    "OverviewBar": _ROLE.Graphic,
    "PlotLegend": _ROLE.Graphic,
    "FidelityLegend": _ROLE.Graphic,
    "LayerLegend": _ROLE.Graphic,
    "PaneHeader": _ROLE.Heading,
    "ColumnHeader": _ROLE.RowHeader,
    "SpanText": _ROLE.Paragraph,
    "WhyTab": _ROLE.Document,
    "FidelityTab": _ROLE.Document,
    "QScrollArea": _ROLE.Pane,
    "QTabWidget": _ROLE.Pane,
}
"""By class: what Qt alone would call a plain widget."""
_TOLD = "roles"
"""The property of the application that says they are known."""


def install_roles(app: QObject) -> None:
    """From now on say what painted widgets are; where the binding cannot, Qt calls them widgets."""
    if not app.property(_TOLD):
        app.setProperty(_TOLD, True)
        QAccessible.installFactory(_interface)


def _interface(name: str, thing: QObject) -> QAccessibleInterface | None:
    role = ROLES.get(name)
    if role is None or not isinstance(thing, QWidget):
        return None
    with suppress(ImportError):
        from PySide6.QtWidgets import QAccessibleWidget  # not in every version that the window runs on

        return QAccessibleWidget(thing, role, thing.accessibleName())
    return None


def announce_text(widget: QWidget, text: str) -> None:
    """Let a screen reader say a text now, for something that it has no other way to know."""
    if text:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))
