"""Progress bars."""

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QProgressBar
from pytestqt.qtbot import QtBot

from core.app.remote_methods import CompareService, PreviewService
from core.app.rpc import call_of
from gui.widgets.progress_line import ProgressLine, show_progress
from tests.gui.recording_backend import RecordingBackend
from tests.gui.window_space import expose


class _CountedBar(QProgressBar):
    painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.painted += 1
        super().paintEvent(event)


def test_progress_is_painted_with_the_next_frame(qtbot: QtBot) -> None:
    bar = expose(qtbot, _CountedBar())
    qtbot.waitUntil(lambda: bar.painted > 0)
    before = bar.painted
    show_progress(bar, 40, 80)
    assert (bar.painted, bar.value(), bar.maximum()) == (before, 40, 80)
    qtbot.waitUntil(lambda: bar.painted > before)


@pytest.mark.parametrize(
    ("method", "is_old"),
    [(PreviewService.change, True), (CompareService.compare, False)],
)
def test_only_a_change_makes_what_is_shown_old(
    qtbot: QtBot, method: Callable[..., Any], is_old: bool
) -> None:
    backend = RecordingBackend()
    line = ProgressLine(backend.client)
    qtbot.addWidget(line)
    told: list[bool] = []
    line.slow_changed.connect(told.append)
    backend.started.emit(call_of(method))
    qtbot.waitUntil(lambda: not line.isHidden())
    assert told == [True] * is_old


def test_a_shown_result_is_not_old_while_trials_go_on(qtbot: QtBot) -> None:
    backend = RecordingBackend()
    line = ProgressLine(backend.client)
    qtbot.addWidget(line)
    told: list[bool] = []
    line.slow_changed.connect(told.append)
    backend.started.emit(call_of(PreviewService.change))
    qtbot.waitUntil(lambda: not line.isHidden())
    backend.screen.emit(object())
    assert (told, line.isHidden()) == ([True, False], False)
