"""What the links of the page of a transcript do that lead to no message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from gui.backend import BackendClient

if TYPE_CHECKING:
    from gui.inspect.inspect_page import InspectPage


def page_links(page: InspectPage, session: BackendClient) -> Mapping[str, Callable[[str], object]]:
    """What to do with the place of a link, by what the link begins with."""
    return {
        "cut": page.look_cut,
        "run": lambda _: page.look_run(),
        "scope": session.set_scope,
        "strategy": session.set_strategy,
        "probes": lambda _: page.probes_wanted.emit(),
        "pin-all": lambda _: session.pin_constraints(),
        "beside": lambda number: session.show_recorded(int(number)),
        "conversation": lambda number: page.conversation_wanted.emit(int(number)),
        "sentence": lambda number: page.choose_sentence(int(number)),
        "put-back": lambda index: session.put_back(int(index), True),
        "let-go": lambda index: session.put_back(int(index), False),
    }
