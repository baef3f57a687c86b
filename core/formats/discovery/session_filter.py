"""Chooses sessions: by agent, time of the last write, project and text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from core.common.errors import InputError
from core.facts.searched_text import block_texts
from core.formats.common.compressed_files import open_unpacked, packing_of
from core.formats.common.databases import SQLITE_SIGNATURE
from core.formats.common.refused_files import is_zip_head
from core.formats.discovery.find_sessions import SessionFile, no_check
from core.formats.discovery.session_contents import SessionHeader, read_session_header
from core.formats.registry import load_conversation

_AGE = re.compile(r"(\d+)\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_PART_SIZE = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """Empty fields choose every session.

    ``agent`` is its name, in any spelling ("claude-code", "Claude Code"); ``since`` the time of the
    last write in seconds since 1970; ``project`` a folder in which, or below which, the agent
    worked, or the project's name as it is listed; ``search`` a text of the first prompt or of the
    file, in any case.
    """

    agent: str = ""
    since: float = 0.0
    project: str = ""
    search: str = ""

    def __bool__(self) -> bool:
        return bool(self.agent or self.since or self.project or self.search)


def since_time(text: str, now: datetime) -> float:
    """Return the time that a text names, in seconds since 1970: an age ("30m", "12h", "2d", "3w")
    or a date and time as ISO 8601 has them, local where no zone is named. InputError otherwise."""
    if age := _AGE.fullmatch(text.strip().lower()):
        try:
            return (now - timedelta(**{_UNITS[age[2]]: int(age[1])})).timestamp()
        except OverflowError:
            return 0.0
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError):
        raise InputError(
            f"{text!r} is neither an age nor a date.", "Write 30m, 12h, 2d, 3w or 2026-11-28."
        ) from None


def chosen_sessions(
    sessions: Sequence[SessionFile], chosen: SessionFilter, check: Callable[[], None] = no_check
) -> tuple[SessionFile, ...]:
    """Return the sessions that a filter chooses, in their order. InputError where its agent has
    none; ``check`` is called for each and may raise Cancelled."""
    agent = _plain(chosen.agent)
    if agent and agent not in (names := {_plain(name): name for name in map(_agent, sessions)}):
        agents = ", ".join(sorted(filter(None, names.values())))
        hint = f"Agents with sessions here: {agents}." if agents else "No sessions were found."
        raise InputError(f'There is no session of "{chosen.agent}".', hint)
    return tuple(session for session in sessions if _is_chosen(session, chosen, agent, check))


def _is_chosen(
    session: SessionFile, chosen: SessionFilter, agent: str, check: Callable[[], None]
) -> bool:
    check()
    if session.modified_at < chosen.since or (agent and _plain(_agent(session)) != agent):
        return False
    if not chosen.project and not chosen.search:
        return True
    header = read_session_header(session)
    if chosen.project and not _is_of_project(header, chosen.project):
        return False
    return chosen.search.casefold() in header.prompt.casefold() or _holds(
        session.path, chosen.search
    )


def _agent(session: SessionFile) -> str:
    return session.agent or read_session_header(session).agent


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-]", "", name).casefold()


def _is_of_project(header: SessionHeader, project: str) -> bool:
    wanted, listed = project.rstrip("/\\").casefold(), header.project.casefold()
    if wanted and wanted in (listed, listed.rpartition("/")[2]):
        return True
    folder, worked_in = Path(project).expanduser().absolute(), header.cwd
    return bool(worked_in) and Path(worked_in).is_relative_to(folder.resolve())


def _holds(path: Path, text: str) -> bool:
    """Return whether a file holds a text, in any case, as it is or as JSON writes it; False for one
    that cannot be read, which the listing says. Of a database and an archive it is the first
    conversation."""
    cases = (text, text.lower(), text.upper())
    written = {
        json.dumps(case, ensure_ascii=ascii)[1:-1] for case in cases for ascii in (True, False)
    }
    forms = [form.casefold() for form in (text, *written)]
    try:
        return any(form in part for part in _parts(path, max(map(len, forms))) for form in forms)
    except (OSError, InputError):
        return False


def _parts(path: Path, length: int) -> Iterator[str]:
    """Yield the text of a file in parts that overlap by at least ``length`` characters."""
    with path.open("rb") as file:
        head = file.read(len(SQLITE_SIGNATURE))
        if is_zip_head(head) or head.startswith(SQLITE_SIGNATURE):
            for message in load_conversation(path).messages:
                yield from map(str.casefold, block_texts(message))
            return
        file.seek(0)
        packing, rest = packing_of(head), b""
        stream = open_unpacked(path.name, file, packing) if packing else file
        while data := stream.read(_PART_SIZE):
            yield (rest + data).decode("utf-8", "ignore").casefold()
            rest = data[-4 * length :]
