"""Builds the window's QActions from the action table and enables them."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from gui.action_requirements import missing_needs
from gui.action_table import ACTIONS, ActionRow
from gui.language import tr


class ActionSet(QObject):
    page_wanted = Signal()  # emitted before an action that is only visible in the Inspect view

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._by_id: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._reasons: dict[str, str] = {}
        for row in ACTIONS:
            self._by_id[row.id] = self._make(row, parent)
        self.enable(missing_needs(None, None, selects=False, busy=False))

    def __getitem__(self, id: str) -> QAction:
        return self._by_id[id]

    def _make(self, row: ActionRow, parent: QWidget) -> QAction:
        action = QAction(tr(row.text), self)
        action.setObjectName(row.id)
        action.setShortcuts([QKeySequence(key) for key in row.keys])
        action.setToolTip(_tip(row))
        action.setStatusTip("")
        action.setCheckable(bool(row.group) or row.checkable)
        if row.shows_inspect:
            action.triggered.connect(self.page_wanted)
        if row.group:
            self._group(row.group).addAction(action)
        if row.local:
            action.setProperty("shortcutContext", "WidgetWithChildrenShortcut")
        else:
            parent.addAction(action)
        return action

    def trigger(self, id: str) -> None:
        """Trigger an action as its menu does; a disabled action does nothing."""
        self._by_id[id].trigger()

    def connect_to(self, workspace: QObject) -> None:
        """Let the actions call the slots of the workspace."""
        self._workspace = workspace
        for action in self._by_id.values():
            action.triggered.connect(self._on_triggered)

    def _on_triggered(self, checked: bool) -> None:
        row = next(row for row in ACTIONS if row.id == self.sender().objectName())
        slot = attrgetter(row.slot)(self._workspace)
        if row.checkable:
            slot(checked)
        elif row.argument is not None:
            slot(row.argument)
        else:
            slot()

    def _group(self, name: str) -> QActionGroup:
        if name not in self._groups:
            self._groups[name] = QActionGroup(self)
        return self._groups[name]

    def add_local_keys(self, widget: QWidget) -> None:
        for row in ACTIONS:
            if row.local:
                widget.addAction(self._by_id[row.id])

    def enable(self, reasons: Mapping[str, str]) -> None:
        """Enable the actions whose need is met; the tooltips of the others say what is missing."""
        changed = {need for need, reason in reasons.items() if self._reasons.get(need) != reason}
        self._reasons |= reasons
        for row in ACTIONS:
            if row.needs in changed:
                reason, action = reasons[row.needs], self._by_id[row.id]
                action.setEnabled(not reason)
                action.setToolTip(f"{_tip(row)}\n{tr(reason)}" if reason else _tip(row))

    def tip(self, id: str) -> str:
        return next(_tip(row) for row in ACTIONS if row.id == id)

    def disabled_reason(self, id: str) -> str:
        """Return why an action is disabled now, "" if it is enabled."""
        needs = next(row.needs for row in ACTIONS if row.id == id)
        return tr(self._reasons[needs]) if needs else ""

    def check(self, id: str) -> None:
        self._by_id[id].setChecked(True)

    def fill(self, menus: dict[str, QMenu]) -> None:
        """Fill the menus, given by name; submenus are added to the dictionary."""
        for row in ACTIONS:
            menu = menus[row.menu]
            menu.setToolTipsVisible(True)  # the tooltip of a disabled action says why
            if row.separator_before:
                menu.addSeparator()
            if row.group:
                if row.group not in menus:
                    menus[row.group] = menu.addMenu(tr(row.group))
                menu = menus[row.group]
            menu.addAction(self._by_id[row.id])


def _tip(row: ActionRow) -> str:
    tip = tr(row.tip)
    return f"{tip} ({row.keys[0]})" if row.keys else tip
