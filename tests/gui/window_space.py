"""The window on a real worker, and helpers for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.app.rpc import Call
from core.app.worker import HostFactory
from core.common.paths import SAMPLES, BundledSample
from core.settings_store.layers import SETTINGS
from gui.app import dispose_window
from gui.compare.analysis_tab import AnalysisTab
from gui.main_window import MainWindow
from gui.saved_state import WindowState
from gui.start_up import fill_window
from gui.view_switching import INSPECT
from gui.widgets.theme import AppearanceController
from gui.window_content import WindowContent

Tab = TypeVar("Tab", bound=AnalysisTab)
Shown = TypeVar("Shown", bound=QWidget)

SMALL = SAMPLES / "support-desk.json"
"""A transcript of 46 messages, of a model whose window is known."""


@contextmanager
def shown_window(
    host_factory: HostFactory | None = None,
    samples: tuple[BundledSample, ...] = (),
    *,
    saves_state: bool = True,
) -> Iterator[WindowContent]:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    appearance = AppearanceController(application, "light")
    window = MainWindow(appearance, WindowState(), samples, saves_state=saves_state)
    window.resize(1600, 1000)
    window.show()
    yield fill_window(window, host_factory)
    dispose_window(window)
    appearance.zoom_by(0)  # reset the text size for the next test
    QApplication.processEvents()
    appearance.deleteLater()


@pytest.fixture
def space(qapp: QApplication) -> Iterator[WindowContent]:
    with shown_window() as workspace:
        yield workspace


@pytest.fixture(scope="module")
def shared_window(qapp: QApplication) -> Iterator[WindowContent]:
    """The window of all tests of a module, each of which opens a file anew and calls ``reset`` at
    its end."""
    with shown_window(saves_state=False) as workspace:
        yield workspace


def reset(qtbot: QtBot, space: WindowContent) -> None:
    space.window.appearance.zoom_by(0)
    space.window.resize(1600, 1000)
    space.page_controller.show_view(INSPECT)
    space.backend.set_values(tuple((setting.key, None) for setting in SETTINGS))
    settle(qtbot, space)


def settle(qtbot: QtBot, space: WindowContent) -> None:
    qtbot.waitUntil(lambda: space.backend.is_up_to_date)
    space.page.finish()


def open_file(qtbot: QtBot, space: WindowContent, path: Path = SMALL) -> None:
    space.open_path(str(path))
    settle(qtbot, space)


def open_tab(qtbot: QtBot, space: WindowContent, name: str, kind: type[Tab]) -> Tab:
    space.page_controller.show_view(name)
    settle(qtbot, space)
    tab = space.views.view(name)
    assert isinstance(tab, kind)
    return tab


def expose(qtbot: QtBot, widget: Shown, width: int = 0, height: int = 0) -> Shown:
    """Show a widget alone, in its own size or in pixels, until it is painted."""
    qtbot.addWidget(widget)
    if width:
        widget.resize(width, height)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def show_tab(qtbot: QtBot, tab: Tab, path: str = "/sessions/open.jsonl") -> Tab:
    """Show a tab of Compare and its head without a window; ``path`` is open, "" for none."""
    tab.begin(path)
    for widget in (tab, tab.head):
        qtbot.addWidget(widget)
    tab.resize(1800, 1000)
    tab.show()
    return tab


def click(space: WindowContent, text: str) -> None:
    next(
        one for one in space.window.findChildren(QPushButton) if one.text() == text
    ).click()


def calls_from_now(space: WindowContent) -> list[Call]:
    sent: list[Call] = []
    space.backend.started.connect(sent.append)
    return sent
