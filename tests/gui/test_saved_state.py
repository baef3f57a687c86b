"""What the window remembers."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui.saved_state import MAX_RECENT, WindowState, load_state, save_state


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


@pytest.mark.parametrize("text", ["", "[]", '{"zoom": "big", "recent": [1]}'])
def test_a_spoilt_file_is_ignored(tmp_path: Path, text: str) -> None:
    (tmp_path / "window.json").write_text(text)
    assert vars(load_state(tmp_path)) == vars(WindowState())


def test_a_folder_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    save_state(WindowState(), tmp_path / "file" / "below")
    assert (tmp_path / "file").read_text() == ""
