"""The table of actions is complete and reachable, and no key is used twice."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from gui.action_requirements import UNMET_TEXTS
from gui.action_table import ACTIONS
from gui.actions import ActionSet
from gui.widgets.basic_widgets import MENU_TITLES
from tests.gui.window_space import space

__all__ = ["space"]


def test_every_action_is_complete() -> None:
    for row in ACTIONS:
        assert row.menu in MENU_TITLES
        assert row.text
        assert row.tip.endswith(".")
        assert row.needs in {"", *UNMET_TEXTS}


def test_no_id_and_no_key_is_used_twice() -> None:
    keys = [QKeySequence(key).toString() for row in ACTIONS for key in row.keys]
    assert len(keys) == len(set(keys))
    assert all(keys)
    assert len({row.id for row in ACTIONS}) == len(ACTIONS)


def test_menus_hold_every_action_and_enabling_follows_needs(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = ActionSet(window)
    menus = {name: window.menuBar().addMenu(name) for name in MENU_TITLES}
    actions.fill(menus)
    assert {one.objectName() for menu in menus.values() for one in menu.actions()} >= {r.id for r in ACTIONS}
    assert {row.id for row in ACTIONS if actions[row.id].isEnabled()} == {
        r.id for r in ACTIONS if not r.needs
    }


def test_what_is_disabled_says_why_and_forgets_it_again(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = ActionSet(window)
    branches, tip = actions["branches"], actions.tip("branches")
    assert branches.toolTip() == f"{tip}\nNo transcript is open."
    actions.enable({"branches": UNMET_TEXTS["branches"]})
    assert branches.toolTip() == f"{tip}\nThe session has one branch."
    assert actions.disabled_reason("branches") == "The session has one branch."
    actions.enable({"branches": ""})
    assert (branches.isEnabled(), branches.toolTip(), actions.disabled_reason("branches")) == (True, tip, "")
