"""After the worker was killed, the notice with the way back stays on top."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from core.app.events import OpenRequest
from gui.workspace import Workspace
from tests.gui.window_space import settle, shown_window


@pytest.fixture
def space(qtbot: QtBot, tmp_path: Path) -> Iterator[Workspace]:
    path = tmp_path / "chats.jsonl"
    talks = [[{"role": "user", "content": f"Fix the retry, part {n}."}] for n in (1, 2)]
    path.write_text("\n".join(json.dumps({"messages": talk}) for talk in talks))
    with shown_window() as space:
        space.open_as(OpenRequest(str(path), conversation=2))
        settle(qtbot, space)
        process = space.session._worker._process
        assert process is not None
        process.kill()
        qtbot.waitUntil(lambda: _says(space).startswith("The worker process ended"), timeout=60_000)
        yield space


def _says(space: Workspace) -> str:
    return space.bar.notices[0].title if space.bar.notices else ""


def _ways_back(space: Workspace) -> list[QPushButton]:
    buttons = space.bar.findChildren(QPushButton)
    return [one for one in buttons if one.text() == "Open it again" and one.isVisible()]


def test_the_way_back_stays_on_top(qtbot: QtBot, space: Workspace) -> None:
    for press in (
        space.window.actions_by_id["compact"].trigger,
        space.window.actions_by_id["compare"].trigger,
        space.window.actions_by_id["replay"].trigger,
        lambda: space.toolbar.strategy.activated.emit(1),
        lambda: space.page.ruler.handle_moved.emit("compression-preserve-threshold", 0.3, True),
    ):
        space.bar.dismiss()  # even if it was closed
        press()
        qtbot.waitUntil(lambda: bool(_ways_back(space)))
        settle(qtbot, space)
        assert _says(space).startswith("The worker process ended")
        assert "No transcript is open." not in [one.title for one in space.bar.notices]


@pytest.mark.parametrize("by_key", [False, True])
def test_what_was_open_is_opened_again_as_it_was(qtbot: QtBot, space: Workspace, by_key: bool) -> None:
    qtbot.waitUntil(lambda: bool(_ways_back(space)))
    if by_key:
        space.window.actions_by_id["reload"].trigger()
    else:
        _ways_back(space)[-1].click()
    settle(qtbot, space)
    assert "conversation 2 of 2" in space.toolbar.chip.text()
    assert not any(one.topic == "worker" for one in space.bar.notices)
    space.window.actions_by_id["compact"].trigger()
    settle(qtbot, space)
    assert "worker" not in {one.topic for one in space.bar.notices}
