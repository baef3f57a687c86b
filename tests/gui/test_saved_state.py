"""What the window remembers."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gui.saved_state import MAX_RECENT, WindowState, load_state, save_state
from gui.window_content import WindowContent
from tests.support.source_tree import ROOT


def test_it_comes_back(tmp_path: Path) -> None:
    state = WindowState(theme="dark", zoom=1.25)
    state.remember("/a/b.jsonl")
    save_state(state, tmp_path / "new")
    assert vars(load_state(tmp_path / "new")) == vars(state)


def test_recent_files_are_few_and_the_newest_first() -> None:
    state = WindowState()
    for number in [*range(MAX_RECENT + 3), 5]:
        state.remember(f"/x/{number}")
    assert state.recent[0] == "/x/5"
    assert len(state.recent) == len(set(state.recent)) == MAX_RECENT


@pytest.mark.parametrize(
    ("text", "recent"),
    [
        *(
            (text, [])
            for text in (
                "",
                "[]",
                '{"zoom": "big", "recent": [1]}',
                '{"recent": 7}',
                "\x00",
            )
        ),
        ("[" * 100_000, []),
        ('{"zoom": NaN, "recent": ["/x"]}', ["/x"]),
    ],
)
def test_a_spoilt_state_never_keeps_a_window_from_opening(
    tmp_path: Path, text: str, recent: list[str]
) -> None:
    (tmp_path / "window.json").write_text(text)
    assert vars(load_state(tmp_path)) == vars(WindowState()) | {"recent": recent}


def test_a_folder_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    save_state(WindowState(), tmp_path / "file" / "below")
    assert (tmp_path / "file").read_text() == ""


_WINDOW = """
import sys
import gui.main_window
gui.main_window.KEEP_MS = 50
from gui.app import show_window
from gui.arguments import StartOptions
if __name__ == "__main__":
    show_window(StartOptions(sys.argv[1], theme="dark"))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
def test_a_killed_window_is_remembered_as_last_kept(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text('{"messages": [{"role": "user", "content": "Fix the retry."}]}')
    script = tmp_path / "window.py"
    script.write_text(_WINDOW)
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, str(script), str(path)], env=environ, cwd=tmp_path
    ) as running:
        until = time.monotonic() + 60
        while load_state().recent != [str(path)] and time.monotonic() < until:
            time.sleep(0.02)
        running.kill()
    state = load_state()
    assert state.recent == [str(path)]
    assert state.theme == "dark"
    assert state.geometry
    assert state.docks


def test_what_is_kept_is_written_only_where_it_changed(
    space: WindowContent, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(
        "gui.main_window.save_state", lambda state: written.append(state.docks)
    )
    space.window.save_window_state()
    space.window.save_window_state()
    assert written == [space.page.dock_area.save()]
    space.window.resize(1000, 700)
    space.window.save_window_state()
    assert len(written) == 2


def test_two_windows_keep_each_other_s_recent_files(tmp_path: Path) -> None:
    first, second = WindowState(), WindowState()
    first.remember("/a")
    second.remember("/b")
    save_state(first, tmp_path)
    save_state(second, tmp_path)
    assert load_state(tmp_path).recent == ["/b", "/a"]
