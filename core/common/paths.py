"""Where things lie: what ships with the program and the folders of the person."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds core, gui, prompts and resources, in the repository and in the wheel."""

PROMPTS = ROOT / "prompts"
RESOURCES = ROOT / "resources"
SAMPLES = RESOURCES / "samples"

_APP = "foldline"


def state_dir() -> Path:
    """Folder for window state and recent files; created on the first write, not here."""
    return _place("state", "XDG_STATE_HOME", ".local/state")


def cache_dir() -> Path:
    """Folder for token counts; may be deleted at any time."""
    return _place("cache", "XDG_CACHE_HOME", ".cache")


def config_dir() -> Path:
    """Folder for settings, profiles and prompts of the person."""
    return _place("config", "XDG_CONFIG_HOME", ".config")


def data_dir() -> Path:
    """Folder for tables that the person gave us."""
    return _place("data", "XDG_DATA_HOME", ".local/share")


def _place(kind: str, variable: str, usual: str) -> Path:
    """A folder of the person. On Linux without platformdirs: importing it delays the first paint."""
    if os.name == "posix" and sys.platform not in ("darwin", "ios"):
        base = os.environ.get(variable, "").strip()
        return (Path(base) if os.path.isabs(base) else Path.home() / usual) / _APP
    import platformdirs

    found: Path = getattr(platformdirs, f"user_{kind}_path")(_APP)
    return found
