"""Loads and saves what the window remembers: recent files, theme, zoom, sizes and places."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from core.common.errors import InputError
from core.common.paths import state_dir

MAX_RECENT = 10
_FILE = "window.json"


class WindowState:
    """The remembered state. ``geometry`` and ``docks`` are base64 of Qt's saved state.

    No dataclass: the first paint waits for this module.
    """

    def __init__(self, theme: str = "system", zoom: float = 1.0) -> None:
        self.recent: list[str] = []
        self.theme, self.zoom = theme, zoom
        self.geometry = self.docks = self.folder = ""

    def remember(self, path: str) -> None:
        self.recent = [path, *(recent_path for recent_path in self.recent if recent_path != path)][
            :MAX_RECENT
        ]
        self.folder = str(Path(path).parent)


def load_state(folder: Path | None = None) -> WindowState:
    """Load the saved state; missing or invalid values get their defaults."""
    state = WindowState()
    with suppress(OSError, ValueError, RecursionError):
        text = ((folder or state_dir()) / _FILE).read_text(encoding="utf-8")
        _fill(state, text)
    return state


def _fill(state: WindowState, text: str) -> None:
    import json  # late, as below: the first start does not need it

    saved: Any = json.loads(text)
    for name, default in vars(WindowState()).items():
        value = saved.get(name) if isinstance(saved, dict) else None
        if type(value) is type(default) and value == value:  # NaN equals nothing
            setattr(state, name, value)
    state.recent = [path for path in state.recent if isinstance(path, str)][:MAX_RECENT]


def save_state(state: WindowState, folder: Path | None = None) -> None:
    """Save the state; failures are ignored.

    Recent files that another window saved meanwhile follow those of this one.
    """
    import json

    from core.common.atomic_file import write_atomic

    target_folder = folder or state_dir()
    other_paths = [path for path in load_state(target_folder).recent if path not in state.recent]
    state.recent = [*state.recent, *other_paths][:MAX_RECENT]
    with suppress(OSError, InputError):
        target_folder.mkdir(parents=True, exist_ok=True)
        write_atomic(target_folder / _FILE, json.dumps(vars(state), indent=1).encode(), overwrite=True)
