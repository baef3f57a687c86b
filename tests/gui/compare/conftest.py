"""A window whose comparisons, replays and sweeps are made up."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.window_content import WindowContent
from tests.gui.fake_analysis import make_analysis_host
from tests.gui.window_space import SMALL, open_file, reset, shown_window


@pytest.fixture(scope="module")
def shared_window(qapp: QApplication) -> Iterator[WindowContent]:
    with shown_window(make_analysis_host, saves_state=False) as workspace:
        yield workspace


@pytest.fixture
def space(
    qtbot: QtBot, shared_window: WindowContent, tmp_path: Path
) -> Iterator[WindowContent]:
    """The window with a transcript of the test's own: what tabs remember is remembered by
    transcript."""
    open_file(qtbot, shared_window, Path(shutil.copy(SMALL, tmp_path)))
    yield shared_window
    reset(qtbot, shared_window)
