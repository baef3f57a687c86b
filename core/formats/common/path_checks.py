"""Paths that are no readable file, and what can be told of a file from outside."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path

from core.common.errors import InputError
from core.common.file_checksum import ends_digest
from core.transcript.model import SourceDocument

_GUESS = 8  # a packed transcript is about an eighth of itself
_KINDS: Mapping[int, str] = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def no_file(path: Path, mode: int) -> InputError:
    """The error of a path that is there but is no regular file."""
    if stat.S_ISDIR(mode):
        return InputError(f"{path.name or path} is a folder, not a transcript.", _folder_hint(path))
    kind = _KINDS.get(stat.S_IFMT(mode), "no regular file")
    return InputError(
        f"{path.name} is {kind}, not a file.", "Give - as the file to read a transcript from standard input."
    )


def unreadable_error(path: Path, error: OSError | ValueError) -> InputError:
    """The error of a path that cannot be opened."""
    if isinstance(error, FileNotFoundError):
        what = "is a link to a file that is not there" if path.is_symlink() else "was not found"
        return InputError(f"{path} {what}.", "Check the path.")
    if isinstance(error, PermissionError):
        return InputError(f"{path} may not be read by you.", "Change its permissions or copy it.")
    reason = error.strerror if isinstance(error, OSError) else ""
    return InputError(f"{path} cannot be read: {(reason or str(error)).lower()}.", "Check the path.")


def is_same_or_grown(document: SourceDocument) -> bool:
    """True where the bytes that a document had when it was opened are still there."""
    if document.data is not None or document.path is None:
        return True
    try:
        with document.path.open("rb") as file:
            status = os.fstat(file.fileno())
            if (status.st_size, status.st_mtime_ns) == (document.size, document.mtime_ns):
                return True
            return status.st_size > document.size and ends_digest(file, document.size) == document.ends
    except OSError:
        return False


def unpacked_size(document: SourceDocument) -> int:
    """About how many bytes are in a packed file: as it says itself, else a guess."""
    guess = _GUESS * document.size
    if document.packing != "gzip" or document.size < 4 or document.path is None or document.data is not None:
        return guess
    try:
        with document.path.open("rb") as file:
            file.seek(document.size - 4)
            told = int.from_bytes(file.read(4), "little")  # modulo 4 GB, of the last member
    except OSError:
        return guess
    return told if told > document.size else guess


def _folder_hint(path: Path) -> str:
    """What of a folder can be opened, and how: in words for the command line and the window alike."""
    try:
        if any((path / "events").glob("event-*.json")) or any(path.glob("event-*.json")):
            name = path.resolve().name
            packed, folder = shlex.quote(f"{name}.zip"), shlex.quote(name)
            return f"It is an OpenHands conversation: zip it and choose the zip (zip -r {packed} {folder})."
        sessions = [one for one in path.glob("*.jsonl") if one.is_file()]
    except OSError:
        sessions = []
    if not sessions:
        return "Choose a file in it."
    newest = max(sessions, key=_changed)
    if len(sessions) == 1:
        return f"Choose the session in it: {newest.name}."
    return f"Choose a session in it; the newest of {len(sessions):,} is {newest.name}."


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
