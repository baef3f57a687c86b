"""The list of keys as a page of the help, made from the table of actions."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence

from core.presentation.help_pages import GROUPS, HelpPage
from gui.action_table import ACTIONS
from gui.language import tr
from gui.widgets.basic_widgets import MENU_TITLES

KEYS = "keys"
"""The name of the page; it has no file."""
FURTHER_KEYS = (
    ("← →", "Fold, unfold; on a ruler handle: next valid boundary (Shift: ten)"),
    ("Home End", "On a ruler handle: first and last valid boundary"),
    ("Enter Esc 0", "On the ruler: why the cut is there; put it back while it moves; show all"),
    ("Enter O", "In Losses: the message with the fact, the one that holds it in the result"),
    ("A B", "In Compare: mark the row as A or B; Enter opens it"),
    ("S R", "In Compare: sort by the next column (Shift: the one before); turn the order round"),
    ("← → Space", "In Over time: request by request (Shift: ten); play"),
    ("Home End", "In Over time: first and last request"),
    ("← → ↑ ↓", "In a plot: from point to point; Enter chooses it"),
    ("Esc", "On compared runs: back to the preview"),
    ("Ctrl+F", "In Settings, Sessions and Help: search"),
    ("Ctrl+S", "In the prompts window: save the text"),
    ("Alt+Left", "In Help: the page before"),
)
"""Keys that belong to no action."""


def keys_page() -> HelpPage:
    """Return all keys: menu by menu, then those of single widgets."""
    head = (f"| {tr('Keys')} | {tr('Action')} | {tr('What it does')} |", "| --- | --- | --- |")
    lines = [f"# {tr('Keys')}"]
    for menu in MENU_TITLES:
        rows = [(row.keys, tr(row.text), tr(row.tip)) for row in ACTIONS if row.menu == menu and row.keys]
        if rows:
            lines += ["", f"## {tr(menu)}", *head]
            lines += [
                f"| {' · '.join(map(_marked, _names(keys)))} | {text.rstrip('… ')} | {tip} |"
                for keys, text, tip in rows
            ]
    lines += ["", f"## {tr('In one place')}", head[0].replace(tr("Action"), tr("Where")), head[1]]
    lines += [
        f"| {_marked(keys)} | {place} | {tip_text} |"
        for keys, place, tip_text in map(_further_row, FURTHER_KEYS)
    ]
    return HelpPage(KEYS, tr("Keys"), GROUPS[0], "\n".join([*lines, ""]))


def _further_row(row: tuple[str, str]) -> tuple[str, str, str]:
    """Return keys, where they apply, and what they do."""
    keys, text = row[0], tr(row[1])
    place, colon, description = text.partition(":")
    return (keys, place, description.strip()) if colon and place.count(" ") < 4 else (keys, "", text)


def native_keys(keys: tuple[str, ...]) -> str:
    return " · ".join(_names(keys))


def _names(keys: tuple[str, ...]) -> list[str]:
    return [QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) or key for key in keys]


def _marked(keys: str) -> str:
    return f"`{keys}`" if "`" not in keys else keys
