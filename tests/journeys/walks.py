"""A transcript on disk, and steps of the journeys."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.export.export import export_history
from core.formats.writing.exporter import ExportInput
from core.presentation.model import SettingControl
from core.presentation.screen_model import Screen
from core.transcript.model import Message
from core.transcript.scopes import history_of_scope
from gui.window_content import WindowContent
from tests.benchmarks.loops import agent_loop
from tests.gui import window_space
from tests.support.builders import conversation

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return write_transcript(tmp_path / "session.json", *agent_loop(90))


def write_transcript(path: Path, *messages: Message) -> Path:
    talked = conversation(*messages)
    data = export_history(
        ExportInput(conversation=talked, history=history_of_scope(talked, "all")),
        "openai",
    ).data
    path.write_bytes(
        b'{"model": "gpt-4o", "messages": %b}'
        % data[data.index(b"[") : data.rindex(b"]") + 1]
    )
    return path


def settle(qtbot: QtBot, space: WindowContent) -> Screen:
    window_space.settle(qtbot, space)
    assert space.page.preview is not None
    return space.page.preview


def open_transcript(qtbot: QtBot, space: WindowContent, path: Path) -> Screen:
    space.open_path(str(path))
    return settle(qtbot, space)


def control(space: WindowContent, key: str) -> SettingControl:
    return next(
        one
        for group in space.page.tuning.groups
        for one in group.controls
        if one.key == key
    )


def pick_strategy(qtbot: QtBot, space: WindowContent, name: str) -> Screen:
    picker = space.toolbar.strategy
    picker.setFocus()
    picker.setCurrentIndex(picker.findData(name))
    picker.activated.emit(picker.currentIndex())
    return settle(qtbot, space)
