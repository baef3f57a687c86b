"""The list of keys has every key of the window: those of actions, and those that widgets handle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from gui.action_table import ACTIONS
from gui.help.keys_page import FURTHER_KEYS
from tests.source_tree import files, name_of, tree

_TOLD = {key for row in ACTIONS for key in row.keys} | {
    key for keys, _ in FURTHER_KEYS for key in keys.split()
}
_SAVE = "StandardKey.Save"
_WRITTEN = re.compile(r"(Ctrl|Alt|Shift)\+\w+")
_NAMES = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}
_COMMON = {"Return", "Escape", "Tab", "PageUp", "PageDown"}
"""Keys that do the same in every program; Return is listed as Enter."""


def assigned_keys() -> Iterator[tuple[str, str]]:
    """Yield each key that a widget handles, and its file; as text ("Ctrl+F") or as Qt.Key.Key_F."""
    for path in files("gui"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Attribute) and node.attr.startswith("Key_"):
                yield _told(node.attr), name_of(path)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                if _WRITTEN.fullmatch(node.value):
                    yield node.value, name_of(path)
            elif isinstance(node, ast.Attribute) and ast.unparse(node).endswith(_SAVE):
                yield "Ctrl+S", name_of(path)


def _told(name: str) -> str:
    plain = name.removeprefix("Key_")
    return _NAMES.get(plain) or (QKeySequence(Qt.Key[name]).toString() if "Bracket" in plain else plain)


def test_no_key_is_missing_in_the_map() -> None:
    handled = {key: place for key, place in assigned_keys() if key not in _COMMON}
    assert {"Ctrl+F", "Ctrl+S", "[", "0", "A"} <= handled.keys()
    assert {key: place for key, place in handled.items() if key not in _TOLD} == {}
