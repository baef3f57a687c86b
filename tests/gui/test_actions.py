"""The table of actions is complete and reachable, and no key is used twice."""

import ast
import re
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from core.settings_store.layers import SETTINGS
from core.strategies.registry import STRATEGIES
from gui.actions import ACTIONS, UNMET_TEXTS, ActionSet
from gui.help_window import FURTHER_KEYS
from gui.widgets.basic_widgets import MENU_TITLES, with_mnemonics
from tests.gui.wording import is_old_label
from tests.support.source_tree import files, name_of, nodes


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
    assert {one.objectName() for menu in menus.values() for one in menu.actions()} >= {
        r.id for r in ACTIONS
    }
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
    assert (
        branches.isEnabled(),
        branches.toolTip(),
        actions.disabled_reason("branches"),
    ) == (
        True,
        tip,
        "",
    )


_TOLD = {key for row in ACTIONS for key in row.keys} | {
    key for keys, _ in FURTHER_KEYS for key in keys.split()
}
_SAVE = "StandardKey"
_WRITTEN = re.compile(r"(Ctrl|Alt|Shift)\+\w+")
_NAMES = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}
_COMMON = {"Return", "Escape", "Tab", "PageUp", "PageDown"}
"""Keys that do the same in every program; Return is listed as Enter."""


def assigned_keys() -> Iterator[tuple[str, str]]:
    """Yield each key that a widget handles, and its file; as text ("Ctrl+F") or as Qt.Key.Key_F."""
    for path in files("gui"):
        for node in nodes(path):
            if isinstance(node, ast.Attribute) and node.attr.startswith("Key_"):
                yield _told(node.attr), name_of(path)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                if _WRITTEN.fullmatch(node.value):
                    yield node.value, name_of(path)
            elif (
                isinstance(node, ast.Attribute)
                and node.attr == "Save"
                and _SAVE in ast.unparse(node)
            ):
                yield "Ctrl+S", name_of(path)


def _told(name: str) -> str:
    plain = name.removeprefix("Key_")
    return _NAMES.get(plain) or (
        QKeySequence(Qt.Key[name]).toString() if "Bracket" in plain else plain
    )


def test_no_key_is_missing_in_the_map() -> None:
    handled = {key: place for key, place in assigned_keys() if key not in _COMMON}
    assert {"Ctrl+F", "Ctrl+S", "[", "0", "A"} <= handled.keys()
    assert {key: place for key, place in handled.items() if key not in _TOLD} == {}


def test_actions_settings_and_strategies_have_no_old_label() -> None:
    texts = [text for row in ACTIONS for text in (row.text, row.tip, row.group)]
    texts += [
        text
        for setting in SETTINGS
        for text in (setting.label, setting.section, setting.unit)
    ]
    texts += [strategy.about for strategy in STRATEGIES]
    assert [text for text in texts if is_old_label(text)] == []


def test_no_two_menus_open_with_one_key() -> None:
    keys = [
        title[title.index("&") + 1].lower() for title in with_mnemonics(MENU_TITLES)
    ]
    assert len(set(keys)) == len(MENU_TITLES)
