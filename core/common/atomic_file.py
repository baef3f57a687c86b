"""Atomic file writes that never overwrite the source transcript."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

from core.common.errors import InputError

_MESSAGES = {
    errno.EACCES: ("The folder {folder} is not writable.", "Choose another folder."),
    errno.EPERM: ("The folder {folder} is not writable.", "Choose another folder."),
    errno.EROFS: (
        "The folder {folder} is on a read-only disk.",
        "Choose another folder.",
    ),
    errno.ENOSPC: (
        "The disk that holds {folder} is full; nothing was written.",
        "Make room and try again.",
    ),
    errno.EDQUOT: (
        "Your quota on the disk that holds {folder} is used up; nothing was written.",
        "Make room and try again.",
    ),
    errno.ENAMETOOLONG: (
        "The name {name} is too long for this disk.",
        "Choose a shorter one.",
    ),
    errno.ELOOP: ("{path} is a link that leads to itself.", "Choose another name."),
}

_TEMPORARY_SUFFIX = ".foldline.tmp"
"""Ends the name of a file while it is being written."""
_STALE_SECONDS = 3_600
"""Age at which a temporary file counts as abandoned, where files cannot be locked."""
_WRITABLE = 0o222
_SIGNATURE_BYTES = 4
"""First bytes that identify a file type."""


def output_file_name(text: str) -> str:
    """Return the name of the file to write to as the user gave it. Raises InputError if it names no
    file."""
    if not text.strip():
        raise InputError(
            "The name of the file to write is empty.", "Name a file to write to."
        )
    if text.endswith(("/", os.sep)):
        raise InputError(f"{text} names a folder.", "Name a file in it.")
    return text


def folder_name(text: str) -> str:
    """Return the name of a folder to write to; raises InputError if it is empty or one of a file."""
    if not text.strip():
        raise InputError("The name of the folder is empty.", "Name a folder.")
    if os.path.lexists(text) and not os.path.isdir(text):
        raise InputError(f"{text} is no folder.", "Name a folder.")
    return text


class TargetExistsError(InputError):
    """The file exists and the caller did not allow replacing it."""


_PRIVATE, _WIDEST = 0o600, 0o666
FileCheck: TypeAlias = Callable[[Path], None]
"""Checks the temporary file before it is renamed; an exception leaves the target unchanged."""


def write_atomic(
    path: Path,
    data: bytes,
    *,
    overwrite: bool,
    source: Path | None = None,
    check: FileCheck | None = None,
    is_private: bool = False,
) -> None:
    """Write ``data`` to ``path``; on failure the file stays as it was.

    ``source`` is the transcript that was read; it is never overwritten, not through a link either,
    and nobody may read the file who may not read it. ``is_private``: only its owner may.
    ``check`` receives the temporary file before it replaces ``path``. Raises TargetExistsError if
    the file exists and ``overwrite`` is False, InputError if it cannot be written.
    """
    try:
        target = _checked_target(path, overwrite, source)
        _replace(
            target, data, check, _PRIVATE if is_private else mode_of_source(source)
        )
    except OSError as error:
        raise _input_error(error, path) from error


def write_same_type(
    path: Path, data: bytes, kind: str, source: Path | None = None
) -> None:
    """Write as ``write_atomic`` does; replace an existing file only if it is empty or of the same
    type.

    For exports whose file dialog lists files of every type; ``kind`` is such as "PNG".
    """
    try:
        write_atomic(
            path,
            data,
            overwrite=_starts_with(path, data[:_SIGNATURE_BYTES]),
            source=source,
        )
    except TargetExistsError:
        raise InputError(
            f"{path} exists already and is not a {kind}.", "Choose another name."
        ) from None


def _starts_with(path: Path, start: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(start)) in (b"", start)
    except OSError:
        return False


@contextmanager
def temporary_file_errors() -> Iterator[None]:
    """Turn errors of the system about a temporary file into an InputError that names the folder for
    them."""
    import tempfile  # late: few commands write temporary files

    try:
        yield
    except OSError as error:
        folder = tempfile.tempdir or os.environ.get("TMPDIR", "TMPDIR")
        problem = f"The folder for temporary files, {folder}, cannot be written: {_cause(error)}."
        raise InputError(
            problem, "Make room there, or name another folder with TMPDIR."
        ) from None


def _cause(error: OSError) -> str:
    return (error.strerror or str(error)).rstrip(".").lower()


def create_parent_folder(path: Path) -> None:
    """Create the parent folder of a file. Raises InputError on failure."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _input_error(error, path) from error


def check_target(path: Path, *, overwrite: bool, source: Path | None = None) -> None:
    """Raise what ``write_atomic`` would raise for this path, before work that costs time or
    money."""
    try:
        _checked_target(path, overwrite, source)
    except OSError as error:
        raise _input_error(error, path) from error


