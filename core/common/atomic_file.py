"""Writing a file whole or not at all, and never over the transcript it came from."""

from __future__ import annotations

import errno
import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from core.common.errors import InputError

_REASONS = {
    errno.EACCES: ("The folder {folder} may not be written to.", "Choose another folder."),
    errno.EPERM: ("The folder {folder} may not be written to.", "Choose another folder."),
    errno.EROFS: ("The folder {folder} is on a read-only disk.", "Choose another folder."),
    errno.ENOSPC: ("The disk that holds {folder} is full; nothing was written.", "Make room and try again."),
    errno.EDQUOT: (
        "Your share of the disk that holds {folder} is used up; nothing was written.",
        "Make room and try again.",
    ),
    errno.ENAMETOOLONG: ("The name {name} is too long for this disk.", "Choose a shorter one."),
    errno.ELOOP: ("{path} is a link that leads to itself.", "Choose another name."),
}

_LEFT = ".foldline.tmp"
"""How the names of files end that are being written."""
_LONG_AGO = 3_600
"""Seconds after which nobody writes a file any more."""
_WRITABLE = 0o222
_MAGIC = 4
"""Bytes by which a file of a kind is known."""


def checked_name(text: str) -> str:
    """The name of a file to write to as a person gave it. Raises InputError where it names none."""
    if not text.strip():
        raise InputError("The name of the file to write is empty.", "Name a file to write to.")
    if text.endswith(("/", os.sep)):
        raise InputError(f"{text} names a folder.", "Name a file in it.")
    return text


class TargetExistsError(InputError):
    """The file is there already, and nobody said that it may be replaced."""


FileCheck: TypeAlias = Callable[[Path], None]
"""Looks at a file before it gets its name; what it raises leaves everything as it was."""


def write_atomic(
    path: Path, data: bytes, *, overwrite: bool, source: Path | None = None, check: FileCheck | None = None
) -> None:
    """Write ``data`` to ``path``: afterwards the file is either whole or as it was.

    ``source`` is the transcript that was read; it is never written to, by whatever name or link.
    ``check`` is given the temporary file before that takes the place of ``path``.
    Raises TargetExistsError where the file exists and ``overwrite`` is False, InputError where it
    cannot be written.
    """
    try:
        _replace(_checked(path, overwrite, source), data, check)
    except OSError as error:
        raise _explained(error, path) from error


def write_alike(path: Path, data: bytes, kind: str, source: Path | None = None) -> None:
    """As ``write_atomic``, replacing of files that are there only an empty one and one that begins alike.

    For pictures and the like ("PNG"), whose names are picked in a dialog that lists everything.
    """
    try:
        write_atomic(path, data, overwrite=_begins(path, data[:_MAGIC]), source=source)
    except TargetExistsError:
        raise InputError(f"{path} exists already and is no {kind}.", "Choose another name.") from None


def _begins(path: Path, start: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(start)) in (b"", start)
    except OSError:
        return False


def make_folder_of(path: Path) -> None:
    """Create the folder that a file will lie in. Raises InputError where that cannot be done."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _explained(error, path) from error


def check_target(path: Path, *, overwrite: bool, source: Path | None = None) -> None:
    """Raise what ``write_atomic`` would raise for the name alone: before work that costs time or money."""
    try:
        _checked(path, overwrite, source)
    except OSError as error:
        raise _explained(error, path) from error


def _checked(path: Path, overwrite: bool, source: Path | None) -> Path:
    """The real file behind the name, after everything that can be refused was."""
    if not path.name or "\0" in str(path):
        raise InputError(f"{str(path)!r} is not the name of a file.", "Name a file to write to.")
    try:
        target = path.resolve()
    except RuntimeError as error:  # up to Python 3.12, for a link that leads to itself
        raise OSError(errno.ELOOP, str(error)) from error
    if target.is_symlink():  # from Python 3.13 on
        raise OSError(errno.ELOOP, "the link leads to itself")
    if not target.parent.is_dir():
        raise InputError(f"The folder {target.parent} does not exist.", "Create it or choose another one.")
    if target.is_dir():
        raise InputError(f"{path} is a folder.", "Name a file in it.")
    if source is not None and _same(target, source):
        raise InputError(
            f"{path} is the transcript itself; Foldline never writes over its source.", "Choose another name."
        )
    if target.exists():
        if not target.is_file():
            raise InputError(
                f"{path} is not a regular file.", "Choose another name, or - for standard output."
            )
        if not overwrite:
            raise TargetExistsError(
                f"{path} exists already.", "Choose another name, or allow it to be replaced."
            )
        if not target.stat().st_mode & _WRITABLE or not os.access(target, os.W_OK):
            raise InputError(f"{path} is read-only.", "Choose another name, or make the file writable.")
    return target


def _same(target: Path, source: Path) -> bool:
    if target == source.resolve():
        return True
    try:
        return target.samefile(source)  # hard links, other mounts of the same folder
    except OSError:
        return False


def _replace(target: Path, data: bytes, check: FileCheck | None) -> None:
    _sweep(target.parent)
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}{_LEFT}")
    try:
        with os.fdopen(_made(temporary), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if check is not None:
                check(temporary)
            if os.name == "posix":
                _put(temporary, target)
        if os.name != "posix":  # there, an open file cannot be moved
            _put(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


def _made(temporary: Path) -> int:
    """A new file, open and locked, so that no other save takes it for one that was left."""
    while True:
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        with suppress(OSError):  # some disks know no locks
            _lock(handle)
        if temporary.exists():
            return handle
        os.close(handle)  # another save was quicker than the lock


def _put(temporary: Path, target: Path) -> None:
    if target.exists():
        os.chmod(temporary, target.stat().st_mode & 0o7777)
    os.replace(temporary, target)


def _sweep(folder: Path) -> None:
    """Remove what saves that were killed have left in a folder."""
    for name in os.listdir(folder):
        if name.startswith(".") and name.endswith(_LEFT):
            with suppress(OSError):
                _remove_left(folder / name)


def _remove_left(path: Path) -> None:
    """Remove a file that was being written, unless somebody writes it still."""
    if os.name != "posix":  # there, an open file cannot be removed
        if time.time() - path.stat().st_mtime > _LONG_AGO:
            path.unlink()
        return
    handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        _lock(handle)
        path.unlink()
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    """Lock a file until it is closed, or its process ends. Raises OSError where another one has it."""
    if os.name == "posix":
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut, where the disk can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _explained(error: OSError, path: Path) -> InputError:
    message, hint = _REASONS.get(
        error.errno or 0, ("{path} could not be written: {cause}.", "Choose another name or folder.")
    )
    cause = (error.strerror or str(error)).rstrip(".").lower()
    return InputError(
        message.format(folder=path.absolute().parent, name=path.name, path=path, cause=cause), hint
    )
