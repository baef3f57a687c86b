"""The actions of a window, made from their table: what they are called, and when they are enabled."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from gui.action_row import ActionRow
from gui.action_table import ACTIONS
from gui.language import tr

NOTHING = dict.fromkeys(("open", "result", "undo", "selection", "busy"), False)
"""What holds before any file is open."""


class Actions(QObject):
    """The QActions of a window by id, and which of them are enabled."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._by_id: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._holds: dict[str, bool] = {}
        for row in ACTIONS:
            self._by_id[row.id] = self._make(row, parent)

    def __getitem__(self, id: str) -> QAction:
        return self._by_id[id]

    def _make(self, row: ActionRow, parent: QWidget) -> QAction:
        action = QAction(tr(row.text), self)
        action.setObjectName(row.id)
        action.setShortcuts([QKeySequence(key) for key in row.keys])
        tip = tr(row.tip)
        action.setToolTip(f"{tip} ({row.keys[0]})" if row.keys else tip)
        action.setStatusTip("")
        action.setCheckable(bool(row.group) or row.checkable)
        if row.group:
            self._group(row.group).addAction(action)
        if row.local:
            action.setProperty("shortcutContext", "WidgetWithChildrenShortcut")
        else:
            parent.addAction(action)
        return action

    def connect_to(self, *carriers: QObject) -> None:
        """Let objects that have all the slots between them carry the actions out."""
        for row in ACTIONS:
            carrier = next(one for one in carriers if hasattr(one, row.slot))
            self._by_id[row.id].triggered.connect(getattr(carrier, row.slot))

    def _group(self, name: str) -> QActionGroup:
        if name not in self._groups:
            self._groups[name] = QActionGroup(self)
        return self._groups[name]

    def add_local_keys(self, widget: QWidget) -> None:
        """Make the local keys act inside ``widget``."""
        for row in ACTIONS:
            if row.local:
                widget.addAction(self._by_id[row.id])

    def enable(self, holds: Mapping[str, bool]) -> None:
        """Enable each action by what holds now; see ``ActionRow.needs``."""
        changed = {need for need, is_so in holds.items() if self._holds.get(need) is not is_so}
        self._holds |= holds
        for row in ACTIONS:
            if row.needs and row.needs in changed:
                self._by_id[row.id].setEnabled(holds[row.needs])

    def check(self, id: str) -> None:
        """Mark one of several exclusive choices."""
        self._by_id[id].setChecked(True)

    def fill(self, menus: dict[str, QMenu]) -> None:
        """Fill the menus of MENUS, given by name; submenus are added to the dictionary."""
        for row in ACTIONS:
            menu = menus[row.menu]
            if row.rule:
                menu.addSeparator()
            if row.group:
                if row.group not in menus:
                    menus[row.group] = menu.addMenu(tr(row.group))
                menu = menus[row.group]
            menu.addAction(self._by_id[row.id])
