"""Loads and saves what the window remembers: recent files, theme, zoom, sizes and places."""

from __future__ import annotations

import time
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
        self.opened_at: dict[str, float] = {}  # seconds since 1970, by path
        self.theme, self.zoom = theme, zoom
        self.geometry = self.docks = self.folder = ""
        self.had_tour = self.notifies_at_trigger = False

    def remember(self, path: str) -> None:
        self.recent = [
            path,
            *(recent_path for recent_path in self.recent if recent_path != path),
        ][:MAX_RECENT]
        self.opened_at[path] = time.time()
        self.folder = str(Path(path).parent)

    def recent_days(self) -> list[tuple[str, str]]:
        """Return each recent file with the time or day on which it was last opened, "" if
        unknown."""
        if not self.recent:
            return []  # the first start needs no calendar
        from core.common.number_format import day_text, file_time

        now = file_time(time.time())
        days = (self.opened_at.get(path) for path in self.recent)
        return [
            (
                path,
                ""
                if day is None
                else day_text(file_time(day), now).removeprefix("today "),
            )
            for path, day in zip(self.recent, days, strict=True)
        ]


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
        if isinstance(saved, dict):
            value = saved.get(name)
        else:
            value = None
        if type(value) is type(default) and value == value:  # NaN equals nothing
            setattr(state, name, value)
    state.recent = [path for path in state.recent if isinstance(path, str)][:MAX_RECENT]
    times = ((path, state.opened_at.get(path)) for path in state.recent)
    state.opened_at = {
        path: float(when) for path, when in times if isinstance(when, int | float)
    }


def save_state(state: WindowState, folder: Path | None = None) -> None:
    """Save the state; failures are ignored.

    Recent files that another window saved meanwhile follow those of this one.
    """
    import json

    from core.common.atomic_file import write_atomic

    target_folder = folder or state_dir()
    other = load_state(target_folder)
    state.recent = [
        *state.recent,
        *(path for path in other.recent if path not in state.recent),
    ][:MAX_RECENT]
    state.opened_at, state.had_tour = (
        other.opened_at | state.opened_at,
        other.had_tour or state.had_tour,
    )
    with suppress(OSError, InputError):
        target_folder.mkdir(parents=True, exist_ok=True)
        write_atomic(
            target_folder / _FILE,
            json.dumps(vars(state), indent=1).encode(),
            overwrite=True,
        )
