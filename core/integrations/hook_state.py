"""What hooks keep between two events of a session: copies of its transcript, and texts to deliver."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.common.atomic_file import write_atomic
from core.common.paths import state_dir

_MAX_COPIES = 5
"""Copies kept of one session, the newest."""
_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700


@dataclass(frozen=True, slots=True)
class SessionState:
    """The folder of one session. A text is a small file; taking it removes it."""

    folder: Path

    def keep_copy(self, transcript: Path) -> Path:
        """Copy the transcript, readable by its owner alone, and drop all but the newest copies."""
        _make_folder(self.folder)
        name = datetime.now(UTC).strftime(f"before-%Y%m%dT%H%M%S%f{transcript.suffix}")
        copy = self.folder / name
        handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE)
        with open(handle, "wb") as target, transcript.open("rb") as source:
            shutil.copyfileobj(source, target)
        for old in self.copies()[:-_MAX_COPIES]:
            old.unlink(missing_ok=True)
        return copy

    def copies(self) -> list[Path]:
        """Return the copies, oldest first."""
        return sorted(self.folder.glob("before-*"))

    def put(self, name: str, text: str) -> None:
        """Keep a text, "" removes it."""
        path = self.folder / name
        if not text:
            path.unlink(missing_ok=True)
            return
        _make_folder(self.folder)
        write_atomic(path, text.encode(), overwrite=True)
        path.chmod(_PRIVATE_FILE)

    def take(self, name: str) -> str:
        """Return a text and remove it; "" without one. Of two takers only one gets it."""
        taken = self.folder / f"{name}.{os.getpid()}.taken"
        try:
            (self.folder / name).rename(taken)
            return taken.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        finally:
            taken.unlink(missing_ok=True)


def session_state(session_id: str, agent_id: str = "") -> SessionState:
    """Return the state of a session, or of a sub-agent of it."""
    key = hashlib.sha256(f"{session_id}\0{agent_id}".encode()).hexdigest()[:24]
    return SessionState(hooks_folder() / key)


def hooks_folder() -> Path:
    return state_dir() / "hooks"


def log_path() -> Path:
    return hooks_folder() / "hooks.log"


def log(text: str) -> None:
    """Append a line to the log of hooks; never raises, as a hook must not fail its agent."""
    try:
        _make_folder(hooks_folder())
        stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        with log_path().open("a", encoding="utf-8") as file:
            file.write(f"{stamp} {text}\n")
        log_path().chmod(_PRIVATE_FILE)
    except OSError:
        return


def _make_folder(folder: Path) -> None:
    folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
