"""Kills a save before every line of the code that writes: ``python -m tests.tools.killed_saves
FOLDER``.

A process of its own, so that it may fork: no thread runs in it. For each kind of file the save is
killed with SIGKILL before the first line of the code that writes it, then before its second, and so
on until a save reaches its end. Prints a line of JSON for each kind: how many saves were killed,
how many left the old file and how many the new one, and what else was found.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from core.app import pins
from core.app.pins import PINS
from core.common import atomic_file
from core.common.atomic_file import write_atomic
from core.settings import prompt_levels
from core.settings.profile import Profile
from core.settings.prompt_levels import install_prompts
from core.settings.prompt_levels import save_override as save_prompt
from core.settings.schema import RETENTION
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import SavedSettings
from core.transcript.model import Message, Speaker, Text
from gui.saved_state import WindowState, load_state, save_state

_WRITERS = {atomic_file.__file__}
_TALK = (
    Message(speaker=Speaker.HUMAN, blocks=(Text("go"),)),
    Message(speaker=Speaker.AI, blocks=(Text("gone"),)),
)
NEVER = sys.maxsize
_BIG = b"x" * 300_000


@dataclass(frozen=True, slots=True)
class SaveKind:
    """A kind of file: how it is saved in its old and its new form, and how its reader finds it.
    With many files only every ``step``-th line is tried."""

    name: str
    save: Callable[[Path, bool], object]
    read: Callable[[Path], object]
    step: int = 1


def _read_settings(folder: Path) -> object:
    loaded = SavedSettings(folder / "settings.toml").load()
    return dict(loaded.values), loaded.problems


def _read_profile(folder: Path) -> object:
    store = ProfileStore(folder)
    return store.names(), [store.load(name).model for name in store.names()[1:]]


def _read_prompt(folder: Path) -> object:
    path = folder / "compression" / "middle-out.md"
    return path.read_text() if path.exists() else "", sorted(
        one.name for one in folder.rglob("*.md")
    )


def _install(folder: Path, new: bool) -> None:
    if new:
        install_prompts(folder)


def _installed(folder: Path) -> object:
    """Each prompt that is there is whole; a second run then finishes the first."""
    for path in folder.rglob("*.md"):
        assert path.read_bytes(), path
    is_whole = (folder / prompt_levels.MANIFEST_NAME).is_file()
    if is_whole:
        assert {one.outcome for one in install_prompts(folder)} == {"unchanged"}
    return is_whole


def _notes(section: str) -> SaveKind:
    def save(folder: Path, new: bool) -> None:
        pins.save_section(
            section, _TALK, {1: "keep new" if new else "keep old"}, folder / "messages"
        )

    def read(folder: Path) -> object:
        return pins.load_section(section, _TALK, folder / "messages")

    return SaveKind(section, save, read)


def _window(folder: Path, new: bool) -> None:
    state = WindowState(theme="dark" if new else "light")
    state.remember("/b" if new else "/a")
    save_state(state, folder)


def _read_window(folder: Path) -> object:
    state = load_state(folder)
    return state.theme, state.recent


def _read_export(folder: Path) -> object:
    data = (folder / "out.jsonl").read_bytes()
    return len(data), data[-1:]


KINDS = (
    SaveKind(
        "settings",
        lambda folder, new: SavedSettings(folder / "settings.toml").save(
            {RETENTION: 7 if new else 3}
        ),
        _read_settings,
    ),
    SaveKind(
        "profile",
        lambda folder, new: ProfileStore(folder).save(
            Profile(name="mine", provider="openai", model="new" if new else "old")
        ),
        _read_profile,
    ),
    SaveKind(
        "prompt",
        lambda folder, new: save_prompt(
            "base", f"{new} text", "middle-out", "", "", folder
        ),
        _read_prompt,
    ),
    SaveKind("installed prompts", _install, _installed, step=47),
    _notes(pins.MARKS),
    _notes(PINS),
    SaveKind("window state", _window, _read_window),
    SaveKind(
        "export",
        lambda folder, new: write_atomic(
            folder / "out.jsonl", _BIG + b"%d" % new, overwrite=True
        ),
        _read_export,
    ),
)


@dataclass(slots=True)
class LineKiller:
    """A trace function that ends the process before the line of that number in the code that
    writes."""

    lines_left: int

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename not in _WRITERS:
            return None
        if event == "line":
            self.lines_left -= 1
            if not self.lines_left:
                os.kill(os.getpid(), signal.SIGKILL)
        return self


def save_killed_at(kind: SaveKind, folder: Path, line: int) -> bool:
    """Save the new form in a child that dies before that line; False where it reached the end."""
    child = os.fork()
    if not child:
        sys.settrace(LineKiller(line))
        kind.save(folder, True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or status == 0, f"{kind.name}: the save failed"
    return os.WIFSIGNALED(status)


def kill_everywhere(kind: SaveKind, place: Path) -> dict[str, Any]:
    folder = place / kind.name.replace(" ", "-")
    forms = []
    for new in (True, False):
        _begin(kind, folder)
        kind.save(folder, new)
        forms.append(kind.read(folder))
    counts: dict[str, Any] = {
        "kind": kind.name,
        "killed": 0,
        "old": 0,
        "new": 0,
        "neither": [],
    }
    while save_killed_at(kind, folder, kind.step * counts["killed"] + 1):
        counts["killed"] += 1
        saved = kind.read(folder)
        if saved in forms:
            counts["new" if saved == forms[0] else "old"] += 1
        else:
            counts["neither"].append(saved)
        _begin(kind, folder)
    save_killed_at(kind, folder, counts["killed"] // 2)
    save_killed_at(kind, folder, NEVER)
    if kind.read(folder) != forms[0]:
        counts["neither"].append(
            "the save after a killed one, beside what that left behind"
        )
    return counts


def _begin(kind: SaveKind, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    kind.save(folder, False)


def main() -> None:
    place = Path(sys.argv[1])
    # it takes most of the time; what a killed process wrote is not lost; only a power cut would
    # lose it
    os.fsync = lambda fd: None
    for kind in KINDS:
        print(json.dumps(kill_everywhere(kind, place), default=str), flush=True)


if __name__ == "__main__":
    main()
