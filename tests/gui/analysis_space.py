"""A window fixture whose real worker answers with made-up comparisons, replays and sweeps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.app import dispose_window
from gui.compare.analysis_tab import AnalysisTab
from gui.main_window import MainWindow
from gui.saved_state import WindowState
from gui.start_up import fill_window
from gui.widgets.appearance import AppearanceController
from gui.workspace import Workspace
from tests.gui.fake_analysis import FakeAnalysisHandler


@pytest.fixture
def space(qtbot: QtBot, qapp: QApplication) -> Iterator[Workspace]:
    window = MainWindow(AppearanceController(qapp, "light"), WindowState(), (), saves_state=False)
    window.resize(1600, 1000)
    window.show()
    workspace = fill_window(window, FakeAnalysisHandler)
    yield workspace
    dispose_window(window)


def settle(qtbot: QtBot, space: Workspace) -> None:
    qtbot.waitUntil(lambda: space.session.is_up_to_date, timeout=20_000)
    space.page.finish()


def shown(qtbot: QtBot, space: Workspace, name: str, path: str = "/tmp/retry-queue.jsonl") -> AnalysisTab:
    """Open a transcript and one of its tabs, and wait until it is complete."""
    space.open_path(path)
    settle(qtbot, space)
    space.window.actions_by_id[name].trigger()
    settle(qtbot, space)
    view = space.views.shown
    assert view is not None
    return view
