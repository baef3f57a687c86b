"""Progress bars."""

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QProgressBar
from pytestqt.qtbot import QtBot

from gui.widgets.progress_line import show_progress
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
