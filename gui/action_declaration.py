"""The declaration of a menu action."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ActionRow:
    """One menu action. ``slot`` names a method of one of the command objects.

    ``needs`` is the condition that enables it: "" or a key of ``gui.action_requirements.NOTHING``.
    ``local`` keys act only inside the message lists. ``group`` makes it one of several exclusive choices
    in a submenu with that name. ``separator_before`` draws a line above it. ``shows_inspect`` shows the
    Inspect view before it runs.
    """

    id: str
    menu: str
    text: str
    tip: str
    slot: str
    keys: tuple[str, ...] = ()
    needs: str = ""
    local: bool = False
    group: str = ""
    checkable: bool = False
    separator_before: bool = False
    shows_inspect: bool = False
