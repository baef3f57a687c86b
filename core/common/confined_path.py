"""Paths that cannot leave a folder: every file is opened relative to a handle of the folder, part by
part, without following a link. What readers derive from such a path is confined as well."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Any, ClassVar

HAS_HANDLES = {os.open, os.stat} <= os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
"""False on Windows, whose folders cannot be opened: there links are looked for before a file is
opened."""
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_CLOSED = getattr(os, "O_CLOEXEC", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _CLOSED


class ConfinedPath(type(Path())):  # type: ignore[misc]  # the class of paths of this system
    """A path below ``root``, which ``handle`` holds open. Use ``confined_to``."""

    root_folder: ClassVar[Path]
    handle: ClassVar[int | None]

    def open_handle(self, flags: int = os.O_RDONLY) -> int:
        """Open the file, and no other one that a link puts in its place. Raises OSError."""
        if self.handle is None:
            return os.open(self._without_links(), flags)
        folders, name = self._parts_below()
        with _Folder(self.handle) as folder:
            for part in folders:
                folder.enter(part)
            return os.open(name, flags | NO_LINK | _CLOSED, dir_fd=folder.handle)

    def open(
        self,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> IO[Any]:
        # Whoever got only a folder to read must not write into it.
        if set(mode) - set("rbt"):
            raise PermissionError(errno.EACCES, "is only read", str(self))
        return open(self.open_handle(), mode, buffering, encoding, errors, newline)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        if self.handle is None:
            return os.stat(self._without_links(), follow_symlinks=False)
        folders, name = self._parts_below()
        with _Folder(self.handle) as folder:
            for part in folders:
                folder.enter(part)
            return os.stat(name, dir_fd=folder.handle, follow_symlinks=False)

    def iterdir(self) -> Iterator[ConfinedPath]:
        handle = self.open_handle(_FOLDER)
        try:
            names = os.listdir(handle)
        finally:
            os.close(handle)
        return (self / name for name in names)

    def glob(self, pattern: str) -> Iterator[ConfinedPath]:
        """Yield the files of this folder whose names fit; nothing where it cannot be read."""
        assert "/" not in pattern, "readers look at the files of one folder"
        try:
            found = list(self.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return iter(())
        return (path for path in found if fnmatchcase(path.name, pattern))

    def resolve(self, strict: bool = False) -> ConfinedPath:
        """Return the path without ``..``; there is no link in it."""
        return type(self)(os.path.normpath(self.absolute()))

    def is_below(self) -> bool:
        """Return whether the path is in the folder, by its name."""
        return Path(os.path.normpath(self.absolute())).is_relative_to(self.root_folder)

    def _parts_below(self) -> tuple[tuple[str, ...], str]:
        """Return the folders between the root and the file, and its name."""
        path = os.path.normpath(self.absolute())
        if "\0" in path:
            raise OSError(errno.EINVAL, "is not the name of a file", str(self))
        below = os.path.relpath(path, self.root_folder)
        *folders, name = Path(below).parts or (".",)
        if os.pardir in (name, *folders):
            raise FileNotFoundError(errno.ENOENT, "is outside of the folder", str(self))
        return tuple(folders), name

    def _without_links(self) -> str:
        folders, name = self._parts_below()
        path = self.root_folder.joinpath(*folders, name)
        # Without handles of folders a link can only be found by its effect.
        if path.resolve() != path.absolute():
            raise OSError(errno.ELOOP, "leads through a link", str(self))
        return str(path)


class _Folder:
    """A handle that goes from folder to folder and is closed at the end."""

    def __init__(self, handle: int) -> None:
        # Closing it must not close the root, which all paths share.
        self.handle = os.dup(handle)

    def __enter__(self) -> _Folder:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.handle)

    def enter(self, name: str) -> None:
        # Entered one by one, no folder can be exchanged for a link on the way.
        inner = os.open(name, _FOLDER | NO_LINK, dir_fd=self.handle)
        os.close(self.handle)
        self.handle = inner


def confined_to(folder: Path) -> type[ConfinedPath]:
    """Return the class of paths in a folder, whose handle is held from now on. Raises OSError."""
    if HAS_HANDLES:
        handle = os.open(folder, _FOLDER)
    else:
        handle = None
    return type(
        "ConfinedPath", (ConfinedPath,), {"root_folder": folder, "handle": handle}
    )


def open_handle(path: Path, flags: int) -> int:
    """Open a path of any class as ``os.open`` does."""
    if isinstance(path, ConfinedPath):
        return path.open_handle(flags)
    return os.open(path, flags)
