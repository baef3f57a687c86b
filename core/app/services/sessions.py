"""The session browser: a little work per command, so that nothing waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from core.app.messages import Event, LoadSessionsCommand
from core.common.errors import Cancelled
from core.formats.discovery.find_sessions import SessionFile, SessionSearch, find_sessions
from core.formats.discovery.first_prompts import SessionHeader, read_head
from core.formats.discovery.last_messages import last_message
from core.formats.discovery.session_sizes import SessionSizes, known_sizes, measure_session
from core.presentation.sessions.model import SessionRow, SessionRowsEvent
from core.presentation.sessions.session_rows import folders_text, session_end, session_row

_SECONDS = 0.1
"""Work per command; one file may take longer, and is interrupted by any other command."""

MOST = 2_000
"""Sessions in the list; older ones are only counted."""


@dataclass(slots=True)
class _SessionListing:
    """The sessions found and read so far; ``heads`` and ``sizes`` are those of the first ones."""

    search: SessionSearch
    sessions: tuple[SessionFile, ...]
    heads: list[SessionHeader] = field(default_factory=list)
    sizes: list[SessionSizes | None] = field(default_factory=list)


class SessionsCommandHandler:
    """Lists sessions, then reads their first prompts, then counts, newest first."""

    def __init__(self, emit: Callable[[Event], None], interrupted: Callable[[], str]) -> None:
        self._emit = emit
        self._interrupted = interrupted
        self._listing: _SessionListing | None = None
        self._generation = 0

    def handle(self, command: LoadSessionsCommand) -> None:
        """Start or continue; the event says whether there is more to do."""
        if command.end_of:
            self._read_end(command.end_of)
        elif command.is_first or self._listing is None:
            self._begin(command)
        elif len(self._listing.heads) < len(self._listing.sessions):
            self._read_heads(self._listing)
        else:
            self._count(self._listing)

    def _begin(self, command: LoadSessionsCommand) -> None:
        search = find_sessions(extra=[Path(folder) for folder in command.folders], check=self._check)
        self._generation += 1
        self._listing = _SessionListing(search, search.sessions[:MOST])
        self._send(self._listing, 0, len(self._listing.sessions))

    def _read_heads(self, listing: _SessionListing) -> None:
        start, end = len(listing.heads), time.monotonic() + _SECONDS
        while len(listing.heads) < len(listing.sessions) and time.monotonic() < end:
            self._check()
            listing.heads.append(read_head(listing.sessions[len(listing.heads)]))
        self._send(listing, start, len(listing.heads))

    def _read_end(self, path: str) -> None:
        """Send the last message of a session in the list; others are not opened."""
        sessions = self._listing.sessions if self._listing is not None else ()
        session = next((one for one in sessions if str(one.path) == path), None)
        if session is not None:
            self._emit(session_end(session, last_message(session, self._check)))

    def _count(self, listing: _SessionListing) -> None:
        start, end = len(listing.sizes), time.monotonic() + _SECONDS
        while len(listing.sizes) < len(listing.sessions) and time.monotonic() < end:
            listing.sizes.append(measure_session(listing.sessions[len(listing.sizes)], self._progress))
        self._send(listing, start, len(listing.sizes))

    def _send(self, listing: _SessionListing, start: int, end: int) -> None:
        rows = tuple(self._row(listing, index) for index in range(start, end))
        unreadable = [head.problem for head in listing.heads if head.problem]
        self._emit(
            SessionRowsEvent(
                self._generation,
                start,
                len(listing.search.sessions),
                rows,
                folders_text(listing.search, len(unreadable)),
                (*listing.search.problems, *unreadable),
                len(listing.sizes) == len(listing.sessions),
            )
        )

    def _row(self, listing: _SessionListing, index: int) -> SessionRow:
        session = listing.sessions[index]
        is_counted = index < len(listing.sizes)
        head = listing.heads[index] if index < len(listing.heads) else None
        sizes = listing.sizes[index] if is_counted else known_sizes(session)
        return session_row(session, head, sizes, datetime.now(), Path.home(), is_counted)

    def _check(self) -> None:
        if self._interrupted() in ("cancel", "newer"):
            raise Cancelled

    def _progress(self, fraction: float, text: str) -> None:
        self._check()
