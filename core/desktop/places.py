"""The folders of a Linux desktop, by the rules of the XDG base directories."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Places:
    """The person's folders, those of the system in their order, and the names of the desktop."""

    data: Path
    config: Path
    shared_data: tuple[Path, ...]
    shared_config: tuple[Path, ...]
    desktops: tuple[str, ...]

    @property
    def applications(self) -> tuple[Path, ...]:
        """Where menu entries lie, the person's own first."""
        return tuple(folder / "applications" for folder in (self.data, *self.shared_data))

    def choices(self) -> Iterator[Path]:
        """The files that say which program opens what, the one that counts most first."""
        names = [f"{desktop}-mimeapps.list" for desktop in self.desktops]
        for folder in (self.config, *self.shared_config, *self.applications):
            yield from (folder / name for name in (*names, "mimeapps.list"))


def places(environ: Mapping[str, str] = os.environ) -> Places:
    """The folders as the environment has them; empty and relative ones count as unset, as the rules say."""

    def folders(variable: str, usual: str) -> tuple[Path, ...]:
        named = [one for one in environ.get(variable, "").split(":") if os.path.isabs(one)]
        return tuple(Path(one) for one in named or usual.split(":"))

    home = Path.home()
    desktops = environ.get("XDG_CURRENT_DESKTOP", "").lower().split(":")
    return Places(
        folders("XDG_DATA_HOME", str(home / ".local/share"))[0],
        folders("XDG_CONFIG_HOME", str(home / ".config"))[0],
        folders("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
        folders("XDG_CONFIG_DIRS", "/etc/xdg"),
        tuple(filter(None, desktops)),
    )
