"""Applies the query of the filter bar to the lists and the ruler."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import QObject

from core.app.services.lists import MessageListService
from core.common.errors import InputError
from core.presentation.filter.query import USER_MARK_KEYS, parse_filter
from core.presentation.filter.row_filter import carried_mask
from core.presentation.lists.model import FilterMatches
from core.presentation.lists.row_wording import matches_words
from core.presentation.model import Notice, Screen
from gui.backend import BackendClient
from gui.inspect.lists.list_pair import LinkedLists
from gui.inspect.ruler.ruler_widget import Ruler
from gui.language import tr


class FilterController(QObject):
    """Requests the matches of the query, and again if the preview changes."""

    def __init__(self, session: BackendClient, lists: LinkedLists, ruler: Ruler) -> None:
        super().__init__(lists)
        self._session, self._lists, self._ruler = session, lists, ruler
        self._bar = lists.filter_bar
        self._query = ""
        self._before_mask = b""
        self._bar.filter_requested.connect(self._on_query)
        self._bar.closed.connect(self._focus_list)
        self._bar.entered.connect(self._focus_list)
        session.screen.connect(self._on_screen)

    def open_bar(self, text: str | None = None) -> None:
        """Show the bar; ``text`` is searched at once."""
        self._bar.open_bar(text)

    def clear(self) -> None:
        self._bar.clear()

    def _on_query(self, text: str) -> None:
        self._query = text
        if text:
            self._request()
        else:
            self._show(b"", b"")

    def _request(self) -> None:
        call = self._session.call(MessageListService.filter, self._query)
        call.done(self._on_matches).failed(self._on_refused)

    def _on_screen(self, screen: Screen) -> None:
        """Show the previous matches of source messages until those of the new preview arrive."""
        if not self._query:
            return
        if len(self._before_mask) == len(screen.before):
            self._show(self._before_mask, carried_mask(self._before_mask, screen.origin))
        if not screen.draft:
            self._request()

    def _on_matches(self, matches: FilterMatches) -> None:
        if self._query:
            self._show(matches.before, matches.after)
            self._bar.show_matches(tr(matches_words(matches.before, matches.after)), matches.tools)

    def _on_refused(self, notice: Notice) -> None:
        if self._query:
            self._bar.show_reason(notice.title, notice.text)

    def on_marks_changed(self) -> None:
        """Marks, pins or notes changed, which the query may ask for."""
        with suppress(InputError):  # an invalid query matches none of them
            if any(term.key in USER_MARK_KEYS for term in parse_filter(self._query).terms):
                self._request()

    def _show(self, before: bytes, after: bytes) -> None:
        self._before_mask = before
        self._lists.set_masks(before, after)
        self._ruler.set_matches(before)

    def _focus_list(self) -> None:
        side, _ = self._lists.current_message()
        self._lists.side(side or "before").setFocus()
