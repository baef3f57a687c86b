"""The sessions on this machine, for the window and for commands."""

from __future__ import annotations

import time
from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from core.app import late
from core.common.errors import Cancelled
from core.formats.discovery.find_sessions import find_sessions
from core.formats.discovery.session_contents import (
    MAX_MEASURED_SIZE,
    SessionListing,
    chosen_sessions,
    last_message,
    measure_session,
    read_session_header,
)

if TYPE_CHECKING:
    from core.analysis.live_sessions import LiveSession, SessionWatch
    from core.formats.discovery.session_contents import SessionFilter
    from core.settings_store.layers import SettingLayers

_STEP_SECONDS = 0.05
"""Work between two answers; one file may take longer, and is interrupted by a change of
settings."""

MOST = 2_000
"""Sessions in the list; older ones are only counted."""
MOST_LIVE = 50
"""Sessions that are measured while agents write them; of older ones nothing is said but how many
they are."""
RECENT_MINUTES = 60
"""A session is live if it was written to in the last so many minutes."""


class CancellableWorkspace(Protocol):
    """Settings, and whether work is still wanted: of a window, or of a command line."""

    @property
    def layers(self) -> SettingLayers: ...

    def is_cancelled(self) -> bool: ...

    def check(self) -> None:
        """Raise Cancelled where the user cancelled or something newer waits."""
        ...


class SessionService:
    """Lists sessions, then reads their first prompts, then counts, newest first."""

    def __init__(self, workspace: CancellableWorkspace) -> None:
        self._workspace = workspace
        self._listing: SessionListing | None = None
        self._watch: SessionWatch | None = None
        self.recent = 0

    def sessions(
        self,
        folders: tuple[str, ...],
        chosen: SessionFilter | None = None,
        *,
        newest: int = MOST,
        counts: bool = True,
    ) -> Generator[SessionListing, None, None]:
        """Yield the sessions in the agents' folders and in ``folders``, as far as they are known.

        Only those that are ``chosen``; InputError where its agent has none. Without ``counts`` none
        is counted.
        """
        extra_folders = tuple(map(Path, folders))
        self._watch = None  # all are measured again
        search = find_sessions(extra_folders=extra_folders, check=self._workspace.check)
        check = self._workspace.check
        if chosen:
            found = chosen_sessions(search.sessions, chosen, check)
        else:
            found = search.sessions
        listing = self._listing = SessionListing(
            search=search,
            extra_folders=extra_folders,
            sessions=found[:newest],
            total=len(found),
        )
        listing.end = len(listing.sessions)
        yield listing
        for read in (self._read_headers, self._measure)[: 1 + counts]:
            listing.end = 0
            while listing.end < len(listing.sessions):
                listing.start = listing.end
                listing.end = read(listing)
                yield listing

    def live(
        self,
        folders: tuple[str, ...],
        minutes: int = RECENT_MINUTES,
        *,
        only: bool = False,
        is_capped: bool = True,
        newest: int = MOST_LIVE,
    ) -> Generator[LiveSession, None, None]:
        """Yield the sessions that agents have written to since the last call; a newer call
        interrupts.

        ``only``: of ``folders`` alone; ``is_capped``: without those that are too large to count in
        a list; ``newest``: at most so many, as each is compacted. ``recent`` is how many there are.
        """
        values, self._watch = (
            self._workspace.layers.resolve(),
            self._watch or late.SessionWatch(),
        )
        found = late.recent_sessions(tuple(map(Path, folders)), minutes, only=only)
        sessions = [
            one for one in found if one.size <= MAX_MEASURED_SIZE or not is_capped
        ]
        self.recent = len(sessions)
        measure = partial(
            late.measure_live,
            values=values,
            progress=lambda *_: self._workspace.check(),
        )
        yield from self._watch.look(sessions[:newest], measure)

    def last_message(self, path: str) -> str:
        """Return the last message of a listed session; other files are not opened."""
        if self._listing is not None:
            sessions = self._listing.sessions
        else:
            sessions = ()
        session = next((one for one in sessions if str(one.path) == path), None)
        if session is None:
            return ""
        return late.last_message_text(last_message(session, self._workspace.check))

    def _read_headers(self, listing: SessionListing) -> int:
        """Read the beginnings of the next sessions; returns how many are read."""
        end = time.monotonic() + _STEP_SECONDS
        while len(listing.headers) < len(listing.sessions) and time.monotonic() < end:
            listing.headers.append(
                read_session_header(listing.sessions[len(listing.headers)])
            )
        return len(listing.headers)

    def _measure(self, listing: SessionListing) -> int:
        """Count the next sessions; one that a change of settings interrupts is counted in the next
        step."""
        end = time.monotonic() + _STEP_SECONDS
        try:
            while len(listing.sizes) < len(listing.sessions) and time.monotonic() < end:
                session = listing.sessions[len(listing.sizes)]
                try:
                    listing.sizes.append(
                        measure_session(session, lambda *_: self._workspace.check())
                    )
                except Exception as error:  # one file ends no list
                    listing.fail(len(listing.sizes), error)
        except Cancelled:
            if self._workspace.is_cancelled():
                raise
        return len(listing.sizes)
