"""The sessions on this machine."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.app.rpc import Service, remote
from core.common.errors import Cancelled
from core.presentation.dialog_model import SessionRow, SessionRows

if TYPE_CHECKING:
    from core.app.live_sessions import LiveSession, SessionWatch
    from core.app.session import Session
    from core.formats.discovery.find_sessions import SessionFile, SessionSearch
    from core.formats.discovery.session_contents import SessionHeader, SessionSizes

_STEP_SECONDS = 0.05
"""Work between two answers; one file may take longer, and is interrupted by a change of settings."""

MOST = 2_000
"""Sessions in the list; older ones are only counted."""


@dataclass(slots=True)
class _SessionListing:
    """The sessions found and read so far; ``heads`` and ``sizes`` are those of the first ones."""

    search: SessionSearch
    extra_folders: tuple[Path, ...]
    sessions: tuple[SessionFile, ...]
    heads: list[SessionHeader] = field(default_factory=list)
    sizes: list[SessionSizes | None] = field(default_factory=list)


class SessionService(Service):
    """Lists sessions, then reads their first prompts, then counts, newest first."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._reporter = session.reporter(stops_for_newer=True)
        self._listing: _SessionListing | None = None
        self._watch: SessionWatch | None = None

    @remote(latest=True)
    def sessions(self, folders: tuple[str, ...]) -> Generator[SessionRows, None, None]:
        """Yield the sessions in the agents' folders and in ``folders``, as far as they are known."""
        from core.formats.discovery.find_sessions import find_sessions

        extra_folders = tuple(map(Path, folders))
        self._watch = None  # all are measured again
        search = find_sessions(extra_folders=extra_folders, check=self._reporter.check)
        listing = self._listing = _SessionListing(search, extra_folders, search.sessions[:MOST])
        yield _rows(listing, 0, len(listing.sessions), is_new=True)
        while len(listing.heads) < len(listing.sessions):
            start = len(listing.heads)
            self._read_heads(listing)
            yield _rows(listing, start, len(listing.heads))
        while len(listing.sizes) < len(listing.sessions):
            start = len(listing.sizes)
            self._measure(listing)
            yield _rows(listing, start, len(listing.sizes))

    @remote(latest=True)
    def live(self, folders: tuple[str, ...]) -> Generator[SessionRow, None, None]:
        """Yield the sessions that agents have written to since the last call; a newer call interrupts."""
        from core.app.live_sessions import SessionWatch, measure_live, recent_sessions
        from core.formats.discovery.session_contents import MAX_MEASURED_SIZE

        values = self._session.layers.resolve()
        self._watch = self._watch or SessionWatch()
        recent = recent_sessions(tuple(map(Path, folders)))
        sessions = {session.path: session for session in recent if session.size <= MAX_MEASURED_SIZE}
        measure = partial(measure_live, values=values, progress=lambda *_: self._reporter.check())
        for live in self._watch.look(sessions.values(), measure):
            yield _live_row(sessions[live.path], live)

    @remote(latest=True)
    def last_message(self, path: str) -> str:
        """Return the last message of a listed session; other files are not opened."""
        from core.formats.discovery.session_contents import last_message
        from core.presentation.session_rows import last_message_text

        sessions = self._listing.sessions if self._listing is not None else ()
        session = next((one for one in sessions if str(one.path) == path), None)
        return "" if session is None else last_message_text(last_message(session, self._reporter.check))

    def _read_heads(self, listing: _SessionListing) -> None:
        from core.formats.discovery.session_contents import read_session_header

        end = time.monotonic() + _STEP_SECONDS
        while len(listing.heads) < len(listing.sessions) and time.monotonic() < end:
            listing.heads.append(read_session_header(listing.sessions[len(listing.heads)]))

    def _measure(self, listing: _SessionListing) -> None:
        """Count the next sessions; one that a change of settings interrupts is counted in the next step."""
        from core.formats.discovery.session_contents import measure_session

        end = time.monotonic() + _STEP_SECONDS
        try:
            while len(listing.sizes) < len(listing.sessions) and time.monotonic() < end:
                session = listing.sessions[len(listing.sizes)]
                listing.sizes.append(measure_session(session, lambda *_: self._reporter.check()))
        except Cancelled:
            if self._reporter.is_cancelled():
                raise


def _rows(listing: _SessionListing, start: int, end: int, *, is_new: bool = False) -> SessionRows:
    from core.presentation.session_rows import folders_text, searched_text

    unreadable = [head.problem for head in listing.heads if head.problem]
    return SessionRows(
        start,
        len(listing.search.sessions),
        tuple(_row(listing, index) for index in range(start, end)),
        folders_text(listing.search, len(unreadable), Path.home()),
        searched_text(listing.extra_folders, Path.home()),
        (*listing.search.problems, *unreadable),
        len(listing.sizes) == len(listing.sessions),
        is_new,
    )


def _live_row(session: SessionFile, live: LiveSession) -> SessionRow:
    from core.app.live_sessions import status_line, trigger_text
    from core.formats.discovery.session_contents import read_session_header
    from core.presentation.session_rows import session_row

    row = session_row(session, read_session_header(session), live.sizes, datetime.now(), Path.home(), True)
    distance = "" if live.problem else trigger_text(live)
    is_at_trigger = live.requests_left == 0
    return replace(row, trigger_distance=status_line(live), trigger_in=distance, is_at_trigger=is_at_trigger)


def _row(listing: _SessionListing, index: int) -> SessionRow:
    from core.formats.discovery.session_contents import cached_sizes
    from core.presentation.session_rows import session_row

    session = listing.sessions[index]
    is_counted = index < len(listing.sizes)
    head = listing.heads[index] if index < len(listing.heads) else None
    sizes = listing.sizes[index] if is_counted else cached_sizes(session)
    return session_row(session, head, sizes, datetime.now(), Path.home(), is_counted)
