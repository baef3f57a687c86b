"""The folders that a server is confined to: to write, held open; to read."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from core.common.atomic_file import output_file_name
from core.common.confined_path import NO_LINK, ConfinedPath
from core.common.errors import InputError

_HAS_HANDLES = {os.open, os.link, os.unlink, os.stat, os.rename} <= os.supports_dir_fd
"""False on Windows, whose folders cannot be opened: names are checked there, and links in them
before use."""
_FOLDER_FLAGS = (
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
)
_NO_HARD_LINKS = (
    errno.EPERM,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.ENOSYS,
    errno.EMLINK,
)


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """A folder that results are written to. No link in it is followed, and no file replaced.

    ``handle`` keeps the folder that the user named, wherever its path leads later.
    """

    named: Path
    """As the user named it, made absolute."""
    path: Path
    """As it is without links."""
    handle: int | None

    def check_new(self, name: str) -> None:
        """Raise InputError where ``write_new`` would, before a summary is paid for."""
        with self._place(name) as (folder, last):
            try:
                os.stat(last, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                return
        raise _exists(name)

    def write_new(self, name: str, data: bytes, mode: int = 0o666) -> None:
        """Write a new file, completely or not at all, at most with this mode. Raises InputError if
        that is refused or fails."""
        with self._place(name) as (folder, last):
            temporary = str(
                Path(last).with_name(f".{os.urandom(8).hex()}.foldline.tmp")
            )
            try:
                _create(temporary, data, folder, mode)
                try:
                    os.link(
                        temporary,
                        last,
                        src_dir_fd=folder,
                        dst_dir_fd=folder,
                        follow_symlinks=False,
                    )
                except OSError as error:
                    if error.errno not in _NO_HARD_LINKS:
                        raise
                    _create(
                        last, b"", folder, mode
                    )  # a disk without hard links: the name is taken, then filled
                    os.rename(temporary, last, src_dir_fd=folder, dst_dir_fd=folder)
            except FileExistsError:
                raise _exists(name) from None
            finally:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)

    @contextmanager
    def _place(self, name: str) -> Iterator[tuple[int | None, str]]:
        """Yield the handle of the folder that a name is in, and the last part of the name."""
        *folders, last = self._parts(name)
        if self.handle is None:
            with _explained(name):
                yield None, str(self._checked_path(name))
            return
        with _explained(name):
            handle = os.dup(self.handle)
            try:
                for part in folders:
                    inner = os.open(part, _FOLDER_FLAGS | NO_LINK, dir_fd=handle)
                    os.close(handle)
                    handle = inner
                yield handle, last
            finally:
                os.close(handle)

    def _parts(self, name: str) -> tuple[str, ...]:
        if "\0" in name:
            raise InputError(
                f"{name!r} is not the name of a file.", "Name a file in the folder."
            )
        path = Path(output_file_name(name))
        if path.is_absolute():
            for base in (self.named, self.path):
                if path.is_relative_to(base):
                    path = path.relative_to(base)
                    break
        if path.is_absolute() or path.drive or ".." in path.parts or not path.parts:
            raise InputError(
                f"{name} is outside of the folder of --write-to.",
                "Name a file in that folder.",
            )
        return path.parts

    def _checked_path(self, name: str) -> Path:
        path = (self.path / Path(*self._parts(name))).absolute()
        if path.parent.resolve() != path.parent:
            raise OSError(errno.ELOOP, "")
        return path


def output_folder(path: Path) -> OutputFolder:
    """Open a folder to write to. Raises InputError if there is none."""
    return OutputFolder(
        path.absolute(),
        existing_folder(path),
        os.open(path, _FOLDER_FLAGS) if _HAS_HANDLES else None,
    )


def existing_folder(path: Path) -> Path:
    """Return the real path of a folder. Raises InputError if there is none."""
    if not path.is_dir():
        if path.exists():
            problem = f"{path} is not a folder."
        else:
            problem = f"There is no folder {path}."
        raise InputError(problem, "Create it, or name another one.")
    return path.resolve()


def _create(name: str, data: bytes, folder: int | None, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK | getattr(os, "O_BINARY", 0)
    with open(os.open(name, flags, mode, dir_fd=folder), "wb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)
            raise


def _exists(name: str) -> InputError:
    return InputError(
        f"{name} exists already; the server replaces no file.", "Choose another name."
    )


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Turn an error of the system into a sentence that names what the client named."""
    try:
        yield
    except FileExistsError:
        raise
    except FileNotFoundError:
        raise InputError(
            f"The folder of {name} does not exist.", "Create it, or name another one."
        ) from None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            hint = "Name a file in a folder that is no link."
            raise InputError(
                f"{name} leads through a link or a file, which the server does not follow.",
                hint,
            ) from None
        cause = (error.strerror or type(error).__name__).lower()
        raise InputError(
            f"{name} could not be written: {cause}.", "Choose another name."
        ) from None


def readable_path(root: type[ConfinedPath], name: str) -> ConfinedPath:
    """Return the path of a transcript in a folder, which no reader leaves. Raises InputError for
    one outside of it, by its name or through a link."""
    if "\0" in name:
        raise InputError(
            f"{name!r} is not the name of a file.", "Name a file in the folder."
        )
    path = root(root.root_folder / name)
    try:
        path.stat()
        os.close(path.open_handle(os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)))
    except OSError as error:
        if error.errno == errno.ELOOP or (
            error.errno == errno.ENOTDIR and not path.is_file()
        ):
            raise InputError(
                f"{name} leads through a link or a file, which the server does not follow.",
                "Name a file in a folder that is no link.",
            ) from None
        if not path.is_below():
            raise InputError(
                f"{name} is outside of the folder of --read-from.",
                "Name a file in that folder.",
            ) from None
    return path
