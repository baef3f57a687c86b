"""What the command bar lists: actions by what is typed, and completions of a line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.view.settings_values import Completions
from gui.action_row import ActionRow
from gui.action_table import ACTIONS
from gui.language import tr

LINE = "/"
"""What begins with this is a line for the core; all else filters actions."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One row. ``action`` is the id of an action; without one, ``insert`` completes the line."""

    title: str
    about: str
    note: str = ""
    action: str = ""
    insert: str = ""


def is_line(text: str) -> bool:
    """True for a line that the core understands."""
    return text.lstrip().startswith(LINE)


def action_offers(text: str, enabled: Iterable[str]) -> tuple[Offer, ...]:
    """The actions that can be done now and hold every word of ``text``, those that begin with it first."""
    words, can = text.casefold().split(), set(enabled)
    found = [row for row in ACTIONS if row.id in can and _holds(row, words)]
    found.sort(key=lambda row: _rank(_title(row).casefold(), words))
    return tuple(Offer(_title(row), tr(row.tip), row.keys[0] if row.keys else "", row.id) for row in found)


def _rank(title: str, words: list[str]) -> int:
    """Titles that begin so come first, then those that hold the words, then the rest."""
    if title.startswith(" ".join(words)):
        return 0
    return 1 if all(word in title for word in words) else 2


def _title(row: ActionRow) -> str:
    name = tr(row.text).removesuffix("…").rstrip()
    return f"{tr(row.group)}: {name}" if row.group else name


def _holds(row: ActionRow, words: list[str]) -> bool:
    """Whether a row is meant: in the window's language, or in English."""
    shown = (_title(row), tr(row.tip), tr(row.menu))
    text = " ".join((*shown, row.group, row.text, row.tip, row.menu)).casefold()
    return all(word in text for word in words)


def line_offers(completions: Completions) -> tuple[Offer, ...]:
    """The completions of a line."""
    return tuple(Offer(title, about, insert=insert) for insert, title, about in completions.entries)


def completed(text: str, cursor: int, start: int, insert: str) -> tuple[str, int]:
    """``text`` with ``insert`` in place of the word at the cursor, and where the cursor goes."""
    end = cursor
    while end < len(text) and not text[end].isspace():
        end += 1
    if insert.endswith(" ") and text[end : end + 1] == " ":
        end += 1
    return text[:start] + insert + text[end:], start + len(insert)
