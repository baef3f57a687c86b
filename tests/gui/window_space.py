"""The window on a real worker with a fake handler, and helpers for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from core.app.worker import HostFactory
from core.common.paths import BundledSample
from gui.main_window import MainWindow
from gui.saved_state import WindowState
from gui.start_up import fill_window
from gui.widgets.appearance import AppearanceController
from gui.workspace import Workspace
from tests.gui.fake_services import FakeHandler

SAMPLE = BundledSample(Path("/samples/retry-queue.jsonl"), "Every fate in 96 messages.")


@contextmanager
def shown_window(
    qtbot: QtBot, host_factory: HostFactory, samples: tuple[BundledSample, ...] = ()
) -> Iterator[Workspace]:
    """A window on a real worker with this handler, until the end of the test."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    appearance = AppearanceController(application, "light")
    window = MainWindow(appearance, WindowState(), samples)
    qtbot.addWidget(window)
    window.resize(1600, 1000)
    window.show()
    yield fill_window(window, host_factory)
    window.close()
    appearance.zoom_by(0)  # reset the text size for the next test
    QApplication.processEvents()
    appearance.deleteLater()


@pytest.fixture
def space(qtbot: QtBot) -> Iterator[Workspace]:
    with shown_window(qtbot, FakeHandler, (SAMPLE,)) as workspace:
        yield workspace


def settle(qtbot: QtBot, space: Workspace) -> None:
    """Wait until all commands are answered."""
    qtbot.waitUntil(lambda: space.session.is_up_to_date, timeout=20_000)
    space.page.finish()


def open_file(qtbot: QtBot, space: Workspace, path: str = "/tmp/retry-queue.jsonl") -> None:
    """Open a transcript and wait until it is complete."""
    space.open_path(path)
    settle(qtbot, space)


def click(space: Workspace, text: str) -> None:
    """Click the first button with this text."""
    next(one for one in space.window.findChildren(QPushButton) if one.text() == text).click()
