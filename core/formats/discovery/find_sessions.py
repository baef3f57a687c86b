"""Finds session files, newest first, without opening them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.formats.discovery.session_folders import SESSION_FOLDERS, SessionFolder

_ENDINGS = (".json", ".jsonl", ".traj", ".eval")
_ALL_PATTERNS = ("**/*.zip", *(f"**/*{one}{packed}" for one in _ENDINGS for packed in ("", ".gz", ".zst")))
"""The files of a folder that a reader may support."""


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A session file: its agent, size in bytes, and time of the last write (seconds since 1970)."""

    path: Path
    agent: str
    size: int
    modified_at: float


@dataclass(frozen=True, slots=True)
class SessionSearch:
    """Sessions, newest first; ``folders`` exist, ``problems`` are sentences about unreadable places."""

    sessions: tuple[SessionFile, ...]
    folders: tuple[Path, ...]
    problems: tuple[str, ...] = ()


def no_check() -> None: ...


def find_sessions(
    home: Path | None = None,
    places: Sequence[SessionFolder] = SESSION_FOLDERS,
    *,
    extra_folders: Sequence[Path] = (),
    check: Callable[[], None] = no_check,
) -> SessionSearch:
    """Return all session files below the agents' folders and below ``extra_folders`` folders. ``check``
    is called regularly and may raise Cancelled. An unreadable folder is a problem, not an error. Links to
    files are followed, links to folders are not, so that there are no cycles."""
    home = home or Path.home()
    session_by_path: dict[Path, SessionFile] = {}
    folders: list[Path] = []
    problems: list[str] = []
    own_places = (SessionFolder("", str(folder.absolute()), _ALL_PATTERNS) for folder in extra_folders)
    for place in (*places, *own_places):
        root = place.root(home)
        try:
            if not root.is_dir():
                continue
            folders.append(root)
            with os.scandir(root):  # ``glob`` does not report an unreadable folder
                pass
            for pattern in place.patterns:
                _add_matches(root, pattern, place.agent, session_by_path, check)
        except OSError as error:
            problems.append(f"{root} cannot be read: {error.strerror or error}.")
    newest_first = sorted(
        session_by_path.values(), key=lambda session: (-session.modified_at, str(session.path))
    )
    return SessionSearch(tuple(newest_first), tuple(folders), tuple(problems))


def _add_matches(
    root: Path, pattern: str, agent: str, session_by_path: dict[Path, SessionFile], check: Callable[[], None]
) -> None:
    for path in root.glob(pattern):
        check()
        if path in session_by_path:
            continue
        try:
            stat = path.stat()
            if not path.is_file() or not stat.st_size:
                continue
        except OSError:
            continue  # removed meanwhile, or a broken link
        session_by_path[path] = SessionFile(path, agent, stat.st_size, stat.st_mtime)
