"""Folders of the program and of the user."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
"""The folder with core, gui, prompts and resources, in the repository and in the wheel."""

PROMPTS = ROOT / "prompts"
RESOURCES = ROOT / "resources"
SAMPLES = RESOURCES / "samples"

_APP = "foldline"


def state_dir() -> Path:
    """Return the folder of window state and recent files; the first write creates it."""
    return _user_folder("state", "XDG_STATE_HOME", ".local/state")


def cache_dir() -> Path:
    """Return the folder of token counts; it may be deleted at any time."""
    return _user_folder("cache", "XDG_CACHE_HOME", ".cache")


def config_dir() -> Path:
    """Return the folder of the user's settings, profiles and prompts."""
    return _user_folder("config", "XDG_CONFIG_HOME", ".config")


def data_dir() -> Path:
    """Return the folder of data files that the user installed."""
    return _user_folder("data", "XDG_DATA_HOME", ".local/share")


def _user_folder(kind: str, variable: str, default: str) -> Path:
    """Return a user folder; on Linux without platformdirs, whose import delays the first paint."""
    if os.name == "posix" and sys.platform not in ("darwin", "ios"):
        base = os.environ.get(variable, "").strip()
        return (Path(base) if os.path.isabs(base) else Path.home() / default) / _APP
    import platformdirs

    folder: Path = getattr(platformdirs, f"user_{kind}_path")(_APP)
    return folder


def display_name(path: str | Path) -> str:
    """Return the last part of a path on one line, with blanks for invisible and bidirectional
    characters."""
    name = Path(path).name
    if name.isprintable():
        return name
    from core.common.excerpts import (
        one_line_text,  # late: the start screen shows names before the first paint
    )

    return one_line_text(name)


def display_path(path: Path, home: Path) -> str:
    """Return the path with ``~`` for the home folder."""
    if path.is_relative_to(home):
        return f"~/{path.relative_to(home)}"
    return str(path)


INDEX = "index.tsv"
"""In the folder of samples: file name, title, and one line about it, with tabs between."""


class BundledSample(NamedTuple):  # no dataclass: the first paint waits for this module
    path: Path
    about: str
    title: str = ""


def bundled_samples() -> tuple[BundledSample, ...]:
    try:
        lines = (SAMPLES / INDEX).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return ()
    rows = [line.split("\t") for line in lines if line.count("\t") == 2]
    return tuple(
        BundledSample(SAMPLES / name, about.strip(), title)
        for name, title, about in rows
    )


def installed_version() -> str:
    """Return the installed version, or "unknown" in a folder that was never installed."""
    from importlib import metadata

    try:
        return metadata.version("foldline-slim")
    except metadata.PackageNotFoundError:
        return "unknown"
