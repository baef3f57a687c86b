"""Accessibility beyond names: roles of painted widgets and announcements of what a key did."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from PySide6.QtCore import QObject
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleInterface,
)
from PySide6.QtWidgets import QWidget

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
