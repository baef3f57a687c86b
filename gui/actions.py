"""The actions of a window, made from their table: what they are called, and when they are enabled."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from gui.action_declaration import ActionRow
from gui.action_requirements import missing_needs
from gui.action_table import ACTIONS
from gui.language import tr


class ActionSet(QObject):
    """The QActions of a window by id, and which of them are enabled."""

    page_wanted = Signal()  # before an action that is seen on the page of the transcript alone

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._by_id: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._lacks: dict[str, str] = {}
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
        if row.on_page:
            action.triggered.connect(self.page_wanted)
        if row.group:
            self._group(row.group).addAction(action)
        if row.local:
            action.setProperty("shortcutContext", "WidgetWithChildrenShortcut")
        else:
            parent.addAction(action)
        return action

    def trigger(self, id: str) -> None:
        """Do what an action does, as its menu does; nothing where it is disabled."""
        self._by_id[id].trigger()

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

    def enable(self, lacks: Mapping[str, str]) -> None:
        """Enable each action by what its need lacks now (``gui.action_requirements.missing_needs``); the
        tooltips of the others say that."""
        changed = {need for need, lack in lacks.items() if self._lacks.get(need) != lack}
        self._lacks |= lacks
        for row in ACTIONS:
            if row.needs in changed:
                lack, action = lacks[row.needs], self._by_id[row.id]
                action.setEnabled(not lack)
                action.setToolTip(f"{_tip(row)}\n{tr(lack)}" if lack else _tip(row))

    def tip(self, id: str) -> str:
        """What an action does, and its key; for what stands for it elsewhere."""
        return next(_tip(row) for row in ACTIONS if row.id == id)

    def lack(self, id: str) -> str:
        """Why an action is disabled now, "" where it is not."""
        needs = next(row.needs for row in ACTIONS if row.id == id)
        return tr(self._lacks[needs]) if needs else ""

    def check(self, id: str) -> None:
        """Mark one of several exclusive choices."""
        self._by_id[id].setChecked(True)

    def fill(self, menus: dict[str, QMenu]) -> None:
        """Fill the menus of MENUS, given by name; submenus are added to the dictionary."""
        for row in ACTIONS:
            menu = menus[row.menu]
            menu.setToolTipsVisible(True)  # of what is disabled they say why
            if row.rule:
                menu.addSeparator()
            if row.group:
                if row.group not in menus:
                    menus[row.group] = menu.addMenu(tr(row.group))
                menu = menus[row.group]
            menu.addAction(self._by_id[row.id])


def _tip(row: ActionRow) -> str:
    tip = tr(row.tip)
    return f"{tip} ({row.keys[0]})" if row.keys else tip
