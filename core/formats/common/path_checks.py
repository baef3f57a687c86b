"""Errors for paths that are no readable file, and checks of a file's status."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path

from core.common.errors import InputError
from core.common.file_checksum import ends_digest
from core.transcript.model import SourceDocument

_GUESSED_RATIO = 8  # a packed transcript is about an eighth of itself
_KINDS: Mapping[int, str] = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def not_a_file_error(path: Path, mode: int) -> InputError:
    """Return the error for an existing path that is not a regular file."""
    if stat.S_ISDIR(mode):
        return InputError(f"{path.name or path} is a folder, not a transcript.", _folder_hint(path))
    kind = _KINDS.get(stat.S_IFMT(mode), "a special file")
    return InputError(
        f"{path.name} is {kind}, not a file.", "Give - as the file to read a transcript from standard input."
    )


def unreadable_error(path: Path, error: OSError | ValueError) -> InputError:
    """Return the error for a path that cannot be opened."""
    if isinstance(error, FileNotFoundError):
        problem = "is a link to a file that is not there" if path.is_symlink() else "was not found"
        return InputError(f"{path} {problem}.", "Check the path.")
    if isinstance(error, PermissionError):
        return InputError(f"You are not allowed to read {path}.", "Change its permissions or copy it.")
    reason = error.strerror if isinstance(error, OSError) else ""
    return InputError(f"{path} cannot be read: {(reason or str(error)).lower()}.", "Check the path.")


def is_same_or_grown(document: SourceDocument) -> bool:
    """Return whether the bytes that a document had when it was opened are still there."""
    if document.data is not None or document.path is None:
        return True
    try:
        with document.path.open("rb") as file:
            status = os.fstat(file.fileno())
            if (status.st_size, status.st_mtime_ns) == (document.size, document.mtime_ns):
                return True
            return status.st_size > document.size and ends_digest(file, document.size) == document.ends_digest
    except OSError:
        return False


def unpacked_size(document: SourceDocument) -> int:
    """Return about how many bytes are in a packed file: from its trailer, else a guess."""
    guess = _GUESSED_RATIO * document.size
    if document.packing != "gzip" or document.size < 4 or document.path is None or document.data is not None:
        return guess
    try:
        with document.path.open("rb") as file:
            file.seek(document.size - 4)
            size = int.from_bytes(file.read(4), "little")  # modulo 4 GB, of the last member
    except OSError:
        return guess
    return size if size > document.size else guess


def _folder_hint(path: Path) -> str:
    """Suggest what to open in a folder, worded for command line and window."""
    try:
        if any((path / "events").glob("event-*.json")) or any(path.glob("event-*.json")):
            name = path.resolve().name
            packed, folder = shlex.quote(f"{name}.zip"), shlex.quote(name)
            return f"It is an OpenHands conversation: zip it and choose the zip (zip -r {packed} {folder})."
        sessions = [file for file in path.glob("*.jsonl") if file.is_file()]
    except OSError:
        sessions = []
    if not sessions:
        return "Choose a file in it."
    newest = max(sessions, key=_modified_at)
    if len(sessions) == 1:
        return f"Choose the session in it: {newest.name}."
    return f"Choose a session in it; the newest of {len(sessions):,} is {newest.name}."


def _modified_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
