"""What is declared of an action."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ActionRow:
    """One action. ``slot`` names a method of the object that carries actions out.

    ``needs`` is what must hold for it to be enabled: "" or a name of ``gui.action_requirements``. ``local``
    keys act only inside the message lists. ``group`` makes it one of several exclusive choices in a submenu
    of that name. ``rule`` draws a line above. ``on_page``: it is seen on the page of the transcript alone, so
    that this comes up first.
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
    rule: bool = False
    on_page: bool = False
