"""The map of keys has every key of the window: those of actions, and those that widgets take themselves."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from gui.action_table import ACTIONS
from gui.help.keys_page import OTHERS
from tests.source_tree import files, name_of, tree

_TOLD = {key for row in ACTIONS for key in row.keys} | {key for keys, _ in OTHERS for key in keys.split()}
_SAVE = "StandardKey.Save"
_WRITTEN = re.compile(r"(Ctrl|Alt|Shift)\+\w+")
_NAMES = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}
_UNTOLD = {"Return", "Escape", "Tab", "PageUp", "PageDown"}
"""What these do every program does; Return is told as Enter."""


def taken() -> Iterator[tuple[str, str]]:
    """Each key that a widget takes, and the file; as text ("Ctrl+F") or as Qt.Key.Key_F."""
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
    found = {key: place for key, place in taken() if key not in _UNTOLD}
    assert {"Ctrl+F", "Ctrl+S", "[", "0", "A"} <= found.keys()
    assert {key: place for key, place in found.items() if key not in _TOLD} == {}
