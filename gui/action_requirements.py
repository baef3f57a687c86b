"""The conditions that actions need, and the sentence for each condition that is not met."""

from __future__ import annotations

from collections.abc import Mapping

from core.presentation.model import Screen
from core.presentation.opened_model import FileOpenedEvent

NOTHING: Mapping[str, str] = {
    "open": "No transcript is open.",
    "result": "There is no preview yet.",
    "fold": "There is no preview yet.",
    "undo": "There is no change to take back.",
    "selection": "No message is selected.",
    "conversations": "The file holds one conversation.",
    "branches": "The session has one branch.",
    "busy": "Nothing is going on.",
}
"""The sentence for each condition that ``ActionRow.needs`` may name, shown while it is not met."""

_OF_FILE = ("result", "fold", "undo", "selection", "conversations", "branches")
_BESIDE = "Two results stand beside each other; a preview can be folded again."


def missing_needs(
    opened: FileOpenedEvent | None, screen: Screen | None, *, selects: bool, busy: bool
) -> dict[str, str]:
    """Return the sentence for each unmet condition, "" for a met one. ``selects``: a message is selected."""
    if opened is None:
        return {**NOTHING, **dict.fromkeys(_OF_FILE, NOTHING["open"]), "busy": _unless(busy, "busy")}
    return {
        "open": "",
        "result": _unless(screen is not None, "result"),
        "fold": _against_folding(screen),
        "undo": _unless(screen is not None and screen.can_undo, "undo"),
        "selection": _unless(selects, "selection"),
        "conversations": _unless(len(opened.conversations) > 1, "conversations"),
        "branches": _unless(len(opened.branches) > 1, "branches"),
        "busy": _unless(busy, "busy"),
    }


def _unless(is_met: bool, need: str) -> str:
    return "" if is_met else NOTHING[need]


def _against_folding(screen: Screen | None) -> str:
    """Only a compacted result can be compacted again."""
    if screen is None:
        return NOTHING["fold"]
    return _BESIDE if screen.is_beside else screen.no_op
