"""What most tests of the window need."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from gui.window_content import WindowContent
from tests.gui.recording_backend import RecordingBackend
from tests.gui.window_space import open_file, reset, shared_window, space
from tests.journeys.walks import transcript
from tests.support.warm_worker import warm_context, warm_workers

__all__ = ["shared_window", "space", "transcript", "warm_context", "warm_workers"]


@pytest.fixture
def backend() -> RecordingBackend:
    return RecordingBackend()


@pytest.fixture
def opened(qtbot: QtBot, shared_window: WindowContent) -> Iterator[WindowContent]:
    open_file(qtbot, shared_window)
    shared_window.page.show_tab("losses")
    yield shared_window
    reset(qtbot, shared_window)