def _checked_target(path: Path, overwrite: bool, source: Path | None) -> Path:
    if not path.name or "\0" in str(path):
        raise InputError(
            f"{str(path)!r} is not the name of a file.", "Name a file to write to."
        )
    try:
        # A link stays a link: what it leads to is written.
        target = path.resolve()
    except RuntimeError as error:  # up to Python 3.12, for a link that leads to itself
        raise OSError(errno.ELOOP, str(error)) from error
    if target.is_symlink():  # from Python 3.13 on
        raise OSError(errno.ELOOP, "the link leads to itself")
    if not target.parent.is_dir():
        raise InputError(
            f"The folder {target.parent} does not exist.",
            "Create it or choose another one.",
        )
    if target.is_dir():
        raise InputError(f"{path} is a folder.", "Name a file in it.")
    if source is not None and _is_same_file(target, source):
        raise InputError(
            f"{path} is the transcript itself; Foldline never writes over its source.",
            "Choose another name.",
        )
    if target.exists():
        _check_existing(target, path, overwrite)
    return target


def _check_existing(target: Path, path: Path, overwrite: bool) -> None:
    if not target.is_file():
        raise InputError(
            f"{path} is not a regular file.",
            "Choose another name, or - for standard output.",
        )
    if not overwrite:
        raise TargetExistsError(
            f"{path} exists already.",
            "Choose another name, or allow it to be replaced.",
        )
    # The bits are asked beside ``access``, which allows the superuser everything.
    if not target.stat().st_mode & _WRITABLE or not os.access(target, os.W_OK):
        raise InputError(
            f"{path} is read-only.", "Choose another name, or make the file writable."
        )


def _is_same_file(target: Path, source: Path) -> bool:
    if target == source.resolve():
        return True
    try:
        return target.samefile(source)  # hard links, other mounts of the same folder
    except OSError:
        return False


def mode_of_source(source: Path | None) -> int:
    """Return the widest mode of what is written of a file: its own, which its owner may change."""
    try:
        if source is not None:
            mode = stat.S_IMODE(source.stat().st_mode)
        else:
            mode = _WIDEST
    except OSError:
        return _WIDEST
    return (mode & _WIDEST) | _PRIVATE


def _replace(target: Path, data: bytes, check: FileCheck | None, mode: int) -> None:
    for name in os.listdir(target.parent):  # what killed saves left
        if name.startswith(".") and name.endswith(_TEMPORARY_SUFFIX):
            with suppress(OSError):
                _remove_unlocked(target.parent / name)
    temporary = target.with_name(
        # A disk that holds the name may not hold it with a suffix.
        f".{target.name[:100]}.{os.urandom(4).hex()}{_TEMPORARY_SUFFIX}"
    )
    try:
        with os.fdopen(_create_locked(temporary, mode), "wb") as file:
            file.write(data)
            file.flush()
            # Renamed before its data are on the disk, the file may be empty after a power cut.
            os.fsync(file.fileno())
            if check is not None:
                check(temporary)
            if os.name == "posix":
                _rename(temporary, target, mode)
        if os.name != "posix":  # Windows cannot rename an open file
            _rename(temporary, target, mode)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


def _create_locked(temporary: Path, mode: int) -> int:
    """Create a file, open and locked, so that no other save removes it as abandoned."""
    while True:
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        with suppress(OSError):  # some file systems have no locks
            _lock(handle)
        if temporary.exists():
            return handle
        os.close(handle)  # another save removed it before it was locked


def _rename(temporary: Path, target: Path, mode: int) -> None:
    if target.exists():
        os.chmod(temporary, target.stat().st_mode & mode)
    os.replace(temporary, target)


def _remove_unlocked(path: Path) -> None:
    if os.name != "posix":  # Windows cannot remove an open file
        if time.time() - path.stat().st_mtime > _STALE_SECONDS:
            path.unlink()
        return
    # In a folder that others can write, a file of this name may be a link to any other.
    handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        _lock(handle)
        path.unlink()
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    """Lock a file until it is closed or the process ends. Raises OSError if another process has the
    lock."""
    if os.name == "posix":
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sync_folder(folder: Path) -> None:
    """Flush the folder, where the file system supports it, so that the new name survives a power
    cut."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _input_error(error: OSError, path: Path) -> InputError:
    message, hint = _MESSAGES.get(
        error.errno or 0,
        ("{path} could not be written: {cause}.", "Choose another name or folder."),
    )
    cause = _cause(error)
    return InputError(
        message.format(
            folder=path.absolute().parent, name=path.name, path=path, cause=cause
        ),
        hint,
    )


@dataclass(frozen=True, slots=True)
class FileSignature:
    """State of a file: time of its last change in nanoseconds, bytes (-1: no file), digest of the
    content."""

    changed: int
    size: int
    digest: str


ABSENT = FileSignature(0, -1, "")
"""Signature of a file that does not exist or cannot be read."""

_END_BYTES = 4096


def ends_digest(file: BinaryIO, size: int) -> bytes:
    """Return a digest of the first bytes of a file and of the last ones before ``size``."""
    file.seek(0)
    first_bytes = file.read(min(_END_BYTES, size))
    file.seek(max(0, size - _END_BYTES))
    return hashlib.blake2b(
        first_bytes + file.read(min(_END_BYTES, size)), digest_size=16
    ).digest()
