"""Builds the window's QActions from the action table, and enables those whose condition is met."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from core.presentation.dialog_model import FileOpenedEvent
from core.presentation.model import Screen
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


UNMET_TEXTS: Mapping[str, str] = {
    "open": "No transcript is open.",
    "result": "There is no preview yet.",
    "fold": "There is no preview yet.",
    "undo": "There is no change to take back.",
    "redo": "Nothing was taken back.",
    "selection": "No message is selected.",
    "conversations": "The file holds one conversation.",
    "branches": "The session has one branch.",
    "busy": "Nothing is going on.",
}
"""The sentence for each condition that ``ActionRow.needs`` may name, shown while it is not met."""

_FILE_NEEDS = ("result", "fold", "undo", "redo", "selection", "conversations", "branches")
_TWO_RESULTS_TEXT = "Two results stand beside each other; a preview can be compacted again."


def missing_needs(
    opened: FileOpenedEvent | None, screen: Screen | None, *, selects: bool, busy: bool
) -> dict[str, str]:
    """Return the sentence for each unmet condition, "" for a met one. ``selects``: a message is selected."""
    if opened is None:
        return {
            **UNMET_TEXTS,
            **dict.fromkeys(_FILE_NEEDS, UNMET_TEXTS["open"]),
            "busy": _text_unless(busy, "busy"),
        }
    return {
        "open": "",
        "result": _text_unless(screen is not None, "result"),
        "fold": _why_not_compactable(screen),
        "undo": _text_unless(screen is not None and screen.can_undo, "undo"),
        "redo": _text_unless(screen is not None and screen.can_redo, "redo"),
        "selection": _text_unless(selects, "selection"),
        "conversations": _text_unless(len(opened.conversations) > 1, "conversations"),
        "branches": _text_unless(len(opened.branches) > 1, "branches"),
        "busy": _text_unless(busy, "busy"),
    }


def _text_unless(is_met: bool, need: str) -> str:
    return "" if is_met else UNMET_TEXTS[need]


def _why_not_compactable(screen: Screen | None) -> str:
    """Only a compacted result can be compacted again."""
    if screen is None:
        return UNMET_TEXTS["fold"]
    return _TWO_RESULTS_TEXT if screen.is_beside else screen.no_op
