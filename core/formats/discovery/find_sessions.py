"""Finding session files, newest first, without opening any of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.formats.discovery.session_folders import PLACES, SessionFolder

_ENDINGS = (".json", ".jsonl", ".traj", ".eval")
_EVERY = ("**/*.zip", *(f"**/*{one}{packed}" for one in _ENDINGS for packed in ("", ".gz", ".zst")))
"""The files of a folder that a reader may know."""


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A session file: its agent, size in bytes, and when it was last written (seconds since 1970)."""

    path: Path
    agent: str
    size: int
    changed: float


@dataclass(frozen=True, slots=True)
class SessionSearch:
    """What was found, newest first; ``folders`` are those that exist and were looked at, ``problems``
    sentences about what could not be read."""

    sessions: tuple[SessionFile, ...]
    folders: tuple[Path, ...]
    problems: tuple[str, ...] = ()


def no_check() -> None:
    """The check of those who look to the end."""


def find_sessions(
    home: Path | None = None,
    places: Sequence[SessionFolder] = PLACES,
    *,
    extra: Sequence[Path] = (),
    check: Callable[[], None] = no_check,
) -> SessionSearch:
    """All session files below the agents' folders and below ``extra`` folders.

    ``check`` is called now and then and may raise Cancelled. A folder that may not be read is a
    problem, not an error; links are followed to files, never to folders, so that no circle is walked.
    """
    home = home or Path.home()
    found: dict[Path, SessionFile] = {}
    folders: list[Path] = []
    problems: list[str] = []
    own = (SessionFolder("", str(folder.absolute()), _EVERY) for folder in extra)
    for place in (*places, *own):
        root = place.root(home)
        try:
            if not root.is_dir():
                continue
            folders.append(root)
            with os.scandir(root):  # ``glob`` is silent about a folder that may not be read
                pass
            for pattern in place.patterns:
                _look(root, pattern, place.agent, found, check)
        except OSError as error:
            problems.append(f"{root} cannot be read: {error.strerror or error}.")
    newest = sorted(found.values(), key=_newest)
    return SessionSearch(tuple(newest), tuple(folders), tuple(problems))


def _look(
    root: Path, pattern: str, agent: str, found: dict[Path, SessionFile], check: Callable[[], None]
) -> None:
    for path in root.glob(pattern):
        check()
        if path in found:
            continue
        try:
            stat = path.stat()
            if not path.is_file() or not stat.st_size:
                continue
        except OSError:
            continue  # gone since, or a link that leads nowhere
        found[path] = SessionFile(path, agent, stat.st_size, stat.st_mtime)


def _newest(session: SessionFile) -> tuple[float, str]:
    return -session.changed, str(session.path)
