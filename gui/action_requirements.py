"""The conditions that actions need, and the sentence for each condition that is not met."""

from __future__ import annotations

from collections.abc import Mapping

from core.presentation.dialog_model import FileOpenedEvent
from core.presentation.model import Screen

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
