"""Keeps the lists at what the filter bar asks for, whatever preview is shown."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import QObject

from core.common.errors import InputError
from core.presentation.filter.query import NOTED, parse_filter
from core.presentation.filter.row_filter import carried_mask
from core.presentation.lists.model import RowsFilteredEvent
from core.presentation.lists.row_wording import matches_words
from core.presentation.model import Screen
from gui.backend import BackendClient
from gui.inspect.lists.list_pair import LinkedLists
from gui.inspect.ruler.ruler_widget import Ruler
from gui.language import tr

_TRIES = 3


class FilterController(QObject):
    """Asks the worker, and asks again where something newer came first or another preview is shown."""

    def __init__(self, session: BackendClient, lists: LinkedLists, ruler: Ruler) -> None:
        super().__init__(lists)
        self._session, self._lists, self._ruler = session, lists, ruler
        self._bar = lists.filter_bar
        self._wanted = ""
        self._tries = 0  # that are left until the answer is there
        self._before = b""
        self._bar.asked.connect(self._on_asked)
        self._bar.closed.connect(self._on_left)
        self._bar.entered.connect(self._on_left)
        session.filtered.connect(self._on_filtered)
        session.marked.connect(self._on_noted)
        session.pinned.connect(self._on_noted)
        session.screen.connect(self._on_screen)
        session.idle.connect(self._on_idle)

    def open_bar(self, text: str | None = None) -> None:
        """Show the bar; ``text`` is asked for at once."""
        self._bar.open_bar(text)

    def clear(self) -> None:
        """The transcript is gone, and what was asked of it."""
        self._bar.clear()

    def _on_asked(self, text: str) -> None:
        self._wanted = text
        if text:
            self._ask()
        else:
            self._show(b"", b"")

    def _ask(self) -> None:
        self._tries = _TRIES
        self._session.filter_rows(self._wanted)

    def _on_screen(self, screen: Screen) -> None:
        """Until the answer for another preview is there, what stays of the source messages is shown."""
        if not self._wanted:
            return
        if len(self._before) == len(screen.before):
            self._show(self._before, carried_mask(self._before, screen.origin))
        if not screen.draft:
            self._ask()

    def _on_filtered(self, found: RowsFilteredEvent) -> None:
        if found.text != self._wanted:
            return
        self._tries = 0
        if found.error:
            self._bar.show_reason(found.error, found.hint)
            return
        self._show(found.before, found.after)
        self._bar.show_found(tr(matches_words(found.before, found.after)), found.tools)

    def _on_noted(self) -> None:
        """Other messages carry marks, pins or notes, which the query may ask for."""
        with suppress(InputError):  # a query that says nothing yet asks for none of them
            if any(term.key in NOTED for term in parse_filter(self._wanted).terms):
                self._ask()

    def _on_idle(self) -> None:
        """An answer is missing: something newer was asked before it was found."""
        if self._wanted and self._tries:
            self._tries -= 1
            self._session.filter_rows(self._wanted)

    def _show(self, before: bytes, after: bytes) -> None:
        self._before = before
        self._lists.set_masks(before, after)
        self._ruler.set_matches(before)

    def _on_left(self) -> None:
        """Back to the rows."""
        side, _ = self._lists.current()
        self._lists.side(side or "before").setFocus()
